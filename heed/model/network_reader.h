#pragma once

#include <memory>

#include "heed/model/body.h"
#include "heed/model/input.h"
#include "heed/model/output.h"

namespace heed {

// The input and the body of one network as the Reader of its output. All of them must outlive it.
class NetworkReader : public Reader {
 public:
  // `longest`: the most rows that the body reads; 0: any number.
  NetworkReader(const InputNetwork& input, const BodyNetwork& body, const Batch& batch,
                Index longest)
      : input_(input), body_(body), batch_(batch), longest_(longest), state_(body.begin()) {}

  Sequences begin(Context& context) override;
  Sequences next(Context& context, std::span<const std::int32_t> tokens,
                 std::span<const Index> counts) override;
  void keep(std::span<const Index> sequences) override { state_->keep(sequences); }
  Index room(Index sequence) const override;

 private:
  const InputNetwork& input_;
  const BodyNetwork& body_;
  const Batch& batch_;
  Index longest_;
  std::unique_ptr<BodyState> state_;
};

}  // namespace heed
