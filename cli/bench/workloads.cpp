#include "cli/bench/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "cli/bench/parts.h"
#include "cli/bench/text.h"
#include "cli/bench/translate.h"
#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/model/config.h"
#include "heed/nn/embedding.h"
#include "heed/nn/encoder.h"
#include "heed/train/step.h"

namespace heed::cli {
namespace {

// What goes into the encoder: words that are looked up, or vectors through a linear layer.
struct InputSize {
  Index words = 0;      // of the vocabulary; 0: vectors
  Index columns = 0;    // of the vectors
  Index positions = 0;  // that are learned and added; 0: none
};

struct OutputSize {
  Index hidden = 0;  // linear → sigmoid in between, as the speaker classifier has it; 0: none
  Index classes = 0;
};

// Input → encoder → mean → linear: news, small, long, ragged, speaker, image.
class Classifier : public Workload {
 public:
  Classifier(std::vector<Index> lengths, InputSize input, const nn::EncoderOptions& options,
             OutputSize output)
      : lengths_(std::move(lengths)),
        input_(input),
        options_(options),
        output_(output),
        encoder_(Scope(parameters_) / "encoder", options),
        last_(Scope(parameters_) / "last", output.hidden > 0 ? output.hidden : width(),
              output.classes),
        targets_(random_ids(static_cast<Index>(lengths_.size()), output.classes, 2)) {
    const Scope scope(parameters_);
    if (input.words > 0) {
      embedding_.emplace(scope / "embedding", input.words, width());
      ids_ = random_ids(sum(lengths_), input.words, 3);
    } else {
      prenet_.emplace(scope / "prenet", input.columns, width());
      if (input.positions > 0) {
        positions_.emplace(scope / "positions",
                           nn::PositionOptions{nn::Position::kLearned, width(), input.positions});
      }
      numbers_ = random_numbers(sum(lengths_) * input.columns, 3);
    }
    if (output.hidden > 0) hidden_.emplace(scope / "hidden", width(), output.hidden);
  }

  void deal_to(int workers) override { parts_ = parts_of(lengths_, deal(lengths_, workers)); }

  Var loss(Context& context, int worker) const override {
    const Part& part = parts_[static_cast<std::size_t>(worker)];
    if (part.sequences == 0) return {};
    const Layout layout = Layout::of(
        context.arena(), slice(lengths_, part.first_sequence, part.sequences), part.first_sequence);
    const Sequences encoded = encoder_(context, input(context, part, layout));  // (rows, width)
    Var pooled = grad::pool(context, encoded, grad::Pool::kMean);  // (sequences, width)
    if (hidden_) pooled = (*hidden_)(context, pooled, {nn::Activation::kSigmoid});
    return grad::cross_entropy(context, last_(context, pooled),
                               slice(targets_, part.first_sequence, part.sequences),
                               {.divisor = static_cast<float>(lengths_.size())});
  }

  Index tokens() const override { return sum(lengths_); }

  double forward_flops() const override {
    const auto count = static_cast<Index>(lengths_.size());
    double flops = encoder_.flops(lengths_);
    if (prenet_) flops += prenet_->flops(tokens());
    if (hidden_) flops += hidden_->flops(count);
    return flops + last_.flops(count);
  }

 private:
  Index width() const { return options_.attention.width; }

  Sequences input(Context& context, const Part& part, const Layout& layout) const {
    if (embedding_) return (*embedding_)(context, slice(ids_, part.first_row, part.rows), layout);
    const Tensor rows = context.arena().tensor({part.rows, input_.columns});
    const auto from = slice(numbers_, part.first_row * input_.columns, rows.count());
    std::copy(from.begin(), from.end(), rows.data);
    const Sequences x = (*prenet_)(context, Sequences{context.constant(rows), layout});
    return positions_ ? (*positions_)(context, x) : x;
  }

  std::vector<Index> lengths_;
  InputSize input_;
  nn::EncoderOptions options_;
  OutputSize output_;
  std::optional<nn::Embedding> embedding_;
  std::optional<nn::Linear> prenet_;
  std::optional<nn::Positions> positions_;
  nn::Encoder encoder_;
  std::optional<nn::Linear> hidden_;
  nn::Linear last_;
  std::vector<std::int32_t> targets_, ids_;
  std::vector<float> numbers_;
  std::vector<Part> parts_;
};

std::vector<Index> uniform(Index count, Index length) {
  return std::vector<Index>(static_cast<std::size_t>(count), length);
}

// Tokens of real posts, as bench/lengths.py took them from 20 Newsgroups.
constexpr std::array<Index, 32> kRaggedLengths = {
#include "bench/ragged_lengths.txt"
};

constexpr InputSize kWords{.words = 20000};
constexpr OutputSize kGroups{.classes = 20};

nn::EncoderOptions pre_norm(nn::EncoderOptions options) {
  options.order = nn::NormOrder::kPre;
  return options;
}

struct Entry {
  const char* name;
  std::function<std::unique_ptr<Workload>()> make;
  bool on_request = false;  // not among those that are run when none is named
};

std::unique_ptr<Workload> classifier(std::vector<Index> lengths, InputSize input,
                                     const nn::EncoderOptions& options, OutputSize output) {
  return std::make_unique<Classifier>(std::move(lengths), input, options, output);
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"news",
       [] {
         return classifier(uniform(32, 256), kWords, encoder_options(512, 8, 2048, 2), kGroups);
       }},
      {"small",
       [] {
         return classifier(uniform(32, 256), kWords, encoder_options(128, 8, 512, 2), kGroups);
       }},
      {"speaker",
       [] {
         return classifier(uniform(32, 128), {.columns = 40}, encoder_options(80, 2, 256, 1),
                           {.hidden = 80, .classes = 600});
       }},
      {"long",
       [] {
         return classifier(uniform(1, 4096), kWords, encoder_options(256, 4, 1024, 2), kGroups);
       }},
      {"ragged",
       [] {
         return classifier({kRaggedLengths.begin(), kRaggedLengths.end()}, kWords,
                           encoder_options(128, 8, 512, 2), kGroups);
       }},
      {"text", [] { return make_text_workload("attention"); }},
      {"translate", [] { return make_translate_workload(); }},
      {"image",
       [] {
         return classifier(uniform(128, 49), {.columns = 16, .positions = 49},
                           pre_norm(encoder_options(64, 4, 256, 6)), {.classes = 10});
       }},
      // What attention needs for a very long sequence: look at its memory.
      {"longest",
       [] {
         return classifier(uniform(1, 32768), kWords, encoder_options(256, 4, 256, 1), kGroups);
       },
       true},
  };
  return all;
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (!entry.on_request) names.emplace_back(entry.name);
  }
  return names;
}

std::function<std::unique_ptr<Workload>()> workload_maker(const std::string& name) {
  for (const Entry& entry : entries()) {
    if (name == entry.name) return entry.make;
  }
  constexpr std::string_view kText = "text-";
  if (name.starts_with(kText)) {
    const std::string body = name.substr(kText.size());
    const std::vector<std::string> bodies = Registry<Body>::instance().names();
    if (std::find(bodies.begin(), bodies.end(), body) == bodies.end()) {
      fail<UsageError>("bench", "{}: there is no body {}; there are {}", name, body,
                       fmt::join(bodies, ", "));
    }
    return [body] { return make_text_workload(body); };
  }
  fail<UsageError>("bench", "there is no workload {}; there are {}", name,
                   fmt::join(workload_names(), ", "));
}

}  // namespace heed::cli
