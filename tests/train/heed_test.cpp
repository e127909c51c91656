#include "heed/heed.h"

#include <gtest/gtest.h>

#include <thread>

#include "heed/base/error.h"
#include "heed/model/model.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wave.h"

namespace heed {
namespace {

using test::message_of;
using test::TemporaryFolder;

std::vector<Record> mails() {
  std::vector<Record> records;
  for (int i = 0; i < 30; ++i) {
    records.push_back(labelled(fmt::format("my parcel {} is late", i % 5), "delivery"));
    records.push_back(labelled(fmt::format("the invoice {} is wrong", i % 5), "billing"));
  }
  return records;
}

std::vector<Record> sentences() {
  std::vector<Record> records;
  for (const char* name : {"Ada", "Bob", "Eve", "Max", "Zoe"}) {
    for (const char* town : {"Rome", "Oslo", "Bonn", "Lima"}) {
      records.push_back(tagged({name, "went", "to", town}, {"B-PER", "O", "O", "B-LOC"}));
    }
  }
  return records;
}

TrainSettings small() {
  TrainSettings settings;
  settings.workers = 2;
  settings.epochs = 15;
  settings.set = {"width=32", "training.rate=0.01", "training.batch_rows=60"};
  return settings;
}

std::vector<Record> translations() {
  std::vector<Record> records;
  for (const auto& [german, english] : {std::pair("rot", "red"), {"alt", "old"}, {"neu", "new"}}) {
    for (const auto& [Hund, dog] :
         {std::pair("Hund", "dog"), {"Haus", "house"}, {"Baum", "tree"}}) {
      for (int i = 0; i < 6; ++i) {
        records.push_back(
            pair(fmt::format("{} {}", german, Hund), fmt::format("{} {}", english, dog)));
      }
    }
  }
  return records;
}

TEST(Heed, TrainsOnPairsOfTextsAndTranslates) {
  TrainSettings settings = small();
  settings.epochs = 80;
  settings.dev = translations();
  settings.set = {"width=32",
                  "body.layers=1",
                  "output.decoder.layers=1",
                  "input.tokenizer.kind=word",
                  "output.tokenizer.kind=word",
                  "input.dropout=0",
                  "body.dropout=0",
                  "output.dropout=0",
                  "output.decoder.dropout=0",
                  "training.rate=0.01",
                  "training.batch_rows=100",
                  "training.average=0.8"};
  const Heed trained = train(translations(), settings);
  EXPECT_EQ(trained.translate("neu Haus"), "new house");
  EXPECT_EQ(trained.translate(std::vector<std::string>{"rot Baum", "", "alt Hund"}),
            (std::vector<std::string>{"red tree", "", "old dog"}));
  // The same text in pieces.
  std::string pieces;
  const auto take = [&](std::string_view piece) { pieces += fmt::format("[{}]", piece); };
  EXPECT_EQ(trained.translate("neu Haus", take), "new house");
  EXPECT_EQ(pieces, "[new][ house]");
  EXPECT_EQ(trained.translate(" ", take), "");
  EXPECT_EQ(pieces, "[new][ house]");
  EXPECT_EQ(message_of<UsageError>([&] { trained.generate("neu"); }),
            "this model does not continue texts; it translates texts");
  EXPECT_NE(message_of<UsageError>([&] { trained.label("neu"); }).find("ask it to translate"),
            std::string::npos);
  const Heed classifier = train(mails(), small());
  EXPECT_NE(message_of<UsageError>([&] { classifier.translate("neu"); }).find("classifies texts"),
            std::string::npos);
}

TEST(Heed, TrainsOnSoundAndTranscribesInPieces) {
  const auto sound = [](double hertz) {
    return Waveform{.samples = test::tone(hertz, 0.3, 8000.0), .rate = 8000.0};
  };
  std::vector<Record> records;
  for (int i = 0; i < 20; ++i) {
    for (const auto& [hertz, text] : {std::pair(300.0, "low note"), std::pair(2000.0, "high")}) {
      const auto waveform = std::make_shared<const Waveform>(sound(hertz + 5.0 * i));
      records.push_back(make_record(Recording{.sound = waveform}, Sequence{text}));
    }
  }
  TrainSettings settings = small();
  settings.epochs = 30;
  settings.dev = records;
  settings.set = {
      "width=32",     "body.layers=1",      "output.decoder.layers=1", "output.tokenizer.kind=word",
      "output.ctc=0", "training.rate=0.01", "training.batch_rows=200"};
  const Heed trained = train(records, settings);
  for (const auto& [hertz, text] : {std::pair(310.0, "low note"), std::pair(2010.0, "high")}) {
    std::string joined;
    EXPECT_EQ(trained.transcribe(sound(hertz), [&](std::string_view piece) { joined += piece; }),
              text);
    EXPECT_EQ(joined, text);
    EXPECT_EQ(trained.transcribe(sound(hertz)), text);
  }
}

TEST(Heed, TrainsOnLabelledRecordsSavesAndLoads) {
  const Heed trained = train(mails(), small());
  EXPECT_EQ(trained.label("my parcel is late").name, "delivery");
  EXPECT_EQ(trained.label("the invoice is wrong").name, "billing");
  EXPECT_EQ(trained.score(mails()), 1.0);
  const std::vector<NamedAnswer> both = trained.labels("my parcel", 2);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_GE(both[0].probability, both[1].probability);
  EXPECT_NEAR(both[0].probability + both[1].probability, 1.0f, 1e-5f);

  const std::vector<Record> asked = {labelled("an invoice", ""), make_record(Text{"a parcel"}),
                                     make_record(Text{""})};
  const std::vector<Answer> answers = trained.answers(asked);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(std::get<Label>(answers[0]).name, "billing");
  EXPECT_EQ(std::get<Label>(answers[1]).name, "delivery");
  EXPECT_EQ(std::get<Label>(trained.answer(asked[0])).name, "billing");

  const TemporaryFolder folder;
  trained.save(folder.path("mails.heed"));
  const Heed loaded = Heed::load(folder.path("mails.heed"), 1);
  for (const char* text : {"my parcel is late", "the invoice is wrong", "", "something else"}) {
    EXPECT_EQ(loaded.label(text).name, trained.label(text).name);
    EXPECT_EQ(loaded.label(text).probability, trained.label(text).probability);
  }
  EXPECT_THROW(trained.tags({"my", "parcel"}), UsageError);
}

TEST(Heed, TrainsOnTaggedRecords) {
  TrainSettings settings = small();
  settings.dev = sentences();
  const Heed trained = train(sentences(), settings);
  EXPECT_EQ(trained.model().config().body.kind(), "attention");
  EXPECT_EQ(trained.score(sentences()), 1.0);
  std::vector<std::string> names;
  for (const NamedAnswer& tag : trained.tags({"Eve", "went", "to", "Oslo"})) {
    names.push_back(tag.name);
    EXPECT_GT(tag.probability, 0.3f);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"B-PER", "O", "O", "B-LOC"}));
  EXPECT_TRUE(trained.tags({}).empty());
  const Answer answer = trained.answer(make_record(Sentence{{"Bob", "went"}}));
  EXPECT_EQ(std::get<Tags>(answer).names, (std::vector<std::string>{"B-PER", "O"}));
  EXPECT_EQ(message_of<UsageError>([&] { trained.label("Eve"); }),
            "this model tags words: ask it for tags, not for a label");
  EXPECT_EQ(message_of<UsageError>([] {
              tagged({"a", "b"}, {"O"});
            }),
            "a sentence of 2 words with 1 tags, expected one for each");
}

TEST(Heed, OptionsAreSetByTheirPath) {
  TrainSettings settings = small();
  settings.set.push_back("body.kind=gru");
  settings.set.push_back("wide.kind=none");
  const Heed trained = train(mails(), settings);
  EXPECT_EQ(trained.model().config().body.kind(), "gru");
  EXPECT_EQ(trained.model().config().wide.kind(), "none");
  settings.set.push_back("body.lairs=2");
  EXPECT_THROW(train(mails(), settings), UsageError);
}

TEST(Heed, ProgressIsToldAndCanStopTheTraining) {
  TrainSettings settings = small();
  long long steps = 0;
  settings.progress = [&](const TrainProgress& progress) {
    EXPECT_EQ(progress.step, ++steps);
    EXPECT_GE(progress.steps, progress.step);
    EXPECT_GT(progress.loss, 0.0);
    return true;
  };
  train(mails(), settings);
  EXPECT_GT(steps, 15);
  settings.progress = [](const TrainProgress&) { return false; };
  EXPECT_THROW(train(mails(), settings), Error);
}

TEST(Heed, CopiesShareTheModelAndSeveralThreadsMayAsk) {
  const Heed trained = train(mails(), small());
  const Heed copy = trained;
  EXPECT_EQ(&copy.model(), &trained.model());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        if (copy.label("the invoice is wrong").name != "billing") ++wrong;
        if (copy.answers(mails()).size() != 60) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace heed
