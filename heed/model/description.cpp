#include "heed/model/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/display.h"
#include "heed/model/body/attention.h"
#include "heed/model/config_json.h"
#include "heed/model/model.h"

namespace heed {
namespace {

double product_flops(Index m, Index n, Index k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// What a step has besides its name and its shapes.
struct Details {
  std::string prefix = {};  // of its parameters
  double flops = 0.0;
  std::string note = {};
};

// Steps in the order in which data passes them: what goes out of one comes into the next.
class Steps {
 public:
  explicit Steps(Index length) : length_(length) {}

  Index length() const { return length_; }
  void set_layer(std::string layer) { layer_ = std::move(layer); }

  void add(std::string name, const Shape& out, Details details) {
    steps_.push_back({layer_, std::move(name), shape_, out, 0, details.flops, details.note});
    prefixes_.push_back(std::move(details.prefix));
    shape_ = out;
  }

  // Where a parameter of this name belongs.
  Step& owner(std::string_view name) { return steps_[place_of(name)]; }
  std::vector<Step>& steps() { return steps_; }

 private:
  // The step with the longest prefix of a name; the first one where there is none.
  std::size_t place_of(std::string_view name) const {
    std::size_t best = 0, longest = 0;
    for (std::size_t i = 0; i < prefixes_.size(); ++i) {
      const std::string& prefix = prefixes_[i];
      if (prefix.size() > longest && name.starts_with(prefix + ".")) {
        best = i;
        longest = prefix.size();
      }
    }
    return best;
  }

  Index length_;
  std::string layer_;
  Shape shape_;
  std::vector<Step> steps_;
  std::vector<std::string> prefixes_;
};

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The tokenizer's units, as a step is called.
const char* unit_name(TokenizerOptions::Kind kind) {
  switch (kind) {
    case TokenizerOptions::Kind::kWord:
      return "words";
    case TokenizerOptions::Kind::kCharacter:
      return "characters";
    case TokenizerOptions::Kind::kBpe:
    case TokenizerOptions::Kind::kUnigram:
      return "subwords";
  }
  return "tokens";
}

// Whether a body reads piece by piece; others than attention read a text of any length whole.
bool in_segments(const Config& config) {
  return config.text.beyond == Beyond::kSegments &&
         (config.body.kind == BodyKind::kAttention ||
          std::count(config.body.others.begin(), config.body.others.end(), BodyKind::kAttention) >
              0);
}

void describe_text(const Config& config, bool trained, Steps& steps) {
  const TextInputOptions& text = config.text;
  const Shape rows{steps.length(), config.width};
  const char* unit = unit_name(text.tokenizer.kind);
  steps.add("tokens", {steps.length()},
            {.note = fmt::format("{}{}{}", name_of(text.tokenizer.kind),
                                 text.tokenizer.lowercase ? ", in lower case" : "",
                                 in_segments(config)
                                     ? fmt::format(", in pieces of {}", with_commas(text.longest))
                                     : "")});
  steps.add(
      unit, rows,
      {.prefix = "input",
       .note = fmt::format("a vector for each of {}{}{}", trained ? "" : "at most ",
                           with_commas(text.entries), text.freeze_vectors ? ", frozen" : "")});
  if (text.letters.buckets > 0) {
    steps.add("letters", rows,
              {.prefix = "input.letters",
               .note = fmt::format("+ mean of {} to {} letters, {} vectors", text.letters.shortest,
                                   text.letters.longest, with_commas(text.letters.buckets))});
  }
  const SpellingOptions& spelling = text.spelling;
  if (spelling.filters > 0) {
    constexpr Index kLettersOfAWord = 8;  // with its ends, as a rule
    const Index letters = kLettersOfAWord * steps.length();
    steps.add("spelling", rows,
              {"input.spelling",
               product_flops(letters, spelling.filters, spelling.taps * spelling.width) +
                   product_flops(steps.length(), config.width, spelling.filters),
               fmt::format("+ {} filters over {} letters of each word", spelling.filters,
                           spelling.taps)});
  }
}

// Σ over the rows of how many others each sees on one side, at most `reach`.
double pairs_on_one_side(Index length, std::optional<Index> reach) {
  const auto n = static_cast<double>(length);
  const auto m = static_cast<double>(std::min(reach.value_or(length), length - 1));
  return m * (m + 1.0) / 2.0 + (n - 1.0 - m) * m;
}

// Queries times the keys that the mask lets them see, memory slots included.
double attended_pairs(Index length, const nn::AttentionOptions& options) {
  const nn::Mask& mask = options.mask;
  const auto n = static_cast<double>(length);
  return n + pairs_on_one_side(length, mask.before) +
         pairs_on_one_side(length, mask.causal ? Index{0} : mask.after.value_or(length)) +
         n * static_cast<double>(options.memory_slots);
}

double attention_flops(Index length, const nn::AttentionOptions& options) {
  const Index width = options.width, heads = options.heads;
  const Index depth = width / heads;
  const Index values = options.value_width == 0 ? width : options.value_width;
  const Index joined_width = options.join == nn::HeadJoin::kAverage ? values / heads : values;
  double flops = product_flops(length, width, width) +         // queries
                 product_flops(length, values, width) +        // values
                 product_flops(length, width, joined_width) +  // out
                 2.0 * attended_pairs(length, options) *
                     static_cast<double>(width + values);  // scores, and weights · values
  if (options.score != nn::Score::kLocation) {
    flops += product_flops(length, width, width);  // keys
  }
  if (options.score == nn::Score::kBilinear) {
    flops += static_cast<double>(heads) * product_flops(length, depth, depth);
  }
  return flops;
}

std::string attention_note(const nn::AttentionOptions& options) {
  std::vector<std::string> parts = {
      fmt::format("{} head{} × {}", options.heads, options.heads == 1 ? "" : "s",
                  options.width / options.heads),
      std::string(name_of(options.score))};
  if (options.position != nn::Position::kNone) parts.emplace_back(name_of(options.position));
  const nn::Mask& mask = options.mask;
  if (mask.causal) parts.emplace_back("causal");
  if (mask.before) parts.push_back(fmt::format("{} before", *mask.before));
  if (mask.after && !mask.causal) parts.push_back(fmt::format("{} after", *mask.after));
  if (mask.not_self) parts.emplace_back("not itself");
  if (options.memory_slots > 0) parts.push_back(fmt::format("{} slots", options.memory_slots));
  if (options.join == nn::HeadJoin::kAverage) parts.emplace_back("heads averaged");
  parts.emplace_back("residual");
  return joined(parts);
}

void describe_layer(const nn::EncoderOptions& options, const std::string& prefix, Steps& steps) {
  const Index width = options.attention.width, length = steps.length();
  const Shape rows{length, width};
  const bool pre = options.order == nn::NormOrder::kPre;
  const std::string norm = std::string(name_of(options.norm)) + " norm";
  const nn::FeedForwardOptions& feed = options.feed_forward;
  const auto add_norm = [&](const char* which) {
    steps.add("norm", rows, {.prefix = prefix + which, .note = norm});
  };
  if (const Index taps = options.convolution.taps; taps > 0) {
    add_norm(".convolution.norm");
    steps.add("convolution", rows,
              {prefix + ".convolution.taps", product_flops(length, width, taps * width),
               fmt::format("{} taps, relu, residual", taps)});
  }
  if (pre) add_norm(".norm1");
  steps.add("attention", rows,
            {prefix + ".attention", attention_flops(length, options.attention),
             attention_note(options.attention)});
  add_norm(pre ? ".norm2" : ".norm1");
  steps.add("feed-forward", rows,
            {prefix + ".feed_forward",
             (feed.gated ? 3.0 : 2.0) * product_flops(length, feed.hidden, width),
             fmt::format("{}, {}{}, residual", feed.hidden, name_of(feed.activation),
                         feed.gated ? ", gated" : "")});
  if (!pre) add_norm(".norm2");
}

void describe_attention(const Config& config, Steps& steps) {
  const Shape rows{steps.length(), config.width};
  const nn::EncoderOptions encoder = encoder_options(config);
  if (nn::added_to_input(config.body.position.kind)) {
    steps.add("positions", rows,
              {.prefix = "body.positions",
               .note = fmt::format("+ {}", name_of(config.body.position.kind))});
  }
  for (Index i = 0; i < encoder.layers; ++i) {
    steps.set_layer(fmt::format("layer {}", i + 1));
    describe_layer(encoder, fmt::format("body.layers.{}", i), steps);
  }
  steps.set_layer("");
  if (encoder.order == nn::NormOrder::kPre && encoder.last_norm) {
    steps.add("norm", rows,
              {.prefix = "body.norm", .note = std::string(name_of(encoder.norm)) + " norm"});
  }
}

void describe_window(const Config& config, Steps& steps) {
  const WindowOptions& window = config.body.window;
  const Index length = steps.length(), taps = 2 * window.neighbours + 1;
  steps.add("window", {length, window.hidden},
            {"body.window", product_flops(length, window.hidden, taps * config.width),
             fmt::format("each with {} before and after, relu", window.neighbours)});
  steps.add("linear", {length, config.width},
            {"body.out", product_flops(length, config.width, window.hidden), ""});
}

void describe_recurrent(const Config& config, Steps& steps) {
  const nn::RecurrentOptions& options = config.body.recurrent;
  const Index hidden = options.hidden > 0 ? options.hidden : config.width;
  const Index gates = options.kind == nn::RecurrentKind::kLstm  ? 4
                      : options.kind == nn::RecurrentKind::kGru ? 3
                                                                : 1;
  const Index directions = options.bidirectional ? 2 : 1;
  double flops = 0.0;
  for (Index i = 0; i < options.layers; ++i) {
    const Index in = i == 0 ? config.width : directions * hidden;
    flops += static_cast<double>(directions) *
             product_flops(steps.length(), gates * hidden, in + hidden);
  }
  steps.add("recurrent", {steps.length(), directions * hidden},
            {"body.recurrent", flops,
             fmt::format("{}, {} layers{}", name_of(options.kind), options.layers,
                         options.bidirectional ? ", both directions" : "")});
  steps.add("linear", {steps.length(), config.width},
            {"body.out", product_flops(steps.length(), config.width, directions * hidden), "tanh"});
}

void describe_body(const Config& config, Steps& steps) {
  switch (config.body.kind) {
    case BodyKind::kAttention:
      return describe_attention(config, steps);
    case BodyKind::kBag:
      return;  // vectors go on as they came
    case BodyKind::kWindow:
      return describe_window(config, steps);
    case BodyKind::kRecurrent:
      return describe_recurrent(config, steps);
  }
}

const char* clue_name(ClueKind kind) {
  return kind == ClueKind::kLetters ? "words, pairs and pieces" : "words and pairs";
}

void describe_label(const Config& config, const std::string& classes, Steps& steps) {
  const Index length = steps.length(), width = config.width;
  const nn::Pool pooling = config.output.pooling;
  const Index pooled = pooling == nn::Pool::kMeanMax ? 2 * width : width;
  // A score for each row, then the sum of rows by their weights.
  const double flops =
      pooling == nn::Pool::kAttention ? 2.0 * product_flops(length, 1, width) : 0.0;
  const auto labels = static_cast<Index>(config.output.names.size());
  steps.add(std::string(name_of(pooling)) + " pooling", {1, pooled},
            {"output.scores", flops, "one vector for the text"});
  steps.add("last", {1, labels},
            {"output.last", product_flops(1, labels, pooled),
             fmt::format("a score for each of {} labels", classes)});
  const ClueOptions& clues = config.text.clues;
  if (clues.kind != ClueKind::kNone) {
    steps.add("clues", {1, labels},
              {"output.clues", product_flops(length, labels, 1),
               fmt::format("+ what each of {} {} says by itself, by tf-idf",
                           with_commas(clues.entries), clue_name(clues.kind))});
  }
  steps.add("answer", {1}, {.note = "the most likely label"});
}

void describe_tags(const Config& config, const std::string& classes, Steps& steps) {
  const Index length = steps.length();
  const auto tags = static_cast<Index>(config.output.names.size());
  steps.add("last", {length, tags},
            {"output.last", product_flops(length, tags, config.width),
             fmt::format("a score for each of {} tags", classes)});
  if (config.output.crf) {
    steps.add("crf", {length}, {.prefix = "output.crf", .note = "the most likely row of tags"});
  } else {
    steps.add("answer", {length}, {.note = "the most likely tag of each"});
  }
}

// The way through one member.
Steps describe_member(const Config& config, bool trained, const std::string& classes,
                      Index length) {
  Steps steps(length);
  describe_text(config, trained, steps);
  describe_body(config, steps);
  switch (config.output.kind) {
    case OutputKind::kLabel:
      describe_label(config, classes, steps);
      break;
    case OutputKind::kTags:
      describe_tags(config, classes, steps);
      break;
  }
  return steps;
}

// Members that are alike are one way that is gone several times; else one after the other, and one
// answer for all.
Description join(std::vector<Steps> ways, const Model& model) {
  const bool alike = ways.size() == 1;
  const Index members = model.config().members;
  Description all;
  all.length = ways.front().length();
  for (const Parameter& parameter : model.parameters()) {
    const auto [member, name] = in_member(parameter.name);
    const Index count = parameter.value.count();
    ways[alike ? 0 : static_cast<std::size_t>(member)].owner(name).parameters += count;
    all.parameters += count;
    if (parameter.rule.sparse) all.embedding_parameters += count;
  }
  Step answer;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::vector<Step>& steps = ways[i].steps();
    answer = std::move(steps.back());
    steps.pop_back();
    for (Step& step : steps) {
      if (alike) {
        step.flops *= static_cast<double>(members);
      } else {
        step.layer =
            fmt::format("network {}{}{}", i + 1, step.layer.empty() ? "" : ", ", step.layer);
      }
      all.flops += step.flops;
      all.steps.push_back(std::move(step));
    }
  }
  if (members > 1) {
    answer.note += fmt::format(", by the mean of {} networks{}", with_commas(members),
                               alike ? " like this" : "");
  }
  all.steps.push_back(std::move(answer));
  return all;
}

}  // namespace

Index longest_length(const Config& config) {
  Index longest = config.text.longest;
  for (Index i = 0; i < config.members && !config.body.others.empty(); ++i) {
    longest = std::min(longest, longest_length(member_config(config, i)));
  }
  if (config.body.kind != BodyKind::kAttention) return longest;
  if (nn::added_to_input(config.body.position.kind)) {
    longest = std::min(longest, config.body.position.longest);
  }
  const nn::AttentionOptions& attention = config.body.encoder.attention;
  if (nn::is_limited(attention)) longest = std::min(longest, attention.longest);
  return longest;
}

Description describe_model(const Config& config, Index length) {
  const Index longest = longest_length(config);
  if (length < 0 || length > longest) {
    throw UsageError(fmt::format("a text of {} tokens: the model reads from 1 to {}{}",
                                 with_commas(length), with_commas(longest),
                                 in_segments(config) ? " at a time" : ""));
  }
  Config whole = config;
  const bool trained = config.text.entries > 0, labelled = !config.output.names.empty();
  if (!trained) {
    whole.text.entries = config.text.tokenizer.vocabulary;
    whole.text.clues.entries = whole.text.entries + config.text.tokenizer.pairs;
    if (whole.text.clues.kind == ClueKind::kLetters) {
      whole.text.clues.entries += config.text.letters.buckets;
    }
  }
  if (!labelled) whole.output.names = {"a", "b"};
  const std::string classes =
      labelled ? with_commas(static_cast<long long>(whole.output.names.size())) : "2 (assumed)";

  if (length == 0) length = std::min<Index>(128, longest);
  std::vector<Steps> ways;
  for (Index i = 0; i == 0 || i <= static_cast<Index>(config.body.others.size()); ++i) {
    ways.push_back(describe_member(member_config(whole, i), trained, classes, length));
  }
  return join(std::move(ways), Model(std::move(whole), Parameters::Values::kLater));
}

std::string short_count(double count) {
  constexpr std::array<const char*, 6> kUnits = {"", " k", " M", " G", " T", " P"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000.0;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}", count);
  const int digits = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", count, digits, kUnits[unit]);
}

}  // namespace heed
