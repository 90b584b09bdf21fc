#include "sim/models/scord/metadata_map.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace redflag::sim {
namespace {

using Lines = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Lines lines_of(const MetadataMap& map, std::uint64_t line, std::uint32_t words) {
  Lines all;
  map.each_line(line, words,
                [&](std::uint64_t at, std::uint32_t entries) { all.emplace_back(at, entries); });
  return all;
}

// Section IV: 8 bytes for 4; with the cache 12.5%; table VII: 100% and 50%.
TEST(MetadataMap, IsAsLargeAsThePaperSays) {
  constexpr std::uint64_t kBytes = 16 << 20;
  const auto share = [](ScordParameters parameters) {
    MetadataMap map(parameters);
    map.begin(kBytes);
    return static_cast<double>(map.bytes()) / kBytes;
  };
  EXPECT_DOUBLE_EQ(share({}), 0.125);
  EXPECT_DOUBLE_EQ(share({.metadata_cache = false}), 2.0);
  EXPECT_DOUBLE_EQ(share({.metadata_cache = false, .granularity = 8}), 1.0);
  EXPECT_DOUBLE_EQ(share({.metadata_cache = false, .granularity = 16}), 0.5);
}

TEST(MetadataMap, SixteenAddressesShareAnEntryAndHaveTags) {
  MetadataMap map(ScordParameters{});
  map.begin(1 << 20);
  const std::uint64_t apart = (1 << 20) / 16;
  const MetadataMap::Place first = map.place_of(64);
  EXPECT_EQ(first.tag, 0U);
  EXPECT_EQ(map.place_of(68).index, first.index + 1);  // neighbours do not
  for (std::uint64_t tag = 1; tag < 16; ++tag) {
    EXPECT_EQ(map.place_of(64 + tag * apart).index, first.index);
    EXPECT_EQ(map.place_of(64 + tag * apart).tag, tag);
  }
}

TEST(MetadataMap, EveryUnitHasItsOwnWithoutTheCache) {
  MetadataMap map(ScordParameters{.metadata_cache = false});
  map.begin(1 << 20);
  EXPECT_EQ(map.entries(), (1U << 20) / 4);
  EXPECT_EQ(map.place_of((1 << 20) - 4).index, map.entries() - 1);
}

TEST(MetadataMap, ALineOfDataHasTwoOfMetadata) {
  MetadataMap map(ScordParameters{.metadata_cache = false});
  map.begin(1 << 20);
  const Lines whole = lines_of(map, 3, ~0U);
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole[0].second, 0xFFFFU);
  EXPECT_EQ(whole[1].first, whole[0].first + 1);
  EXPECT_EQ(lines_of(map, 3, 1U << 31), (Lines{{whole[1].first, 1U << 15}}));
  EXPECT_EQ(lines_of(map, 4, 1)[0].first, whole[1].first + 1);
  EXPECT_TRUE(lines_of(map, 4, 0).empty());
}

TEST(MetadataMap, CoarserUnitsNeedFewerLinesAndWiderEntriesMore) {
  MetadataMap coarse(ScordParameters{.metadata_cache = false, .granularity = 16});
  coarse.begin(1 << 20);
  EXPECT_EQ(lines_of(coarse, 0, ~0U).size(), 1U);
  EXPECT_EQ(lines_of(coarse, 0, 0xF0)[0].second, 2U);
  MetadataMap wide(ScordParameters{.metadata_cache = false, .acquire_release = true});
  wide.begin(1 << 20);
  EXPECT_EQ(lines_of(wide, 0, ~0U).size(), 4U);
}

// Section IV-C: 152 bytes an SM, 720 of the fence file, 2.9 KB in all.
TEST(ScordParameters, HardwareStateIsThatOfThePaper) {
  const GpuMachine machine;
  EXPECT_EQ(bits_of_sm(machine), 152U * 8);
  EXPECT_EQ(bits_of_fence_file(machine), 720U * 8);
  EXPECT_EQ((bits_of_sm(machine) * machine.sms + bits_of_fence_file(machine)) / 8, 3000U);
  EXPECT_EQ(kPacketBytes, 6U);
}

TEST(ScordParameters, WhatCannotBeBuiltIsNamed) {
  EXPECT_EQ(fault_of(ScordParameters{}), "");
  EXPECT_EQ(fault_of(ScordParameters{.granularity = 5}), "granularity = 5: 4, 8 or 16");
  EXPECT_NE(fault_of(ScordParameters{.detector_queue = 0}), "");
}

}  // namespace
}  // namespace redflag::sim
