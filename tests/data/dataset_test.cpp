#include "heed/data/dataset.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/error.h"
#include "tests/data/records.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::for_tags;
using test::has_answer;
using test::label_of;
using test::message_of;
using test::shown;
using test::Strings;
using test::tags_of;
using test::TemporaryFolder;
using test::text_of;

TEST(ReadDataset, FilesComeOneAfterAnother) {
  const TemporaryFolder folder;
  const std::string first = folder.write("a.csv", "id,Review,stars\n1,caf\xE9,x\n2,tea,y\n");
  const std::string second = folder.write("b.jsonl", "{\"text\": \"t\", \"label\": \"x\"}\n");
  const std::string third = folder.write("c.csv", "text,label\n\xE9,z\n");
  const Dataset data = read_dataset({first, second, third}, {});
  EXPECT_EQ(shown(data.records), (Strings{"x|café@2", "y|tea@3", "x|t@1", "z|é@2"}));
  EXPECT_EQ(data[0].place.text(), first + ":2");
  EXPECT_EQ(data[2].place.text(), second + ":1");
  EXPECT_EQ(data[0].place.file, data[1].place.file) << "a file's name is there once";
  EXPECT_EQ(data.repaired, 2);
  EXPECT_EQ(data.columns.text, "Review") << "of the first file";
  EXPECT_EQ(data.columns.label, "stars");
}

TEST(ReadDataset, TagsComeWithTheirColumn) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.conll", "a X B\nb Y O\n\nc X O\n");
  const Dataset data = read_dataset({path}, for_tags());
  ASSERT_EQ(data.size(), 2);
  EXPECT_EQ(tags_of(data[0]), (Strings{"B", "O"}));
  EXPECT_EQ(data.columns.tag, "3");
  EXPECT_EQ(data.columns.count, 3);
}

TEST(ReadDataset, AFileWithoutARecordIsRefusedWhereverItStands) {
  const TemporaryFolder folder;
  const std::string full = folder.write("full.csv", "text,label\na,b\n");
  const std::string header = folder.write("header.csv", "text,label\n");
  for (const std::vector<std::string>& paths : {Strings{header, full}, Strings{full, header}}) {
    EXPECT_EQ(message_of<FormatError>([&] { read_dataset(paths, {}); }),
              header + ": has no examples");
  }
  EXPECT_EQ(read_dataset({}, {}).size(), 0);
}

TEST(Record, ItsPlaceIsAFileALineOrANumber) {
  const auto file = std::make_shared<const std::string>("news.csv");
  EXPECT_EQ((Place{file, 1841}.text()), "news.csv:1841");
  EXPECT_EQ((Place{file, 0}.text()), "news.csv");
  EXPECT_EQ((Place{nullptr, 3}.text()), "record 3");
}

TEST(Record, ItsSizeIsThatOfItsContent) {
  EXPECT_EQ(content_bytes(make_record(Text{"café"}, Label{"a label"}, "group")), 5);
  EXPECT_EQ(content_bytes(make_record(Text{""})), 0);
  EXPECT_EQ(content_bytes(make_record(Sentence{{"a", "bc"}})), 5) << "with what divides words";
  EXPECT_FALSE(has_answer(make_record(Text{"a"})));
}

// Millions of lines are kept in memory.
TEST(Record, IsSmall) { EXPECT_LE(sizeof(Record), 120u); }

struct Made {
  std::string label, group;
};

Dataset made_dataset(const std::vector<Made>& examples) {
  const auto file = std::make_shared<const std::string>("x.csv");
  Dataset data;
  for (const Made& example : examples) {
    Record record = make_record(Text{fmt::format("text {}", data.size() + 1)}, Label{example.label},
                                example.group);
    record.place = {file, data.size() + 2};
    data.records.push_back(std::move(record));
  }
  return data;
}

// Groups of 1 to 7 examples, with three classes among them.
Dataset many(Index groups) {
  std::vector<Made> examples;
  for (Index group = 0; group < groups; ++group) {
    for (Index i = 0; i < 1 + group * 5 % 7; ++i) {
      examples.push_back({std::string(1, static_cast<char>('a' + (group + i) % 3)),
                          fmt::format("group {}", group)});
    }
  }
  return made_dataset(examples);
}

std::set<std::string> groups_in(const Dataset& data, const std::vector<Index>& members) {
  std::set<std::string> groups;
  for (const Index member : members) groups.insert(data[member].extras->group);
  return groups;
}

// Every record is on one side, each side in the order of the data.
void expect_split_of(const Dataset& data, const Split& parts) {
  std::vector<Index> all;
  std::merge(parts.train.begin(), parts.train.end(), parts.held_out.begin(), parts.held_out.end(),
             std::back_inserter(all));
  ASSERT_EQ(std::ssize(all), data.size());
  for (Index i = 0; i < data.size(); ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
}

TEST(Split, AGroupIsOnOneSide) {
  const Dataset data = many(100);
  for (const double share : {0.05, 0.1, 0.3, 0.5}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Split parts = split(data, share, seed);
      expect_split_of(data, parts);
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
  const Dataset data = many(100);
  EXPECT_EQ(split(data, 0.1, 3).held_out, split(data, 0.1, 3).held_out);
  EXPECT_NE(split(data, 0.1, 3).held_out, split(data, 0.1, 4).held_out);
}

TEST(Split, EveryClassIsLearnedFrom) {
  std::vector<Made> examples;
  for (int i = 0; i < 40; ++i) examples.push_back({"often", fmt::format("group {}", i)});
  examples.push_back({"rare", "one"});
  examples.push_back({"rare", "one"});
  const Dataset data = made_dataset(examples);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_TRUE(groups_in(data, split(data, 0.5, seed).train).contains("one"));
  }
}

TEST(Split, EveryClassHasTheSameShare) {
  std::vector<Made> examples;
  for (int i = 0; i < 150; ++i) examples.push_back({i % 3 == 0 ? "a" : "b", ""});
  examples.push_back({"rare", ""});
  examples.push_back({"rare", ""});
  const Dataset data = made_dataset(examples);
  const Split parts = split(data, 0.2, 1);
  expect_split_of(data, parts);
  std::map<std::string, Index> held_out;
  for (const Index member : parts.held_out) ++held_out[label_of(data[member])];
  EXPECT_EQ(held_out, (std::map<std::string, Index>{{"a", 10}, {"b", 20}, {"rare", 1}}));
}

TEST(Split, WithoutAGroupAnExampleStandsAlone) {
  std::vector<Made> examples;
  for (int i = 0; i < 100; ++i) examples.push_back({i % 2 == 0 ? "a" : "b", ""});
  EXPECT_EQ(split(made_dataset(examples), 0.2, 1).held_out.size(), 20u);
  // Beside others that have one too.
  examples[0].group = examples[1].group = "pair";
  const Dataset data = made_dataset(examples);
  const Split parts = split(data, 0.2, 1);
  expect_split_of(data, parts);
  EXPECT_NEAR(static_cast<double>(parts.held_out.size()), 20.0, 1.0);
}

TEST(Split, SentencesAreDealtWhateverTheirTags) {
  Dataset data;
  for (int i = 0; i < 50; ++i) {
    data.records.push_back(make_record(Sentence{{"word"}}, Tags{{i < 2 ? "RARE" : "NN"}}));
  }
  const Split parts = split(data, 0.1, 1);
  expect_split_of(data, parts);
  EXPECT_EQ(parts.held_out.size(), 5u);
}

TEST(Split, NearlyEverythingInOneGroupIsRefused) {
  for (const int others : {0, 1, 9}) {
    std::vector<Made> examples;
    for (int i = 0; i < 100; ++i) {
      examples.push_back({i % 2 == 0 ? "a" : "b", i < others ? fmt::format("g{}", i) : "most"});
    }
    EXPECT_EQ(message_of<FormatError>([&] { split(made_dataset(examples), 0.1, 1); }),
              fmt::format("x.csv:{}: {} of 100 examples are in the group \"most\", and a group "
                          "stays together, so that 10 % cannot be held out; choose another "
                          "--group-column, or give --dev",
                          others + 2, 100 - others));
  }
}

TEST(Divide, KeepsTheOrderAndMovesTheRecords) {
  Dataset data = many(20);
  data.columns.text = "Review";
  std::vector<std::string> texts;
  std::vector<const char*> where;  // the bytes of each text
  for (Record& record : data.records) {
    std::string& text = std::get<Text>(record.content).text;
    text += ", which is too long to be kept inside of a string";
    texts.push_back(text);
    where.push_back(text.data());
  }
  const Split parts = split(data, 0.3, 1);
  const auto [train, held_out] = divide(std::move(data), parts);
  for (const auto& [part, members] :
       {std::pair(&train, &parts.train), std::pair(&held_out, &parts.held_out)}) {
    ASSERT_GT(part->size(), 0);
    ASSERT_EQ(part->size(), std::ssize(*members));
    EXPECT_EQ(part->columns.text, "Review");
    for (Index i = 0; i < part->size(); ++i) {
      const auto member = static_cast<std::size_t>((*members)[static_cast<std::size_t>(i)]);
      const Record& record = (*part)[i];
      EXPECT_EQ(text_of(record), texts[member]);
      EXPECT_EQ(text_of(record).data(), where[member]) << "it was copied";
      EXPECT_EQ(record.place.line, static_cast<Index>(member) + 2);
    }
  }
}

std::uint64_t fingerprint_of(const std::vector<Record>& records) {
  Dataset data;
  data.records.assign(records.begin(), records.end());
  return fingerprint(data);
}

TEST(Fingerprint, ChangesWithWhateverIsLearnedFrom) {
  const Record record = make_record(Text{"text"}, Label{"label"}, "group");
  const std::vector<std::vector<Record>> different = {
      {},
      {record},
      {record, record},
      {make_record(Text{"texts"}, Label{"label"}, "group")},
      {make_record(Text{"Text"}, Label{"label"}, "group")},
      {make_record(Text{"text"}, Label{"other"}, "group")},
      {make_record(Text{"text"}, Label{"label"}, "other")},
      {make_record(Text{"text"}, Label{"label"})},
      {make_record(Text{"text"}, {}, "group")},
      {make_record(Text{""}, Label{"label"}, "group")},
      {make_record(Text{std::string("text\0", 5)}, Label{"label"}, "group")},
      {make_record(Text{"a text of many bytes"}, Label{"label"}, "group")},
      {make_record(Text{"a text of many bytez"}, Label{"label"}, "group")},
  };
  std::set<std::uint64_t> found;
  for (const auto& records : different) found.insert(fingerprint_of(records));
  EXPECT_EQ(found.size(), different.size());
}

TEST(Fingerprint, ChangesWithTheGroups) {
  EXPECT_NE(fingerprint(made_dataset({{"a", "x"}, {"b", "y"}})),
            fingerprint(made_dataset({{"a", "x"}, {"b", "x"}})));
}

TEST(Fingerprint, ChangesWithTheOrder) {
  const Record a = make_record(Text{"a"}, Label{"x"}), b = make_record(Text{"b"}, Label{"x"});
  EXPECT_NE(fingerprint_of({a, b}), fingerprint_of({b, a}));
}

TEST(Fingerprint, ChangesWithTheBorderBetweenTwoFields) {
  const std::vector<std::pair<std::vector<Record>, std::vector<Record>>> moved = {
      // Between texts, and between a text and its label.
      {{make_record(Text{"ab"}), make_record(Text{"c"})},
       {make_record(Text{"a"}), make_record(Text{"bc"})}},
      {{make_record(Text{"ab"}, Label{"c"})}, {make_record(Text{"a"}, Label{"bc"})}},
      // Between words, between sentences, between tags.
      {{make_record(Sentence{{"ab", "c"}})}, {make_record(Sentence{{"a", "bc"}})}},
      {{make_record(Sentence{{"a", "b"}}), make_record(Sentence{{"c"}})},
       {make_record(Sentence{{"a"}}), make_record(Sentence{{"b", "c"}})}},
      {{make_record(Sentence{{"a"}}, Tags{{"XY", "Z"}})},
       {make_record(Sentence{{"a"}}, Tags{{"X", "YZ"}})}},
      {{make_record(Sentence{{"a", "B"}}, Tags{{"C"}})},
       {make_record(Sentence{{"a"}}, Tags{{"B", "C"}})}},
      // Between a label and a group, and between the group and the next text.
      {{make_record(Text{"a"}, Label{"b"}, "")}, {make_record(Text{"a"}, {}, "b")}},
      {{make_record(Text{"a"}, Label{"bc"}, "d")}, {make_record(Text{"a"}, Label{"b"}, "cd")}},
      {{make_record(Text{"a"}, {}, "bc"), make_record(Text{"d"})},
       {make_record(Text{"a"}, {}, "b"), make_record(Text{"cd"})}},
      // Between kinds: a text is not a sentence of one word, a label not a single tag.
      {{make_record(Text{"a"})}, {make_record(Sentence{{"a"}})}},
      {{make_record(Text{"a"}, Label{"b"})}, {make_record(Text{"a"}, Tags{{"b"}})}},
      {{make_record(Text{"a"}, Label{""})}, {make_record(Text{"a"})}},
      {{make_record(Sentence{{"a"}}, Tags{})}, {make_record(Sentence{{"a"}})}},
  };
  for (std::size_t i = 0; i < moved.size(); ++i) {
    EXPECT_NE(fingerprint_of(moved[i].first), fingerprint_of(moved[i].second)) << i;
  }
}

TEST(Fingerprint, DoesNotChangeWithThePlace) {
  Record record = make_record(Text{"text"}, Label{"label"});
  const std::uint64_t before = fingerprint_of({record});
  record.place = {std::make_shared<const std::string>("moved.csv"), 12};
  EXPECT_EQ(fingerprint_of({record}), before);
}

// The numbers are those of a Python program of the same rules: SplitMix64 over counts, kinds and
// blocks of eight bytes, the lowest first.
TEST(Fingerprint, IsTheSameOnEveryPlatform) {
  EXPECT_EQ(fingerprint_of({}), 0xA706DD2F4D197E6Fu);
  EXPECT_EQ(fingerprint_of({make_record(Text{"a café of many bytes"}, Label{"good"}, "who"),
                            make_record(Text{""}),
                            make_record(Sentence{{"New", "York"}}, Tags{{"B", "I"}})}),
            0x2865169267C69557u);
}

// The same share of every class, at even distances, and at least one of each.
TEST(Dataset, SomeRecordsAreKept) {
  std::vector<Made> examples;
  for (int i = 0; i < 900; ++i) examples.push_back({i % 3 == 0 ? "a" : "b", ""});
  examples.push_back({"rare", ""});
  Dataset data = made_dataset(examples);
  keep_some(data, 0);
  keep_some(data, 5000);
  EXPECT_EQ(data.size(), 901);
  keep_some(data, 90);
  std::map<std::string, int> counts;
  Index line = 0;
  for (const Record& record : data.records) {
    ++counts[std::get<Label>(record.answer).name];
    EXPECT_GT(record.place.line, line) << "in the order of the data";
    line = record.place.line;
  }
  EXPECT_NEAR(counts["a"], 30, 1);
  EXPECT_NEAR(counts["b"], 60, 1);
  EXPECT_EQ(counts["rare"], 1);
}

}  // namespace
}  // namespace heed
