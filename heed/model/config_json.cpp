#include "heed/model/config_json.h"

#include <fmt/format.h>

#include "heed/base/json.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, TokenizerOptions& options) {
  archive.field("kind", options.kind);
  archive.field("vocabulary", options.vocabulary, between(2, kMostEntries));
  archive.field("min_count", options.min_count, at_least(1));
  archive.field("lowercase", options.lowercase);
  archive.field("normalization", options.normalization);
  archive.field("pairs", options.pairs, between(0, kMostEntries));
  archive.check("pairs", options.pairs == 0 || options.kind == TokenizerOptions::Kind::kWord,
                "0 unless the tokenizer is \"word\"");
}

template <class Archive>
void describe(Archive& archive, LetterOptions& options) {
  archive.field("buckets", options.buckets, between(0, kMostEntries));
  archive.field("shortest", options.shortest, at_least(1));
  archive.field("longest", options.longest, at_least(1));
  archive.check("longest", options.longest >= options.shortest, "at least `shortest`");
}

template <class Archive>
void describe(Archive& archive, SpellingOptions& options) {
  archive.field("filters", options.filters, between(0, kMostWidth));
  archive.field("taps", options.taps, between(1, kMostRows));
  archive.field("width", options.width, between(1, kMostWidth));
  archive.check("taps", options.taps % 2 == 1, "an odd number");
}

template <class Archive>
void describe(Archive& archive, ClueOptions& options) {
  archive.field("kind", options.kind);
  archive.field("entries", options.entries, between(0, 3 * kMostEntries));
  archive.field("scale", options.scale, above(0));
  archive.field("counted", options.counted, at_least(0));
  archive.field("dropout", options.dropout, part_of_one());
}

template <class Archive>
void describe(Archive& archive, TextInputOptions& options) {
  archive.field("tokenizer", options.tokenizer);
  archive.field("entries", options.entries, between(0, 2 * kMostEntries));
  archive.field("letters", options.letters);
  archive.field("spelling", options.spelling);
  archive.field("clues", options.clues);
  archive.field("longest", options.longest, between(1, kMostRows));
  archive.field("beyond", options.beyond);
  archive.field("word_dropout", options.word_dropout, part_of_one());
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("deviation", options.deviation, above(0));
  archive.field("vectors", options.vectors);
  archive.field("freeze_vectors", options.freeze_vectors);
  using Kind = TokenizerOptions::Kind;
  archive.check("letters", options.letters.buckets == 0 || options.tokenizer.kind == Kind::kWord,
                "no letters (buckets 0) unless the tokenizer is \"word\"");
  archive.check("spelling", options.spelling.filters == 0 || options.tokenizer.kind == Kind::kWord,
                "no filters (0) unless the tokenizer is \"word\"");
  archive.check("vectors",
                options.vectors.empty() || options.tokenizer.kind == Kind::kWord ||
                    options.tokenizer.kind == Kind::kCharacter,
                "none unless the tokenizer is \"word\" (or \"character\"): a file has vectors of "
                "words, not of pieces that are learned from the data");
  archive.check("clues", options.clues.kind != ClueKind::kLetters || options.letters.buckets > 0,
                "letters.buckets above 0 where the kind is \"letters\"");
}

template <class Archive>
void describe(Archive& archive, WindowOptions& options) {
  archive.field("neighbours", options.neighbours, between(0, kMostRows));
  archive.field("hidden", options.hidden, between(1, kMostRows));
}

template <class Archive>
void describe(Archive& archive, nn::RecurrentOptions& options) {
  archive.field("kind", options.kind);
  archive.field("hidden", options.hidden, between(0, kMostRows));
  archive.field("layers", options.layers, between(1, kMostLayers));
  archive.field("bidirectional", options.bidirectional);
  archive.field("dropout", options.dropout, part_of_one());
}

template <class Archive>
void describe(Archive& archive, BodyOptions& options) {
  archive.field("kind", options.kind);
  archive.field("others", options.others);
  archive.field("position", options.position);
  archive.field("encoder", options.encoder);
  archive.field("memory", options.memory, between(0, kMostRows));
  archive.field("window", options.window);
  archive.field("recurrent", options.recurrent);
}

template <class Archive>
void describe(Archive& archive, OutputOptions& options) {
  archive.field("kind", options.kind);
  archive.field("pooling", options.pooling);
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("smoothing", options.smoothing, part_of_one());
  archive.field("class_weights", options.class_weights, at_least(0));
  archive.field("crf", options.crf);
  archive.field("names", options.names);
  // Without names they are for those that the data will bring.
  archive.check("class_weights",
                options.class_weights.empty() || options.names.empty() ||
                    options.class_weights.size() == options.names.size(),
                "one for each name, or none");
}

template <class Archive>
void describe(Archive& archive, KnownColumns& columns) {
  archive.field("text", columns.text);
  archive.field("label", columns.label);
  archive.field("tag", columns.tag);
  archive.field("count", columns.count, between(0, kMostRows));
}

template <class Archive>
void describe(Archive& archive, Config& config) {
  archive.field("input", config.input);
  archive.field("width", config.width, between(1, kMostWidth));
  archive.field("members", config.members, between(1, kMostLayers));
  archive.field("text", config.text);
  archive.field("body", config.body);
  archive.field("output", config.output);
  archive.field("columns", config.columns);
  archive.field("seed", config.seed);
  archive.check(
      "text.clues",
      config.text.clues.kind == ClueKind::kNone || config.output.kind == OutputKind::kLabel,
      "none where words are tagged: clues speak for the label of a text");
  archive.check("members", config.members == 1 || !config.output.crf,
                "1 with a CRF: rows of tags have no mean");
  const auto others = static_cast<Index>(config.body.others.size());
  archive.check("body.others", others == 0 || others == config.members - 1,
                "none, or one for each of `members` after the first");
  const Index heads = config.body.encoder.attention.heads;
  archive.check("width", heads > 0 && config.width % heads == 0,
                fmt::format("a multiple of the {} heads", heads));
}

template void describe(JsonReader& archive, Config& config);
template void describe(JsonWriter& archive, Config& config);

std::string config_text(const Config& config) { return to_json(config); }

Config parse_config(const std::string& text, const std::string& file) {
  Config config;
  from_json(text, file, config);
  return config;
}

std::string option_json(const std::string& path, const std::string& value) {
  const JsonText quoted;
  quoted.root().set(std::string_view(value));
  std::string text = quoted.line();
  const bool literal = value == "true" || value == "false" || value == "null" ||
                       (!value.empty() && (value.front() == '[' || value.front() == '-' ||
                                           (value.front() >= '0' && value.front() <= '9')));
  if (literal) {
    try {
      Json::parse(value, path);
      text = value;
    } catch (const FormatError&) {
      // Something like 3d: a text after all.
    }
  }
  std::size_t end = path.size();
  while (true) {
    const std::size_t dot = path.rfind('.', end == 0 ? 0 : end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    const JsonText key;
    key.root().set(std::string_view(path).substr(begin, end - begin));
    text = fmt::format("{{{}:{}}}", key.line(), text);
    if (dot == std::string::npos) return text;
    end = dot;
  }
}

}  // namespace heed
