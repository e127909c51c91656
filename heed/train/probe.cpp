#include "heed/train/probe.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "heed/base/random.h"
#include "heed/grad/context.h"

namespace heed {
namespace {

constexpr Index kRows = 1024;  // of a pass at least, where sequences are short
constexpr double kSeconds = 0.2;

LengthSpeed measure(const BodyNetwork& network, const Parameters& parameters, Index width,
                    Index length, bool pictures) {
  const Index count = std::max<Index>(1, kRows / length);
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(length))));
  std::vector<float> numbers(static_cast<std::size_t>(count * length * width));
  Random random(1);
  for (float& number : numbers) number = random.normal();
  Gradients gradients(parameters);
  Context context;
  const auto pass = [&] {
    gradients.clear();
    context.begin(Mode::kTrain, &gradients);
    Layout layout = Layout::uniform(context.arena(), count, length);
    if (pictures) {  // a square, or a line where that is none
      layout = layout.as_grid(side * side == length ? Extent{side, side} : Extent{1, length});
    }
    const Tensor x{numbers.data(), {count * length, width}};
    const Sequences y = network(context, {context.tape().variable(x), layout});
    context.tape().backward(y.rows, x);
  };
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // The first pass also finds its memory; a long one counts all the same.
  Clock::time_point start = Clock::now();
  pass();
  double seconds = seconds_since(start);
  int passes = 1;
  if (seconds < kSeconds) {
    start = Clock::now();
    for (passes = 0; passes == 0 || seconds_since(start) < kSeconds; ++passes) pass();
    seconds = seconds_since(start);
  }
  const double rows = static_cast<double>(passes) * static_cast<double>(count * length);
  return {length, rows / seconds, static_cast<double>(context.memory())};
}

}  // namespace

std::vector<LengthSpeed> measure_lengths(const Config& config, const std::vector<Index>& lengths) {
  std::vector<LengthSpeed> speeds;
  for (const Index length : lengths) {
    Choice<Body> body = config.body;
    body->expect_rows(length);
    body->expect_row_seconds(config.input->row_seconds());
    if (body->longest() > 0 && length > body->longest()) continue;
    Parameters parameters;
    const auto network = body->network(Scope(parameters), config.width);
    speeds.push_back(measure(*network, parameters, config.width, length,
                             config.input->content() == ContentKind::kImage));
  }
  return speeds;
}

}  // namespace heed
