#include "heed/data/text/csv.h"

#include <gtest/gtest.h>

#include "tests/data/records.h"

namespace heed {
namespace {

using test::read_records;
using test::refusal;
using test::shown;
using test::Strings;

TEST(Csv, NamedColumnsInAnyOrderWithOthersBetween) {
  EXPECT_EQ(shown(read_records("x.csv", "text,label\nhello,a\nworld,b\n")),
            (Strings{"a|hello@2", "b|world@3"}));
  EXPECT_EQ(shown(read_records("x.csv", "id,Category,x,Review\n1, good ,_,fine\n")),
            (Strings{"good|fine@2"}));
  EXPECT_EQ(
      shown(read_records("x.csv", "id,a,b\n1,2,3\n", {.text_column = "b", .label_column = "A"})),
      (Strings{"2|3@2"}));
  EXPECT_EQ(shown(read_records("x.csv", "kind,text\nk,t\n")), (Strings{"k|t@2"}));
  EXPECT_EQ(shown(read_records("x.csv", "words of it,label\nt,k\n")), (Strings{"k|t@2"}));
}

TEST(Csv, ColumnsThatAModelKnowsComeBeforeGuesses) {
  ReadOptions options;
  options.known = {.text = "title", .label = "kind"};
  const std::string rows = "text,title,label,kind\n1,2,3,4\n";
  EXPECT_EQ(shown(read_records("x.csv", rows, options)), (Strings{"4|2@2"}));
  EXPECT_EQ(shown(read_records("x.jsonl",
                               "{\"text\": \"1\", \"title\": \"2\", \"label\": \"3\", "
                               "\"kind\": \"4\"}\n",
                               options)),
            (Strings{"4|2@1"}));
  options.label_column = "label";
  EXPECT_EQ(shown(read_records("x.csv", rows, options)), (Strings{"3|2@2"}));
  // Where the file does not have them, all is as it was.
  options.label_column.clear();
  EXPECT_EQ(shown(read_records("x.csv", "text,label\n1,3\n", options)), (Strings{"3|1@2"}));
  const auto source =
      open_text(LineReader(ByteSource::memory("x.csv", "id,Review,stars\n1,2,3\n")), {});
  EXPECT_EQ(source->columns().text, "Review");
  EXPECT_EQ(source->columns().label, "stars");
}

TEST(Csv, AHeaderWithAnotherMarkNamesTheFlagThatHelps) {
  EXPECT_EQ(refusal("x.csv", "text|label\na|b\n"),
            "x.csv:1: no commas in \"text|label\", expected names of columns; if a pipe stands "
            "between columns, say --delimiter pipe");
  EXPECT_EQ(refusal("x.tsv", "text^label\na^b\n"),
            "x.tsv:1: no tabs in \"text^label\", expected names of columns; if ^ stands between "
            "columns, say --delimiter ^");
  const ReadOptions optional{.answers = Answers::kOptional};
  EXPECT_NE(refusal("x.csv", "id|text\n1|b\n", optional).find("--delimiter pipe"),
            std::string::npos);
  EXPECT_EQ(shown(read_records("x.csv", "what: it is\na\n", optional)), (Strings{"|a@2"}));
}

TEST(Csv, QuotesHoldDelimitersLineEndsAndDoubledQuotes) {
  EXPECT_EQ(shown(read_records("x.csv",
                               "\"text\",\"label\"\r\n"
                               "\"a, b\",x\r\n"
                               "\"two\r\nlines\",y\r\n"
                               "\"she said \"\"no\"\"\",\"z\"\r\n"
                               "\"\",w\r\n"
                               "in \"the\" middle,\"v\" \r\n")),
            (Strings{"x|a, b@2", "y|two\nlines@3", "z|she said \"no\"@5", "w|@6",
                     "v|in \"the\" middle@7"}));
}

TEST(Csv, TheDelimiterIsFoundInTheHeaderOrChosen) {
  EXPECT_EQ(shown(read_records("x.csv", "text;label\na,b;c\n")), (Strings{"c|a,b@2"}));
  EXPECT_EQ(shown(read_records("x.csv", "text\tlabel\na,b\tc\n")), (Strings{"c|a,b@2"}));
  EXPECT_EQ(shown(read_records("x.tsv", "text\tlabel\na;b\tc\n")), (Strings{"c|a;b@2"}));
  EXPECT_EQ(shown(read_records("x.tsv", "label,text\nc,a\tb\n", {.delimiter = "comma"})),
            (Strings{"c|a\tb@2"}));
  for (const char* delimiter : {"|", "pipe"}) {
    EXPECT_EQ(
        shown(read_records("x.csv", "text|label\na,b|c\n\"a|b\"|c\n", {.delimiter = delimiter})),
        (Strings{"c|a,b@2", "c|a|b@3"}));
  }
  // Whatever the file is called.
  EXPECT_EQ(shown(read_records("x.txt", "text:label\na:c\n", {.delimiter = ":"})),
            (Strings{"c|a@2"}));
  EXPECT_EQ(refusal("x.csv", "text|label\na|b|c\n", {.delimiter = "|"}),
            "x.csv:2: 3 columns, expected 2 (text,label); quote the text if it contains pipes");
  EXPECT_EQ(refusal("x.csv", "text:label\na:b:c\n", {.delimiter = ":"}),
            "x.csv:2: 3 columns, expected 2 (text,label); quote the text if it contains \":\"");
}

TEST(Csv, AWrongDelimiterIsCalledThat) {
  for (const char* wrong : {"||", "x", "7", "\"", " ", "é", "commas"}) {
    EXPECT_EQ(refusal<UsageError>("x.csv", "text,label\n", {.delimiter = wrong}),
              fmt::format("--delimiter \"{}\": expected comma, tab, semicolon, pipe, or a single "
                          "mark such as :",
                          wrong));
  }
  EXPECT_EQ(refusal("x.csv", "text,label\na,b\n", {.delimiter = ";"}),
            "x.csv:1: no semicolons between the names of columns in \"text,label\"; is --delimiter "
            "; right?");
  const ReadOptions predict{.answers = Answers::kOptional, .delimiter = "tab"};
  EXPECT_EQ(refusal("x.csv", "text,label\na,b\n", predict),
            "x.csv:1: no tabs between the names of columns in \"text,label\"; is --delimiter tab "
            "right?");
  // One column, which needs no delimiter.
  EXPECT_EQ(shown(read_records("x.csv", "text\na, b\n", predict)), (Strings{"|a, b@2"}));
}

TEST(Csv, AColumnOfGroupsIsReadWhereItIsAskedFor) {
  const std::string file = "text,label,who\na,b, Ada \nc,d,\n";
  EXPECT_EQ(read_records("x.csv", file)[0].extras->group, "");
  const auto records = read_records("x.csv", file, {.group_column = "who"});
  EXPECT_EQ(records[0].extras->group, "Ada");
  EXPECT_EQ(records[1].extras->group, "");
  EXPECT_EQ(refusal("x.csv", file, {.group_column = "author"}),
            "x.csv:1: no column \"author\"; the columns are text,label,who");
  EXPECT_EQ(refusal<UsageError>("x.csv", file, {.group_column = "label"}),
            "x.csv:1: the column \"label\" is chosen both as group and as label");
  EXPECT_EQ(refusal<UsageError>("x.csv", file, {.group_column = "text"}),
            "x.csv:1: the column \"text\" is chosen both as group and as text");
  EXPECT_EQ(refusal("x.csv", "text,label,who,who\na,b,c,d\n", {.group_column = "who"}),
            "x.csv:1: two columns are named \"who\"; give them names of their own");
  EXPECT_EQ(refusal<UsageError>("x.ft", "__label__a b\n", {.group_column = "who"}),
            "--group-column who: the format fasttext has no use for it");
}

TEST(Csv, InATsvStrayQuotesAreOrdinaryCharacters) {
  EXPECT_EQ(shown(read_records("x.tsv",
                               "text\tlabel\n"
                               "\"open\ta\n"
                               "\"closed\" early\tb\n"
                               "\"two\nlines\"\tc\n"
                               "\"tab\tinside\"\td\n"
                               "5\" wide\te\n"
                               "\"last\tf\n")),
            (Strings{"a|\"open@2", "b|\"closed\" early@3", "c|two\nlines@4", "d|tab\tinside@6",
                     "e|5\" wide@7", "f|\"last@8"}));
  EXPECT_EQ(shown(read_records("x.tsv", "label\ttext\na\t\"two\nlines\"\nb\tc\n")),
            (Strings{"a|two\nlines@2", "b|c@4"}));
}

TEST(Csv, EmptyLinesAndAByteOrderMarkArePassedOver) {
  EXPECT_EQ(shown(read_records("x.csv", "\xEF\xBB\xBFtext,label\n\na,b\n  \nc,d\n\n")),
            (Strings{"b|a@3", "d|c@5"}));
}

TEST(Csv, WhereLabelsAreOptionalTheyMayBeMissing) {
  const ReadOptions optional{.answers = Answers::kOptional};
  EXPECT_EQ(shown(read_records("x.csv", "anything\na\n", optional)), (Strings{"|a@2"}));
  EXPECT_EQ(shown(read_records("x.csv", "id,text\n1,a\n", optional)), (Strings{"|a@2"}));
  EXPECT_EQ(shown(read_records("x.csv", "text,label\na,\nb,c\n", optional)),
            (Strings{"|a@2", "c|b@3"}));
}

TEST(Csv, AWrongNumberOfColumnsIsNamedWithItsLineAndWhatToDo) {
  EXPECT_EQ(refusal("news.csv", "text,label\na,b\nc,d,e\n"),
            "news.csv:3: 3 columns, expected 2 (text,label); quote the text if it contains commas");
  EXPECT_EQ(refusal("news.csv", "text,label\n\"a\nb\",b\nc\n"),
            "news.csv:4: 1 column, expected 2 (text,label); columns are separated by commas, and a "
            "text that goes on over several lines needs quotes");
}

TEST(Csv, AHeaderWithoutTheColumnListsTheColumnsThereAre) {
  EXPECT_EQ(refusal("x.csv", "text,label\na,b\n", {.text_column = "body"}),
            "x.csv:1: no column \"body\"; the columns are text,label");
  EXPECT_EQ(refusal("x.csv", "text,label\na,b\n", {.label_column = "kind"}),
            "x.csv:1: no column \"kind\"; the columns are text,label");
  EXPECT_EQ(refusal("x.csv", "text,a,b\n1,2,3\n"),
            "x.csv:1: cannot tell which column is the label; the columns are text,a,b: choose with "
            "--label-column");
  EXPECT_EQ(refusal("x.csv", "a,b\n1,2\n"),
            "x.csv:1: cannot tell which column is the text; the columns are a,b: choose with "
            "--text-column");
  EXPECT_EQ(refusal("x.csv", "text\na\n"),
            "x.csv:1: there is only the column \"text\", and none for the label");
  EXPECT_EQ(refusal("x.csv", "label\na\n", {.answers = Answers::kOptional}),
            "x.csv:1: there is only the column \"label\", and none for the text");
  EXPECT_EQ(refusal("x.csv", "text,text,label\n1,2,3\n"),
            "x.csv:1: two columns are named \"text\"; give them names of their own");
  EXPECT_EQ(refusal<UsageError>("x.csv", "a,b\n1,2\n", {.text_column = "a", .label_column = "a"}),
            "x.csv:1: the column \"a\" is chosen both as text and as label");
}

TEST(Csv, AFirstLineThatIsAnExampleIsNoticed) {
  EXPECT_EQ(refusal("x.csv", "a fine film.,good\na bad film.,bad\n"),
            "x.csv:1: the first line looks like an example, not like the names of columns (a fine "
            "film.,good); put a line such as text,label above it");
  EXPECT_NE(refusal("x.csv", "3,Wall St\n1,x\n").find("looks like an example"), std::string::npos);
}

TEST(Csv, QuotesThatAreWrongAreReportedWhereTheyBegan) {
  EXPECT_EQ(refusal("x.csv", "text,label\na,b\n\"c,d\ne,f\n"),
            "x.csv:3: a quote that opens here is never closed; a quote inside a quoted text is "
            "written twice");
  EXPECT_EQ(refusal("x.csv", "text,label\n\"a\",\"b\nc\n"),
            "x.csv:2: a quote that opens here is never closed; a quote inside a quoted text is "
            "written twice");
  EXPECT_EQ(refusal("x.csv", "text,label\n\"a\nb\"c,d\n"),
            "x.csv:3: \"c,d\" follows a closing quote; a quote inside a quoted text is written "
            "twice");
}

TEST(Csv, AnEmptyLabelIsRefused) {
  EXPECT_EQ(refusal("x.csv", "text,label\na, \n"), "x.csv:2: the label is empty, expected a label");
}

TEST(Csv, NothingButAnEmptyFileIsEmpty) {
  EXPECT_EQ(refusal("x.csv", ""), "x.csv: is empty");
  EXPECT_EQ(refusal("x.csv", "\n \n"), "x.csv: has empty lines only");
  EXPECT_TRUE(read_records("x.csv", "text,label\n").empty());
}

}  // namespace
}  // namespace heed
