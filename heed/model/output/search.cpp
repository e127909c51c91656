#include "heed/model/output/search.h"

#include <algorithm>

#include "heed/data/utf8.h"
#include "heed/decode/beam.h"
#include "heed/model/options.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, SequenceSearch& search) {
  archive.field("beam", search.beam, between(1, static_cast<double>(kMostHypotheses)));
  archive.field("length_penalty", search.length_penalty, between(-10, 10));
  archive.field("longest", search.longest, between(1, kMostRows));
  archive.field("ratio", search.ratio, at_least(0));
  archive.field("temperature", search.temperature, between(0, 100));
  archive.field("top_k", search.top_k, between(0, kMostEntries));
  archive.field("top_p", search.top_p, Limits{.low = 0, .high = 1, .low_allowed = false});
  archive.field("seed", search.seed);
}

template void describe(JsonReader&, SequenceSearch&);
template void describe(JsonWriter&, SequenceSearch&);

decode::Hypotheses search_for(decode::Steps& steps, const SequenceSearch& search,
                              SearchRequest request) {
  const bool draws = search.temperature > 0.0f && request.top != kQuickly;
  const Index best = std::max<Index>(1, request.top);
  const Index beam = request.top == kQuickly ? 1 : std::max(search.beam, best);
  if (draws) {
    return decode::sample(steps, {.search = std::move(request.asked),
                                  .temperature = search.temperature,
                                  .top_k = search.top_k,
                                  .top_p = search.top_p,
                                  .seed = search.seed,
                                  .streams = std::move(request.streams),
                                  .written = std::move(request.written)});
  }
  return decode::beam_search(steps, {.search = std::move(request.asked),
                                     .beam = beam,
                                     .best = best,
                                     .length_penalty = search.length_penalty,
                                     .written = std::move(request.written)});
}

void write_texts(const JsonPlace& place, std::span<const Written> texts,
                 const std::function<std::string(const Written&)>& text_of) {
  const auto write = [&](const JsonPlace& to, const Written& one) {
    to["text"].set(std::string_view(text_of(one)));
    to["score"].set(one.score);
  };
  if (texts.empty()) return;
  write(place, texts.front());
  if (texts.size() == 1) return;
  const JsonPlace list = place["answers"];
  list.set_list();
  for (const Written& one : texts) write(list.append(), one);
}

std::string whole_file(const Record& record) {
  if (record.place.file == nullptr || record.place.line != 0) return {};
  std::string name = *record.place.file;
  repair_utf8(name);
  return name;
}

std::string in_a_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace heed
