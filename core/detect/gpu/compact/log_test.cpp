// Records of the log: what is put in comes out, and the pieces of all lines that a record meets are what
// plain counting says, word by word and lane by lane.
#include "core/detect/gpu/compact/log.h"

#include <gtest/gtest.h>

#include <map>

namespace redflag::gpu::compact {
namespace {

constexpr Pattern kPatterns[] = {Pattern::kWords,   Pattern::kPairs,  Pattern::kQuads,
                                 Pattern::kLow,     Pattern::kHigh,   Pattern::kOneWord,
                                 Pattern::kOnePair, Pattern::kOneQuad};

std::uint32_t bytes_of(Pattern pattern) {
  if (pattern == Pattern::kPairs || pattern == Pattern::kOnePair) return 8;
  return pattern == Pattern::kQuads || pattern == Pattern::kOneQuad ? 16 : 4;
}
bool is_one(Pattern pattern) {
  return pattern >= Pattern::kOneWord;
}

TEST(LogRecord, KeepsWhatItIsMadeOf) {
  for (const Pattern pattern : kPatterns) {
    for (const std::uint64_t address : {std::uint64_t{0x7F1234567890}, std::uint64_t{128}}) {
      for (const bool writes : {false, true}) {
        for (const std::uint32_t site : {1U, 300U, (1U << kSiteBits) - 1}) {
          const Record record = Record::of(address, writes, site, pattern);
          EXPECT_EQ(record.address(), address);
          EXPECT_EQ(record.writes(), writes);
          EXPECT_EQ(record.site(), site);
          EXPECT_EQ(record.pattern(), pattern);
          EXPECT_EQ(4U << record.width(), bytes_of(pattern));
          EXPECT_EQ(record.bits, address + Record::constant(writes, site, pattern));
        }
      }
    }
  }
}

// Which lane accesses which word, by counting; of one place for all, the first lane.
std::map<std::uint64_t, std::uint32_t> counted(Pattern pattern, std::uint64_t address,
                                               std::uint32_t all) {
  std::map<std::uint64_t, std::uint32_t> lane_of;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((all >> lane & 1) == 0 || (pattern == Pattern::kLow && lane >= 16) ||
        (pattern == Pattern::kHigh && lane < 16)) {
      continue;
    }
    const std::uint64_t at = address + (is_one(pattern) ? 0 : lane * bytes_of(pattern));
    for (std::uint32_t i = 0; i < bytes_of(pattern); i += kUnit) lane_of[at + i] = lane;
    if (is_one(pattern)) break;
  }
  return lane_of;
}

TEST(LogRecord, PiecesAreWhatLanesAccess) {
  for (const Pattern pattern : kPatterns) {
    const bool needs_all = pattern == Pattern::kLow || pattern == Pattern::kHigh;
    for (const std::uint32_t all : {~0U, 0xFFFFU, 0xFFU, 1U}) {
      if (needs_all && all != ~0U) continue;
      for (std::uint32_t offset = 0; offset < 2 * kLineBytes; offset += bytes_of(pattern)) {
        const std::uint64_t address = 0x100000 + offset;
        const Record record = Record::of(address, false, 1, pattern);
        std::map<std::uint64_t, std::uint32_t> found;
        std::uint64_t line = record.begin(all) / kLineBytes * kLineBytes;
        for (; line < record.end(all); line += kLineBytes) {
          const LogPiece piece = record.piece(line, all);
          EXPECT_EQ(piece.line, line);
          for (std::uint32_t word = 0; word < kLineWords; ++word) {
            if ((piece.words >> word & 1) != 0) {
              found[line + std::uint64_t{word} * kUnit] = piece.map.lane_of(word);
            }
          }
        }
        EXPECT_EQ(found, counted(pattern, address, all))
            << "pattern " << static_cast<int>(pattern) << ", offset " << offset << ", lanes "
            << all;
      }
    }
  }
}

}  // namespace
}  // namespace redflag::gpu::compact
