#include "heed/base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

// From RFC 3720, B.4, and the catalogue of CRCs.
TEST(Checksum, IsThatOfThePublishedExamples) {
  EXPECT_EQ(checksum(""), 0u);
  EXPECT_EQ(checksum("123456789"), 0xE3069283u);
  EXPECT_EQ(checksum(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(checksum(std::string(32, '\xFF')), 0x62A8AB43u);
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising += byte;
  EXPECT_EQ(checksum(rising), 0x46DD794Eu);
}

TEST(Checksum, DoesNotDependOnHowTheBytesWereDivided) {
  const std::string bytes = "every query row attends to the rows of its own sequence";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Checksum parts;
    parts.add(std::string_view(bytes).substr(0, cut));
    parts.add(std::string_view(bytes).substr(cut));
    EXPECT_EQ(parts.value(), checksum(bytes)) << "cut at " << cut;
  }
}

TEST(Checksum, NoticesEverySingleBit) {
  std::string bytes(100, 'a');
  const std::uint32_t right = checksum(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(checksum(bytes), right) << "bit " << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

}  // namespace
}  // namespace heed
