#include "frontends/cuda/fatbin/lz4.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace redflag::fatbin {
namespace {

Result<std::string> decoded(const std::string& block, std::size_t size) {
  std::string out(size, '\0');
  const Result<void> done =
      decode_lz4(std::as_bytes(std::span<const char>(block)), std::span<char>(out));
  if (!done) return Failure(done.error());
  return out;
}

TEST(Lz4, LiteralsAndOverlappingMatch) {
  // "ab", then 8 bytes from 2 back, then "c".
  const std::string block{0x24, 'a', 'b', 2, 0, 0x10, 'c'};
  EXPECT_EQ(*decoded(block, 11), "ababababab" + std::string("c"));
}

TEST(Lz4, LongLengths) {
  // 15 + 5 literals; match of 15 + 4 + 255 + 1.
  std::string block{static_cast<char>(0xff), 5};
  block += std::string(20, 'x');
  block += std::string{1, 0, static_cast<char>(255), 1};
  EXPECT_EQ(*decoded(block, 295), std::string(295, 'x'));
}

TEST(Lz4, WrongInputSaysWhere) {
  EXPECT_NE(decoded({0x50, 'a'}, 5).error().message.find("literals past the end at byte 1"),
            std::string::npos);
  EXPECT_FALSE(decoded({0x14, 'a', 2, 0}, 9));  // before the beginning
  EXPECT_FALSE(decoded({0x14, 'a', 0, 0}, 9));  // distance zero
  EXPECT_FALSE(decoded({0x14, 'a', 1}, 9));     // half a distance
  EXPECT_FALSE(decoded({0x10, 'a'}, 2));        // too little
  EXPECT_FALSE(decoded({0x20, 'a', 'b'}, 1));   // too much
  EXPECT_FALSE(decoded({static_cast<char>(0xf0), static_cast<char>(0xff)}, 600));
}

TEST(Lz4, RandomBytesNeverLeaveTheBuffers) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string block(random() % 40, '\0');
    for (char& c : block) c = static_cast<char>(random() % 4 == 0 ? random() : random() % 32);
    (void)decoded(block, random() % 64);  // ASan looks
  }
}

}  // namespace
}  // namespace redflag::fatbin
