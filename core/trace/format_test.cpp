#include "core/trace/format.h"

#include <gtest/gtest.h>

namespace redflag::rft {
namespace {

TEST(Format, ZigzagGoesThereAndBack) {
  for (const std::uint64_t delta : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0},
                                    std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1}) {
    EXPECT_EQ(unzigzag(zigzag(delta)), delta);
    const auto low = static_cast<std::uint32_t>(delta);
    EXPECT_EQ(unzigzag32(zigzag32(low)), low);
  }
  EXPECT_EQ(zigzag(0 - std::uint64_t{1}), 1u);
  EXPECT_EQ(zigzag(1), 2u);
}

TEST(Format, ChecksumCoversHeaderPayloadAndPlace) {
  const BlockHeader header{
      .type = BlockType::kEvents, .stored_bytes = 4, .raw_bytes = 4, .count = 1};
  const std::uint64_t sum = block_checksum(header, "abcd", 16);
  EXPECT_NE(block_checksum(header, "abce", 16), sum);
  EXPECT_NE(block_checksum(header, "abcd", 17), sum);
  BlockHeader other = header;
  other.count = 2;
  EXPECT_NE(block_checksum(other, "abcd", 16), sum);
  other = header;
  other.checksum = 1;  // not part of itself
  EXPECT_EQ(block_checksum(other, "abcd", 16), sum);
}

TEST(Format, BlockHeaderFaults) {
  const BlockHeader good{.type = BlockType::kEvents, .stored_bytes = 8, .raw_bytes = 8, .count = 1};
  ASSERT_EQ(block_header_fault(good), nullptr);
  const auto fault_with = [&](auto change) {
    BlockHeader header = good;
    change(header);
    return block_header_fault(header) != nullptr;
  };
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.type = static_cast<BlockType>(0); }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.type = static_cast<BlockType>(5); }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.codec = static_cast<Codec>(2); }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.unused = 1; }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.stored_bytes = 7; }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.count = 0; }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.count = 5; })) << "five events need ten bytes";
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.count = kMaxEventsPerBlock + 1; }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.raw_bytes = h.stored_bytes = 26; }))
      << "one event has at most 25 bytes";
  EXPECT_TRUE(fault_with([](BlockHeader& h) {
    h.codec = Codec::kZstd;
    h.raw_bytes = kMaxRawBytes + 1;
    h.count = kMaxEventsPerBlock;
  }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) {
    h.codec = Codec::kZstd;
    h.stored_bytes = kMaxStoredBytes + 1;
  }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) { h.type = BlockType::kEnd; }));
  EXPECT_TRUE(fault_with([](BlockHeader& h) {
    h.type = BlockType::kDefinitions;
    h.count = 3;
  }));
}

}  // namespace
}  // namespace redflag::rft
