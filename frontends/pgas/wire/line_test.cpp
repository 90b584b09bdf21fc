#include "frontends/pgas/wire/line.h"

#include <gtest/gtest.h>

namespace redflag::pgas {
namespace {

RaceLine sample() {
  RaceLine line;
  line.model = 1;
  line.gap = 3;
  line.owner = 7;
  line.begin = 0x7f0000001000;
  line.size = 12;
  line.object = "my window\t100%";
  line.object_base = 0x7f0000000000;
  line.object_size = 1 << 20;
  line.first = {3, 0, 0, true, 0x7f0000001000, 4096, {{"/a b/app", 0x1234, true}, {"", 5, false}}};
  line.second = {1, 7, 2, false, 0x7f0000001000, 12, {}};
  return line;
}

TEST(Line, ComesBackAsItWas) {
  const std::string text = write_line(sample());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const std::optional<RaceLine> read = read_line(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, sample());
  EXPECT_EQ(read_line(write_line(RaceLine{})), RaceLine{});
}

// A job that is killed leaves half a line.
TEST(Line, NoPartOfALineIsALine) {
  const std::string text = write_line(sample());
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::optional<RaceLine> read = read_line(std::string_view(text).substr(0, n));
    // Cut within the last number, a shorter one remains.
    EXPECT_TRUE(!read.has_value() || n > text.find_last_of('\t'));
  }
}

TEST(Line, OtherThingsAreNone) {
  for (const char* text : {"", "R", "X\t1", "R\tone", "R\t1\t2\t3\t4\t5\t%zz\t0\t0", "\t\t\t"}) {
    EXPECT_FALSE(read_line(text).has_value()) << text;
  }
  EXPECT_FALSE(read_line(write_line(sample()) + "\t1").has_value());
}

// More frames than there are, and more than anybody wants.
TEST(Line, CountsAreNotBelieved) {
  const std::string text = "R\t0\t0\t0\t0\t0\t%\t0\t0\t0\t0\t0\t0\t0\t0\t18446744073709551615";
  EXPECT_FALSE(read_line(text).has_value());
}

TEST(MisuseLine, ComesBackAsItWas) {
  MisuseLine line;
  line.misuse = static_cast<std::uint32_t>(Misuse::kOutOfBounds);
  line.target = 3;
  line.object = "window 2";
  line.object_size = 256;
  line.found = "Bytes 256 to 260 of a part of 256 bytes.";
  line.side.kind = 1;
  line.side.rank = 7;
  line.side.begin = 256;
  line.side.size = 4;
  line.side.stack = {{"/usr/lib/libmpi.so", 0x10, true}, {"/home/a b/app", 0x1234, false}};
  const std::string text = write_line(line);
  EXPECT_EQ(read_misuse(text), line);
  EXPECT_FALSE(read_line(text).has_value());
  EXPECT_FALSE(read_misuse(text.substr(0, text.size() - 8)).has_value());
  EXPECT_FALSE(read_misuse(write_line(RaceLine())).has_value());
}

TEST(LossLine, ComesBackAsItWas) {
  const LossLine line{3, 1'000'000'000'000};
  EXPECT_EQ(read_loss(write_line(line)), line);
  EXPECT_FALSE(read_loss("L\t3").has_value());
  EXPECT_FALSE(read_loss("L\t3\t4\t5").has_value());
  EXPECT_FALSE(read_loss(write_line(MisuseLine())).has_value());
  EXPECT_FALSE(read_line(write_line(line)).has_value());
}

}  // namespace
}  // namespace redflag::pgas
