#include "heed/model/folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/file.h"
#include "heed/model/predictor.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::made_config;
using test::message_of;
using test::TemporaryFolder;

const std::vector<std::string> kTexts = {"The old Cat sees a house", "a new dog, a new day",
                                         "Über den Wolken", "cats and dogs and houses", ""};
const std::vector<std::string> kNames = {"good", "bad", "\"odd\"\n"};

std::vector<Record> records() {
  std::vector<Record> all;
  for (const std::string& text : kTexts) all.push_back(make_record(Text{text}));
  return all;
}

// A new model whose parts have met the texts.
Model model_to_save(Config config, TokenizerOptions::Kind kind = TokenizerOptions::Kind::kWord) {
  TokenizerOptions& options = test::text_of(config).tokenizer;
  options.kind = kind;
  options.vocabulary = kind == TokenizerOptions::Kind::kWord ? 50 : 40;
  Dataset train;
  for (Record& record : records()) train.records.push_back(std::move(record));
  config.input->fit(train);
  config.wide->fit(train, config.output->classes());
  return Model(config);
}

TEST(ModelFolder, AModelThatWasSavedSaysTheSameWhenItIsLoaded) {
  for (const auto& kind : Names<TokenizerOptions::Kind>::kTable) {
    for (const bool more : {false, true}) {
      const bool words = kind.value == TokenizerOptions::Kind::kWord;
      Config config = made_config("label");
      if (more) test::add_tfidf(config, 0);
      test::text_of(config).char_ngrams.buckets = more && words ? 100 : 0;
      test::classes_of(config).names = kNames;
      const TemporaryFolder folder;
      const Model model = model_to_save(config, kind.value);
      save_model(folder.path("M"), model);
      const Model loaded = load_model(folder.path("M"));
      EXPECT_EQ(config_text(loaded.config()), config_text(model.config()));
      EXPECT_EQ(loaded.config().output.as<LabelOutput>()->names(), kNames);
      const std::vector<Prediction> expected = Predictor(model, 1)(records(), 3);
      const std::vector<Prediction> found = Predictor(loaded, 1)(records(), 3);
      for (std::size_t i = 0; i < kTexts.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(found[i].rows[0][k].index, expected[i].rows[0][k].index);
          EXPECT_EQ(found[i].rows[0][k].probability, expected[i].rows[0][k].probability)
              << kind.name;
        }
      }
    }
  }
}

TEST(ModelFolder, ATokenizerOrConfigOfAnotherModelIsFoundOut) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  save_model(path, model_to_save(made_config("label")));
  EXPECT_NO_THROW(load_model(path));
  for (const auto& [name, from, to] : {std::tuple{"vocabulary.txt", "house\t", "hause\t"},
                                       {"config.json", "\"a\"", "\"b\""},
                                       {"tokenizer.txt", "lowercase true", "lowercase false"}}) {
    const std::string file = path + "/" + name;
    const std::string whole = read_file(file);
    std::string changed = whole;
    ASSERT_NE(changed.find(from), std::string::npos) << name;
    write_file(file, changed.replace(changed.find(from), std::string(from).size(), to));
    EXPECT_EQ(
        message_of<FormatError>([&] { load_model(path); }),
        fmt::format("{}: was changed after {}/model.safetensors was written; put the old one back",
                    file, path));
    write_file(file, whole);
  }
  EXPECT_NO_THROW(load_model(path));
}

TEST(ModelFolder, WhatIsMissingIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  EXPECT_EQ(message_of<IoError>([&] { load_model(path); }),
            path + ": there is no such folder, expected that of a model");
  const std::string file = folder.write("file", "");
  EXPECT_EQ(message_of<IoError>([&] { load_model(file); }),
            file + ": is a file, expected a model's folder");
  EXPECT_EQ(message_of<IoError>([&] { load_model(folder.path()); }),
            folder.path() + ": is not a model: it has no config.json");
  save_model(path, model_to_save(made_config("label")));
  std::filesystem::remove(path + "/model.safetensors");
  EXPECT_EQ(message_of<IoError>([&] { load_model(path); }),
            path + ": has no model.safetensors: the weights are lost");
  folder.write("M/checkpoint/run.json", "{}");
  EXPECT_EQ(message_of<IoError>([&] { load_model(path); }),
            path +
                ": has no model.safetensors: its training has not finished; go on with heed "
                "train --resume " +
                path);
}

TEST(ModelFolder, AChangedVocabularyIsNotBlamedOnThePairs) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  Config config = made_config("label");
  test::add_tfidf(config, 0);
  const Model model = model_to_save(config);
  save_model(path, model);
  EXPECT_NO_THROW(load_model(path));
  std::string words = read_file(path + "/wide_words.txt");
  write_file(path + "/wide_words.txt", words.replace(words.find("new\t"), 4, "nev\t"));
  EXPECT_EQ(message_of<FormatError>([&] { load_model(path); }),
            path + "/wide_words.txt: was changed after " + path +
                "/model.safetensors was written; put the old one back");
  // Before there are weights that know of it.
  const std::string said = message_of<FormatError>([&] { load_description(path); });
  EXPECT_NE(said.find("is not in the vocabulary: one of the two files was changed"),
            std::string::npos)
      << said;
}

// As a run leaves it that was killed while it brought its files to their place.
TEST(ModelFolder, WithoutWeightsTheModelThatWasNotPublishedYetCounts) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  const auto names = [](const Config& config) { return config.output.as<LabelOutput>()->names(); };
  Config config = made_config("label");
  save_model(path, model_to_save(config));
  test::classes_of(config).names = {"x", "y", "z"};
  save_model(result_folder(path), model_to_save(config, TokenizerOptions::Kind::kCharacter));
  EXPECT_NE(names(load_model(path).config()), names(config));
  std::filesystem::remove(path + "/model.safetensors");
  EXPECT_EQ(names(load_model(path).config()), names(config));
  EXPECT_EQ(names(load_config(path)), names(config));
}

}  // namespace
}  // namespace heed
