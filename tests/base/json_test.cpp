#include "heed/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed {
namespace {

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string parse_message(std::string_view text) {
  return message([&] { Json::parse(text, "c.json"); });
}

TEST(Json, WhatIsNotJsonIsRefusedWithLineAndColumn) {
  EXPECT_EQ(parse_message("{\n  \"a\": eight\n}"), "c.json:2:8: not JSON: invalid literal");
  EXPECT_EQ(parse_message("{\"a\": 1"),
            "c.json:1:8: not JSON: unexpected end of input; expected '}'");
  EXPECT_EQ(parse_message("").substr(0, 34), "c.json:1:1: not JSON: unexpected e");
  EXPECT_EQ(parse_message("{\"a\": \"\xff\"}").substr(0, 40),
            "c.json:1:8: not JSON: invalid string: il");
  EXPECT_EQ(parse_message("[1e999]").substr(0, 32), "c.json: not JSON: number overflo");
}

TEST(Json, AKeyThatStandsTwiceIsRefusedWithItsPlace) {
  EXPECT_EQ(parse_message(R"({"a": {"b": 1, "c": {}, "b": 2}})"),
            "c.json: a.b: stands there twice; keep one");
  EXPECT_EQ(parse_message(R"({"a": {"b": 1}, "c": {"b": 2}})"), "nothing was thrown");
}

TEST(Json, DeepNestingIsRefused) {
  EXPECT_EQ(parse_message(std::string(100000, '[')), "c.json: values are nested more than 64 deep");
  EXPECT_EQ(parse_message(std::string(60, '[') + std::string(60, ']')), "nothing was thrown");
}

TEST(Json, ValuesOfAnotherTypeAreRefusedWithTheirPlace) {
  const Json json = Json::parse(
      R"({"b": true, "i": -3, "big": 18446744073709551615, "f": 1.5, "s": "x", "l": [1, "2"], "o": {}})",
      "c.json");
  EXPECT_EQ(message([&] { json["s"].boolean(); }), "c.json: s: expected true or false, got \"x\"");
  EXPECT_EQ(message([&] { json["f"].whole(); }), "c.json: f: expected a whole number, got 1.5");
  EXPECT_EQ(message([&] { json["big"].whole(); }),
            "c.json: big: expected a whole number, got 18446744073709551615");
  EXPECT_EQ(json["big"].natural(), 18446744073709551615u);
  EXPECT_EQ(message([&] { json["i"].natural(); }),
            "c.json: i: expected a whole number of at least 0, got -3");
  EXPECT_EQ(message([&] { json["b"].number(); }), "c.json: b: expected a number, got true");
  EXPECT_EQ(message([&] { json["o"].text(); }),
            "c.json: o: expected a text in quotation marks, got an object");
  EXPECT_EQ(message([&] { json["l"].list()[1].whole(); }),
            "c.json: l[1]: expected a whole number, got \"2\"");
  EXPECT_EQ(message([&] { json["l"].keys(); }), "c.json: l: expected an object, got a list");
  EXPECT_EQ(message([&] { (void)json["none"]; }), "c.json: the key \"none\" is missing");
  EXPECT_EQ(message([&] { Json::parse("1e39", "c.json").single(); }),
            "c.json: expected a number between −3.4e38 and 3.4e38, got 1e+39");
}

TEST(Json, ALongTextIsQuotedInPart) {
  const std::string text = "\"" + std::string(58, 'a') + "ééé\"";
  EXPECT_EQ(message([&] { Json::parse(text, "c.json").boolean(); }),
            "c.json: expected true or false, got \"" + std::string(58, 'a') + "…\"");
}

TEST(Json, LimitsAreKeptAndSaid) {
  const Json one = Json::parse("1", "c");
  EXPECT_EQ(one.whole(at_least(1)), 1);
  EXPECT_EQ(one.number(between(0, 1)), 1.0);
  EXPECT_EQ(message([&] { one.whole(at_least(2)); }),
            "c: expected a whole number of at least 2, got 1");
  EXPECT_EQ(message([&] { one.number(above(1)); }), "c: expected a number above 1, got 1");
  EXPECT_EQ(message([&] { one.number(between(2, 3.5)); }),
            "c: expected a number from 2 to 3.5, got 1");
  EXPECT_EQ(message([&] { one.number(part_of_one()); }),
            "c: expected a number of at least 0 and below 1, got 1");
}

TEST(Json, TextIsWrittenInOrderAndReadBack) {
  const JsonText text;
  text.root()["z"].set(0.1f);
  text.root()["a"].append().set(std::int64_t{-1});
  text.root()["a"].append().set(std::string_view("é\n\""));
  text.root()["n"].set_null();
  EXPECT_EQ(text.line(), R"({"z":0.1,"a":[-1,"é\n\""],"n":null})");
  const Json json = Json::parse(text.pages(), "c");
  EXPECT_EQ(json["z"].single(), 0.1f);
  EXPECT_EQ(json["a"].list()[1].text(), "é\n\"");
  EXPECT_TRUE(json["n"].is_null());
}

TEST(Json, EveryFloatComesBackToTheBit) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t bits = random.next();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const JsonText text;
    text.root().set(value);
    ASSERT_EQ(Json::parse(text.line(), "c").single(), value) << "bits " << bits;
  }
}

TEST(Json, WhatJsonCannotHoldIsRefused) {
  const JsonText text;
  EXPECT_THROW(text.root().set(std::numeric_limits<double>::infinity()), FormatError);
  EXPECT_THROW(text.root().set(std::numeric_limits<float>::quiet_NaN()), FormatError);
  text.root().set(std::string_view("\xff"));
  EXPECT_THROW(text.line(), FormatError);
}

}  // namespace
}  // namespace heed
