#include "core/trace/rft_writer.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/format.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

// The block headers of a file, in order.
std::vector<rft::BlockHeader> blocks_of(const std::string& bytes) {
  std::vector<rft::BlockHeader> blocks;
  for (std::size_t at = sizeof(rft::FileHeader); at < bytes.size();) {
    rft::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    blocks.push_back(header);
    at += sizeof(header) + header.stored_bytes;
  }
  return blocks;
}

TEST(TraceWriter, CutsBlocksWhereTheyAreFull) {
  const std::vector<Event> events(2 * rft::kEventsPerBlock + 5, make::read(0, 0x1000));
  const std::vector<rft::BlockHeader> blocks = blocks_of(testing_trace::to_rft({}, events));
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].count, rft::kEventsPerBlock);
  EXPECT_EQ(blocks[1].first, rft::kEventsPerBlock);
  EXPECT_EQ(blocks[2].count, 5u);
  EXPECT_EQ(blocks[3].type, rft::BlockType::kEnd);
}

TEST(TraceWriter, KeepsDefinitionsInTheirPlace) {
  std::string bytes;
  TraceWriter writer{ByteSink(&bytes)};
  ASSERT_TRUE(writer.define(LockName{LockId{1}, "first"}));
  ASSERT_TRUE(writer.append(make::acquire(0, 1)));
  ASSERT_TRUE(writer.define(LockName{LockId{1}, "second"}));
  ASSERT_TRUE(writer.append(make::release(0, 1)));
  ASSERT_TRUE(writer.finish());
  auto reader = open_trace_bytes("x", bytes);
  ASSERT_TRUE(reader);
  ASSERT_EQ((*reader)->next()->size(), 1u);
  EXPECT_EQ((*reader)->sources().lock_name(LockId{1}), "first");
  ASSERT_EQ((*reader)->next()->size(), 1u);
  EXPECT_EQ((*reader)->sources().lock_name(LockId{1}), "second");
  EXPECT_TRUE((*reader)->next()->empty());
}

TEST(TraceWriter, ManyDefinitionsMakeSeveralBlocks) {
  std::vector<Definition> definitions;
  for (std::uint32_t i = 0; i < 100; ++i)
    definitions.emplace_back(ThreadName{ThreadId{i}, std::string(kMaxNameBytes, 'x')});
  const std::string bytes = testing_trace::to_rft(definitions, {});
  EXPECT_GT(blocks_of(bytes).size(), 10u);
  EXPECT_TRUE(testing_trace::read_all(bytes).definitions == definitions);
}

TEST(TraceWriter, IsCompact) {
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 100000; ++i)
    events.push_back(make::read(static_cast<std::uint32_t>(i / 50 % 4), 0x1000 + 8 * i, 8, 3));
  EXPECT_LT(testing_trace::to_rft({}, events).size(), events.size());
}

}  // namespace
}  // namespace redflag
