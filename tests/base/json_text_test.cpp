#include "heed/base/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace heed {
namespace {

TEST(JsonText, NestsAndIndents) {
  JsonText json;
  json.begin_object().key("a").value(1).key("b").begin_array().value(true).null().end_array();
  json.key("c").begin_array(JsonText::kOneLine).value(0.5).begin_object().key("d").value("e");
  json.end_object().end_array().key("empty").begin_object().end_object().end_object();
  EXPECT_EQ(json.text(),
            "{\n"
            "  \"a\": 1,\n"
            "  \"b\": [\n"
            "    true,\n"
            "    null\n"
            "  ],\n"
            "  \"c\": [0.5, {\"d\": \"e\"}],\n"
            "  \"empty\": {}\n"
            "}");
}

TEST(JsonText, EscapesWhatJsonCannotHold) {
  JsonText json;
  json.value(std::string_view("\"\\/\n\r\t\x01\0é日😀\xFF", 18));
  EXPECT_EQ(json.text(), "\"\\\"\\\\/\\n\\r\\t\\u0001\\u0000é日😀\xEF\xBF\xBD\"");
}

TEST(JsonText, NumbersReadBackAsThemselves) {
  for (const double number : {0.1, 1.0 / 3.0, 1e300, -2.5e-310, 123456789.0}) {
    JsonText json;
    json.value(number);
    EXPECT_EQ(std::strtod(json.text().c_str(), nullptr), number);
  }
  JsonText json;
  json.begin_array(JsonText::kOneLine).value(std::nan("")).value(-INFINITY);
  json.value(std::numeric_limits<long long>::min()).end_array();
  EXPECT_EQ(json.text(), "[null, null, -9223372036854775808]");
}

}  // namespace
}  // namespace heed
