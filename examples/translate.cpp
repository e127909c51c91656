// heed from C++: learn to translate from pairs of sentences, and translate one that is new.
#include <cstdio>

#include "heed/base/error.h"
#include "heed/heed.h"

namespace {

struct Phrase {
  const char *german, *english;
};
constexpr Phrase kWho[] = {{"der Hund", "the dog"},   {"die Katze", "the cat"},
                           {"der Mann", "the man"},   {"das Kind", "the child"},
                           {"die Frau", "the woman"}, {"der Vogel", "the bird"}};
constexpr Phrase kDoes[] = {{"schläft", "sleeps"},
                            {"spielt", "plays"},
                            {"wartet", "waits"},
                            {"singt", "sings"},
                            {"lacht", "laughs"}};
constexpr Phrase kWhere[] = {{"im Garten", "in the garden"},
                             {"auf dem Dach", "on the roof"},
                             {"am See", "at the lake"},
                             {"im Haus", "in the house"}};
constexpr const char* kNew = "die Katze singt auf dem Dach";

std::vector<heed::Record> sentences() {
  std::vector<heed::Record> records;
  for (const Phrase& who : kWho) {
    for (const Phrase& does : kDoes) {
      for (const Phrase& where : kWhere) {
        const auto text = [](const char* a, const char* b, const char* c) {
          return std::string(a) + " " + b + " " + c;
        };
        const std::string german = text(who.german, does.german, where.german);
        if (german == kNew) continue;
        records.push_back(heed::pair(german, text(who.english, does.english, where.english)));
      }
    }
  }
  return records;
}

}  // namespace

int main() try {
  heed::TrainSettings settings;
  settings.epochs = 30;
  settings.set = {"width=64",
                  "body.layers=1",
                  "output.decoder.layers=1",
                  "input.tokenizer.vocabulary=100",
                  "output.tokenizer.vocabulary=100",
                  "training.batch_rows=300",
                  "training.rate=0.005",
                  "training.average=0.9"};
  const heed::Heed trained = heed::train(sentences(), settings);
  std::printf("BLEU on what it has seen: %.0f\n", 100.0 * trained.score(sentences()));
  const std::string translation = trained.translate(kNew);
  std::printf("%s: %s\n", kNew, translation.c_str());
  return translation == "the cat sings on the roof" ? 0 : 1;
} catch (const heed::Error& error) {
  std::fprintf(stderr, "translate: %s\n", error.what());
  return 1;
}
