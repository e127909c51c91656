#include "heed/train/text_data.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"

namespace heed {
namespace {

struct Made {
  std::string label, group;
};

TextData made(const std::vector<Made>& examples) {
  TextData data;
  for (const Made& example : examples) {
    data.places.push_back(fmt::format("x.csv:{}", data.places.size() + 2));
    data.texts.push_back(fmt::format("text {}", data.places.size()));
    data.labels.push_back(example.label);
    data.groups.push_back(example.group);
  }
  return data;
}

// Groups of 1 to 7 examples, with three classes among them.
TextData many(Index groups) {
  std::vector<Made> examples;
  for (Index group = 0; group < groups; ++group) {
    for (Index i = 0; i < 1 + group * 5 % 7; ++i) {
      examples.push_back({std::string(1, static_cast<char>('a' + (group + i) % 3)),
                          fmt::format("group {}", group)});
    }
  }
  return made(examples);
}

std::set<std::string> groups_in(const TextData& data, const std::vector<Index>& members) {
  std::set<std::string> groups;
  for (const Index member : members) groups.insert(data.groups[static_cast<std::size_t>(member)]);
  return groups;
}

TEST(Split, AGroupIsOnOneSide) {
  const TextData data = many(100);
  for (const double share : {0.05, 0.1, 0.3, 0.5}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Split parts = split(data, share, seed);
      EXPECT_EQ(std::ssize(parts.train) + std::ssize(parts.held_out), data.size());
      const std::set<std::string> train = groups_in(data, parts.train);
      for (const std::string& group : groups_in(data, parts.held_out)) {
        EXPECT_FALSE(train.contains(group)) << group;
      }
      EXPECT_NEAR(static_cast<double>(parts.held_out.size()),
                  share * static_cast<double>(data.size()), 4.0);
    }
  }
}

TEST(Split, ItIsAFunctionOfTheSeed) {
  const TextData data = many(100);
  EXPECT_EQ(split(data, 0.1, 3).held_out, split(data, 0.1, 3).held_out);
  EXPECT_NE(split(data, 0.1, 3).held_out, split(data, 0.1, 4).held_out);
}

TEST(Split, EveryClassIsLearnedFrom) {
  std::vector<Made> examples;
  for (int i = 0; i < 40; ++i) examples.push_back({"often", fmt::format("group {}", i)});
  examples.push_back({"rare", "one"});
  examples.push_back({"rare", "one"});
  const TextData data = made(examples);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_TRUE(groups_in(data, split(data, 0.5, seed).train).contains("one"));
  }
}

TEST(Split, WithoutAGroupAnExampleStandsAlone) {
  std::vector<Made> examples;
  for (int i = 0; i < 100; ++i) examples.push_back({i % 2 == 0 ? "a" : "b", ""});
  EXPECT_EQ(split(made(examples), 0.2, 1).held_out.size(), 20u);
}

TEST(Split, NearlyEverythingInOneGroupIsRefused) {
  for (const int others : {0, 1, 9}) {
    std::vector<Made> examples;
    for (int i = 0; i < 100; ++i) {
      examples.push_back({i % 2 == 0 ? "a" : "b", i < others ? fmt::format("g{}", i) : "most"});
    }
    try {
      split(made(examples), 0.1, 1);
      ADD_FAILURE() << "it was split";
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format("x.csv:{}: {} of 100 examples are in the group \"most\", and a group "
                            "stays together, so that 10 % cannot be held out; choose another "
                            "--group-column, or give --dev",
                            others + 2, 100 - others));
    }
  }
}

TEST(Fingerprint, ChangesWithTheGroups) {
  EXPECT_NE(fingerprint(made({{"a", "x"}, {"b", "y"}})),
            fingerprint(made({{"a", "x"}, {"b", "x"}})));
}

}  // namespace
}  // namespace heed
