#include "core/base/packing.h"

#include <gtest/gtest.h>

namespace redflag {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
struct Point {
  std::int32_t x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
struct Thing {
  std::string name;
  std::uint16_t count = 0;
  double weight = 0;
  bool is_new = false;
  Colour colour = Colour::kRed;
  std::vector<std::string> words;
  std::vector<bool> marks;
  std::vector<Point> points;
  friend bool operator==(const Thing&, const Thing&) = default;
};
template <typename Io>
void visit(Io& io, Thing& thing) {
  io.text(thing.name);
  io.number(thing.count);
  io.number(thing.weight);
  io.flag(thing.is_new);
  io.choice(thing.colour, Colour::kGreen);
  io.list(thing.words, [&](std::string& word) { io.text(word); });
  io.flags(thing.marks);
  io.raw(thing.points);
}

Thing sample() {
  return {"lamp", 7, 0.5, true, Colour::kGreen, {"a", ""}, {true, false, true}, {{1, -2}, {3, 4}}};
}
std::string packed(Thing thing) {
  Packer packer;
  visit(packer, thing);
  return packer.out;
}

TEST(Packing, GivesBackWhatItTook) {
  const std::string bytes = packed(sample());
  Unpacker unpacker{.in = bytes};
  Thing back;
  visit(unpacker, back);
  EXPECT_TRUE(unpacker.is_done());
  EXPECT_EQ(back, sample());
}

TEST(Packing, RefusesWhatIsNotWhole) {
  const std::string whole = packed(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Unpacker unpacker{.in = std::string_view(whole).substr(0, size)};
    Thing back;
    visit(unpacker, back);
    EXPECT_FALSE(unpacker.is_done()) << size;
  }
  Unpacker unpacker{.in = whole};
  EXPECT_FALSE(unpacker.is_done()) << "nothing was taken yet";
}

TEST(Packing, RefusesWhatIsNoValue) {
  Unpacker flag{.in = "\2"};
  bool is = false;
  flag.flag(is);
  EXPECT_TRUE(flag.bad);
  Unpacker choice{.in = "\2"};
  Colour colour = Colour::kRed;
  choice.choice(colour, Colour::kGreen);
  EXPECT_TRUE(choice.bad);
}

TEST(Packing, RefusesCountsBeyondTheBytes) {
  const std::string many(8, '\x7f');
  Unpacker texts{.in = many};
  std::string text;
  texts.text(text);
  EXPECT_TRUE(texts.bad);
  Unpacker raws{.in = many};
  std::vector<Point> points;
  raws.raw(points);
  EXPECT_TRUE(raws.bad);
  EXPECT_TRUE(points.empty());
}

}  // namespace
}  // namespace redflag
