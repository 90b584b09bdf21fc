// Which launches and copies are beside each other, by streams, events and waiting.
#include "frontends/cuda/device/compact_launches.h"

#include <gtest/gtest.h>

#include "core/detect/gpu/compact/line.h"
#include "frontends/cuda/device/compact_scan.h"

namespace redflag::device::compact {
namespace {

struct Launches : ::testing::Test {
  CompactLaunches launches;
  std::uint32_t next = 1;

  Launches() {
    for (const std::uint32_t stream : {1U, 2U}) {
      launches.host({.kind = gpu::HostKind::kStreamNonBlocking, .stream = gpu::StreamId{stream}});
    }
  }
  Unordered launch(std::uint32_t stream, bool is_checked = true) {
    gpu::Launch made;
    made.id = gpu::LaunchId{next++};
    made.stream = gpu::StreamId{stream};
    return launches.launch(made, is_checked);
  }
  Unordered copy(std::uint32_t stream, bool writes, std::uint64_t at = 0x1000) {
    return launches.host({.kind = writes ? gpu::HostKind::kWrite : gpu::HostKind::kRead,
                          .stream = gpu::StreamId{stream},
                          .address = at,
                          .size = 64});
  }
};

TEST_F(Launches, OfOneStreamAreOrdered) {
  EXPECT_EQ(launch(1).launches, 0U);
  EXPECT_EQ(launch(1).launches, 0U);
  EXPECT_EQ(launch(2).launches, 6U);  // numbers 1 and 2
}

TEST_F(Launches, WaitingOrders) {
  launch(1);
  launches.host({.kind = gpu::HostKind::kSyncStream, .stream = gpu::StreamId{1}});
  EXPECT_EQ(launch(2).launches, 0U);
  EXPECT_EQ(launch(1).launches, 4U);
}

TEST_F(Launches, CopiesBesideThem) {
  EXPECT_EQ(copy(1, true).launches, 0U);
  const Unordered beside = launch(2);
  ASSERT_EQ(beside.accesses.size(), 1U);
  EXPECT_TRUE(beside.accesses[0].writes);
  EXPECT_NE(launches.find(beside.accesses[0].id), nullptr);
  EXPECT_EQ(copy(1, false).launches, 2U);
  EXPECT_TRUE(launch(1).accesses.empty());  // both are of its own stream
}

TEST_F(Launches, CopiesBesideEachOther) {
  copy(1, false);
  EXPECT_TRUE(copy(2, false).accesses.empty());
  EXPECT_EQ(copy(2, true).accesses.size(), 1U);
  EXPECT_TRUE(copy(2, true, 0x2000).accesses.empty());
}

TEST_F(Launches, MemoryThatIsUsedAgainHasNoPast) {
  launch(1);
  launches.host({.kind = gpu::HostKind::kFree, .address = 0x1000, .size = 64});
  launches.host({.kind = gpu::HostKind::kAlloc, .address = 0x4000, .size = 64});
  EXPECT_EQ(launch(2).launches, 2U);
  launches.host({.kind = gpu::HostKind::kAlloc, .address = 0x1020, .size = 64});
  EXPECT_EQ(launch(2).launches, 0U);
}

TEST_F(Launches, ThatAreNotCheckedLeaveNothing) {
  launch(1, false);
  EXPECT_EQ(launch(2).launches, 0U);
}

// Memory of the host in place of the device's.
class PlainMemory final : public DeviceMemory {
 public:
  Result<std::uint64_t> allocate(std::uint64_t) override { return 0; }
  void free(std::uint64_t) override {}
  void clear(std::uint64_t, std::uint64_t) override {}
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void read(std::uint64_t from, std::span<std::byte> bytes) override {
    std::copy_n(reinterpret_cast<const std::byte*>(from), bytes.size(), bytes.data());
  }
  Result<Mapped> allocate_mapped(std::uint64_t) override { return Mapped{}; }
  std::uint64_t free_bytes() const override { return 0; }
};

TEST(Scan, TellsWordsOfTheLaunchesThatAreAskedFor) {
  using gpu::compact::Kind;
  using gpu::compact::Owner;
  using gpu::compact::Word;
  std::vector<Line> lines(kLinesOfPage);
  std::vector<Cell> cells(gpu::compact::kLineWords);
  lines[1].owner = Owner::of(5, 3, 1, 0);
  lines[1].writes = 0xff;
  lines[1].write_site = 77;
  lines[2].owner = Owner::of(6, 0, 0, gpu::compact::kCells);
  cells[4].read = Word::of(Kind::kPlain, 15, 88, {});
  PlainMemory memory;
  const std::uint64_t page = std::uint64_t{1} << 30;
  const Scan what{memory, reinterpret_cast<std::uint64_t>(cells.data()), 1, [&](std::uint64_t at) {
                    return at == page ? reinterpret_cast<std::uint64_t>(lines.data()) : 0;
                  }};
  const auto found = [&](std::uint64_t from, std::uint64_t end, std::uint64_t launches) {
    std::vector<ScannedWord> all;
    scan(what, from, end, launches, [&](const ScannedWord& one) { all.push_back(one); });
    return all;
  };
  EXPECT_EQ(found(page, page + 512, 1U << 5).size(), 8U);
  const auto some = found(page + 144, page + 152, 1U << 5);
  ASSERT_EQ(some.size(), 2U);
  EXPECT_EQ(some[0].address, page + 144);
  EXPECT_EQ(some[0].word.site(), 77U);
  EXPECT_TRUE(some[0].wrote);
  const auto read = found(page, page + 512, 1U << 6);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].word.site(), 88U);
  EXPECT_EQ(read[0].address, page + 256 + 16);
  EXPECT_TRUE(found(page, page + 512, 1U << 7).empty());
  EXPECT_TRUE(found(2 * page, 2 * page + 512, ~std::uint64_t{0}).empty());
}

}  // namespace
}  // namespace redflag::device::compact
