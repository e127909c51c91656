#include "heed/model/body/window.h"

#include <fmt/format.h>

#include "heed/model/options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

nn::Convolution1dOptions window_options(const WindowOptions& options, Index width) {
  nn::Convolution1dOptions window;
  window.in = width;
  window.out = options.hidden;
  window.taps = 2 * options.neighbours + 1;
  return window.same();
}

class WindowNetwork : public BodyNetwork {
 public:
  WindowNetwork(const Scope& scope, const WindowOptions& options, Index width)
      : options_(options),
        window_(scope / "window", window_options(options, width)),
        out_(scope / "out", options.hidden, width) {}

  Sequences operator()(Context& context, const Sequences& x) const override {
    const Sequences seen = window_(context, x);  // (rows, hidden)
    const Var active = grad::activation(context, seen.rows, nn::Activation::kRelu);
    const Var kept = grad::dropout(context, active, context.dropout(options_.dropout, x.layout));
    return out_(context, Sequences{kept, x.layout});  // (rows, width)
  }

  void describe(Plan& plan) const override {
    const Index rows = plan.rows();
    plan.add("window", {rows, options_.hidden},
             {"window", window_.flops(rows),
              fmt::format("each with {} before and after, relu", options_.neighbours)});
    plan.add("linear", {rows, out_.out()}, {"out", out_.flops(rows), ""});
  }

 private:
  WindowOptions options_;
  nn::Convolution1d window_;  // a fully-connected layer on each window is a convolution
  nn::Linear out_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, WindowOptions& options) {
  archive.field("neighbours", options.neighbours, between(0, kMostRows));
  archive.field("hidden", options.hidden, between(1, kMostRows));
  archive.field("dropout", options.dropout, part_of_one());
}

template void describe(JsonReader&, WindowOptions&);
template void describe(JsonWriter&, WindowOptions&);

std::unique_ptr<BodyNetwork> WindowBody::network(const Scope& scope, Index width) const {
  return std::make_unique<WindowNetwork>(scope, options_, width);
}

void WindowBody::apply(const SizePreset& size) {
  options_.hidden = size.hidden;
  options_.dropout = size.dropout;
}

}  // namespace heed
