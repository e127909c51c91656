// heed from C++: train a model on records in memory, ask it, save it, load it again.
#include <cstdio>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/heed.h"

namespace {

std::vector<heed::Record> mails() {
  std::vector<heed::Record> records;
  for (const char* text :
       {"my invoice is wrong", "please send me a new invoice", "my card was charged twice",
        "refund the charged amount to my card", "I was charged the wrong amount",
        "when do I get my refund", "the price on the invoice is too high",
        "the amount on my card is wrong", "you charged me twice, what is the price"}) {
    records.push_back(heed::labelled(text, "billing"));
  }
  for (const char* text :
       {"my parcel is late", "please tell me where my parcel is", "the box arrived open, and late",
        "the driver left the parcel at the wrong door", "my order has not arrived",
        "nobody was at the door when the driver came", "when will the parcel be at my door",
        "the wrong box arrived, where is my order", "my order is late, is the driver ill"}) {
    records.push_back(heed::labelled(text, "delivery"));
  }
  return records;
}

}  // namespace

int main() try {
  heed::TrainSettings settings;
  settings.epochs = 40;
  settings.dev = mails();  // so few that the best model is chosen by what it learns from
  settings.set = {"width=32", "body.layers=1", "training.batch_rows=64"};
  settings.note = [](const std::string& sentence) { std::printf("%s\n", sentence.c_str()); };
  settings.progress = [](const heed::TrainProgress& at) {
    if (at.step % 40 == 0) std::printf("step %lld, loss %.3f\n", at.step, at.loss);
    return true;  // false would stop it
  };
  const heed::Heed trained = heed::train(mails(), settings);
  std::printf("accuracy on the mails it has seen: %.0f %%\n", 100.0 * trained.score(mails()));

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "heed_example_mails";
  trained.save(folder.string());
  const heed::Heed loaded = heed::Heed::load(folder.string());
  std::filesystem::remove_all(folder);

  for (const char* text : {"my card was charged by a stranger", "the driver threw the box away"}) {
    const heed::NamedAnswer answer = loaded.label(text);
    std::printf("%s: %s (%.2f)\n", text, answer.name.c_str(), answer.probability);
  }
  return loaded.label("a late parcel").name == "delivery" &&
                 loaded.label("the wrong invoice").name == "billing"
             ? 0
             : 1;
} catch (const heed::Error& error) {
  std::fprintf(stderr, "mails: %s\n", error.what());
  return 1;
}
