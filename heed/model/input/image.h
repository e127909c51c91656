#pragma once

#include <memory>

#include "heed/model/input.h"
#include "heed/model/input/image_options.h"

namespace heed {

// Pictures: brought to one size, grey or colour, and divided into patches, pixels or what
// convolutions make of them (image_network.h). Size and channels are those of the data, unless they
// are given.
//
// Masks become tags: the most frequent value under each vector's part of the picture.
class ImageInput : public PartOf<ImageInput, Input, ImageOptions> {
 public:
  // Columns of batch.input.
  enum Column : std::size_t {
    kPixels,  // the bytes of a picture, (height, width, channels), four in each number
  };

  ContentKind content() const override { return ContentKind::kImage; }
  bool reads(const Content& content) const override;
  void check(const Record& record) const override;
  void survey(const Dataset& all) override;
  void align(Record& record) const override;
  void fit(const Dataset& train) override;
  void prepare(const Content& content, Batch& batch) const override;
  Rows vary(Batch& batch, Random& random) const override;
  float mixup() const override { return options_.augmentation.mixup; }
  void mix(Batch& batch, const Batch& other, float share) const override;
  std::string summary() const override;
  Index longest() const override;
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override { options_.dropout = size.dropout; }

  std::unique_ptr<InputNetwork> network(const Scope& scope, Index width) const override;

 private:
  // A picture as the model sees it.
  Pixels seen(const Picture& picture) const;
};

}  // namespace heed
