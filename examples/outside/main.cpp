// A layer of attention on a ragged batch: three sequences of 2, 5 and 1 vectors of 8 numbers.
#include <cstdio>
#include <exception>
#include <vector>

#include "heed/nn/attention.h"
#include "heed/nn/linear.h"

int main() {
  try {
    heed::Parameters parameters;
    const heed::nn::Linear prenet(heed::Scope(parameters, "prenet"), 8, 16);
    const heed::nn::MultiHeadAttention attention(heed::Scope(parameters, "attention"),
                                                 {.width = 16, .heads = 4});

    heed::Context context;
    context.begin(heed::Mode::kEvaluate);
    const std::vector<heed::Index> lengths = {2, 5, 1};
    const heed::Layout layout = heed::Layout::of(context.arena(), lengths);
    const heed::Tensor input = context.arena().tensor({layout.rows(), 8});  // (rows, 8)
    heed::Random random(1);
    for (float& number : input.span()) number = random.normal();

    const heed::Sequences x{context.constant(input), layout};
    const heed::Sequences features = prenet(context, x);         // (rows, 16)
    const heed::Sequences mixed = attention(context, features);  // (rows, 16)

    std::printf("in %s, out %s, %lld sequences, %lld parameters\n", input.shape.text().c_str(),
                mixed.rows.shape().text().c_str(), static_cast<long long>(mixed.layout.count()),
                static_cast<long long>(parameters.size()));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "outside: %s\n", error.what());
    return 1;
  }
}
