#include "heed/model/folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/file.h"
#include "heed/model/config_json.h"
#include "heed/model/predict.h"
#include "tests/support/made_examples.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;
using test::TemporaryFolder;

const std::vector<std::string> kTexts = {"The old Cat sees a house", "a new dog, a new day",
                                         "Über den Wolken", "cats and dogs and houses", ""};

std::shared_ptr<const Tokenizer> tokenizer_of(TokenizerOptions::Kind kind) {
  TokenizerOptions options;
  options.kind = kind;
  options.vocabulary = kind == TokenizerOptions::Kind::kWord ? 50 : 40;
  return Tokenizer::train(options, kTexts);
}

// Saves a new model and gives what it says about the texts.
std::vector<Prediction> save(const std::string& folder, Config config,
                             const std::shared_ptr<const Tokenizer>& tokenizer) {
  config.text.tokenizer.kind = tokenizer->kind();
  count_entries(*tokenizer, config.text);
  const Model model(config);
  save_description(folder, config, *tokenizer);
  save_weights(folder, model.parameters());
  Workers workers(1);
  std::vector<Example> examples;
  const TextExamples prepare(config, tokenizer);
  for (const std::string& text : kTexts) examples.push_back(prepare.labelled(text, ""));
  return predict_all(model, examples, workers, 3);
}

TEST(ModelFolder, AModelThatWasSavedSaysTheSameWhenItIsLoaded) {
  for (const auto& kind : Names<TokenizerOptions::Kind>::kTable) {
    for (const bool letters : {false, true}) {
      if (letters && kind.value != TokenizerOptions::Kind::kWord) continue;
      Config config = test::made_config(OutputKind::kLabel);
      config.text.letters.buckets = letters ? 100 : 0;
      config.output.names = {"good", "bad", "\"odd\"\n"};
      const TemporaryFolder folder;
      const std::vector<Prediction> expected =
          save(folder.path("M"), config, tokenizer_of(kind.value));
      const LoadedModel loaded = load_model(folder.path("M"));
      EXPECT_EQ(loaded.model->config().output.names, config.output.names);
      const TextExamples prepare = loaded.examples();
      std::vector<Example> examples;
      for (const std::string& text : kTexts) examples.push_back(prepare.labelled(text, ""));
      Workers workers(1);
      const std::vector<Prediction> found = predict_all(*loaded.model, examples, workers, 3);
      for (std::size_t i = 0; i < kTexts.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_EQ(found[i].answers[0][k].index, expected[i].answers[0][k].index);
          EXPECT_EQ(found[i].answers[0][k].probability, expected[i].answers[0][k].probability)
              << kind.name;
        }
      }
    }
  }
}

TEST(ModelFolder, ATokenizerOrConfigOfAnotherModelIsFoundOut) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  save(path, test::made_config(OutputKind::kLabel), tokenizer_of(TokenizerOptions::Kind::kWord));
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
  save(path, test::made_config(OutputKind::kLabel), tokenizer_of(TokenizerOptions::Kind::kWord));
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
  TokenizerOptions options;
  options.pairs = 10;
  save(path, test::made_config(OutputKind::kLabel), Tokenizer::train(options, kTexts));
  EXPECT_NO_THROW(load_model(path));
  std::string words = read_file(path + "/vocabulary.txt");
  write_file(path + "/vocabulary.txt", words.replace(words.find("new\t"), 4, "nev\t"));
  EXPECT_EQ(message_of<FormatError>([&] { load_model(path); }),
            path + "/vocabulary.txt: was changed after " + path +
                "/model.safetensors was written; put the old one back");
  // Before there are weights that know of it.
  const std::string said = message_of<FormatError>([&] { Tokenizer::load(path); });
  EXPECT_NE(said.find("is not in the vocabulary: one of the two files was changed"),
            std::string::npos)
      << said;
}

// As a run leaves it that was killed while it brought its files to their place.
TEST(ModelFolder, WithoutWeightsTheModelInTheCheckpointCounts) {
  const TemporaryFolder folder;
  const std::string path = folder.path("M");
  Config config = test::made_config(OutputKind::kLabel);
  save(path, config, tokenizer_of(TokenizerOptions::Kind::kWord));
  config.output.names = {"x", "y", "z"};
  save(run_folder(path), config, tokenizer_of(TokenizerOptions::Kind::kCharacter));
  EXPECT_NE(load_model(path).model->config().output.names, config.output.names);
  std::filesystem::remove(path + "/model.safetensors");
  EXPECT_EQ(load_model(path).model->config().output.names, config.output.names);
  EXPECT_EQ(load_config(path).output.names, config.output.names);
}

}  // namespace
}  // namespace heed
