#include "heed/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace heed {
namespace {

const std::vector<std::string> kOptions = {"epochs", "seed", "heads", "label-smoothing", "lr", "x"};

TEST(Nearest, OneSlipOfTheFingersIsUnderstood) {
  EXPECT_EQ(nearest("epoch", kOptions), "epochs");    // left out
  EXPECT_EQ(nearest("eepochs", kOptions), "epochs");  // inserted
  EXPECT_EQ(nearest("epocks", kOptions), "epochs");   // replaced
  EXPECT_EQ(nearest("haeds", kOptions), "heads");     // swapped: one change, not two
  EXPECT_EQ(nearest("Epochs", kOptions), "epochs");   // another case
  EXPECT_EQ(nearest("labelsmothing", kOptions), "label-smoothing");
}

TEST(Nearest, AWordFarFromAllHasNoNeighbour) {
  EXPECT_EQ(nearest("temperature", kOptions), "");
  EXPECT_EQ(nearest("ab", kOptions), "");  // two of two letters
  EXPECT_EQ(nearest("y", kOptions), "");   // one of one letter
  EXPECT_EQ(nearest("", kOptions), "");
  EXPECT_EQ(nearest("epoch", {}), "");
}

TEST(Nearest, TheNearestWinsAndThenTheFirst) {
  const std::vector<std::string> words = {"layered", "layers", "layer"};
  EXPECT_EQ(nearest("layeer", words), "layer");
  EXPECT_EQ(nearest("laxers", words), "layers");
  const std::vector<std::string> equal = {"norm1", "norm2"};
  EXPECT_EQ(nearest("norm3", equal), "norm1");
}

TEST(Nearest, AMessageEndsWithAQuestionOrNothing) {
  EXPECT_EQ("there is no option --epoch" + did_you_mean("epoch", kOptions, "--"),
            "there is no option --epoch; did you mean --epochs?");
  EXPECT_EQ(did_you_mean("haeds", kOptions, "\"", "\""), "; did you mean \"heads\"?");
  EXPECT_EQ(did_you_mean("temperature", kOptions), "");
}

}  // namespace
}  // namespace heed
