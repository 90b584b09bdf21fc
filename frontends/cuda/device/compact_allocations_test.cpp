// Which launches get a table of allocations, and what is in it.
#include "frontends/cuda/device/compact_allocations.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

namespace redflag::device::compact {
namespace {

constexpr std::uint64_t kAt = 0x1000;  // the tables

// Memory of which the tables are all there is.
class Tables final : public DeviceMemory {
 public:
  Result<std::uint64_t> allocate(std::uint64_t) override { return fail("needed: no memory"); }
  void free(std::uint64_t) override {}
  void clear(std::uint64_t, std::uint64_t) override {}
  void write(std::uint64_t to, std::span<const std::byte> from) override {
    ASSERT_LE(to - kAt + from.size(), bytes.size());
    std::memcpy(bytes.data() + (to - kAt), from.data(), from.size());
  }
  void read(std::uint64_t, std::span<std::byte>) override {}
  Result<Mapped> allocate_mapped(std::uint64_t) override { return Mapped{}; }
  std::uint64_t free_bytes() const override { return 0; }

  // Begins and ends of a table.
  std::vector<std::uint64_t> table(std::uint64_t number) const {
    AllocationTable one;
    std::memcpy(&one, bytes.data() + (number - 1) * sizeof(one), sizeof(one));
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 0; i < one.count; ++i) {
      out.insert(out.end(), {one.ranges[i].begin, one.ranges[i].end});
    }
    return out;
  }
  std::vector<std::byte> bytes = std::vector<std::byte>(kTables * sizeof(AllocationTable));
};

struct Host {
  Tables memory;
  CompactAllocations allocations{memory};

  void tell(gpu::HostKind kind, std::uint64_t address, std::uint64_t size) {
    allocations.host({.kind = kind, .address = address, .size = size});
  }
  std::uint64_t launch(std::uint32_t id, std::uint32_t stream = 0) {
    gpu::Launch launch;
    launch.id = gpu::LaunchId{id};
    launch.stream = gpu::StreamId{stream};
    return allocations.launch_begins(launch, kAt) >> kTableAt;
  }
};

TEST(CompactAllocations, ATableIsMadeWhenMemoryHasChanged) {
  Host host;
  host.tell(gpu::HostKind::kAlloc, 0x9000, 0x100);
  host.tell(gpu::HostKind::kAlloc, 0x5000, 0x80);
  EXPECT_EQ(host.launch(1), 1U);
  EXPECT_EQ(host.launch(2), 1U);
  EXPECT_EQ(host.memory.table(1), (std::vector<std::uint64_t>{0x5000, 0x5080, 0x9000, 0x9100}));
  host.tell(gpu::HostKind::kFree, 0x5000, 0x80);
  EXPECT_EQ(host.launch(3), 2U);
  EXPECT_EQ(host.memory.table(2), (std::vector<std::uint64_t>{0x9000, 0x9100}));
}

TEST(CompactAllocations, NoneWhereSomebodyElseMayWrite) {
  Host host;
  host.tell(gpu::HostKind::kAlloc, 0x9000, 0x100);
  EXPECT_EQ(host.launch(1, 7), 0U);  // another stream
  EXPECT_EQ(host.launch(2), 1U);
  host.tell(gpu::HostKind::kAlloc, 0x5000, 0x100);
  host.tell(gpu::HostKind::kHostWrite, 0x9040, 4);
  EXPECT_EQ(host.launch(3), 2U);
  EXPECT_EQ(host.memory.table(2), (std::vector<std::uint64_t>{0x5000, 0x5100}));
  host.tell(gpu::HostKind::kStreamNonBlocking, 0, 0);
  EXPECT_EQ(host.launch(4), 0U);
}

TEST(CompactAllocations, TheVersionGoesOnWithEveryChangeAndNothingElse) {
  Host host;
  std::uint64_t last = host.allocations.version();
  EXPECT_NE(last, 0U);
  const auto has_changed = [&] {
    return std::exchange(last, host.allocations.version()) != host.allocations.version();
  };
  host.tell(gpu::HostKind::kAlloc, 0x9000, 0x100);
  EXPECT_TRUE(has_changed());
  host.launch(1);
  EXPECT_FALSE(has_changed());
  host.tell(gpu::HostKind::kHostRead, 0x9040, 4);
  EXPECT_TRUE(has_changed());
  host.tell(gpu::HostKind::kHostWrite, 0x9040, 4);
  EXPECT_FALSE(has_changed());
  host.tell(gpu::HostKind::kFree, 0x9000, 0x100);
  EXPECT_TRUE(has_changed());
}

TEST(CompactAllocations, ATableStaysAsLongAsItIsUsed) {
  Host host;
  for (std::uint32_t i = 1; i <= kTables; ++i) {
    host.tell(gpu::HostKind::kAlloc, i * 0x1000, 0x100);
    EXPECT_EQ(host.launch(i), i);
  }
  host.tell(gpu::HostKind::kAlloc, 0x100000, 0x100);
  EXPECT_EQ(host.launch(100), 0U);
  host.allocations.launch_ends(gpu::LaunchId{1});
  EXPECT_EQ(host.launch(101), 1U);
}

TEST(CompactAllocations, NoneForMoreThanThereIsRoomFor) {
  Host host;
  for (std::uint64_t i = 1; i <= kTableRanges + 1; ++i) {
    host.tell(gpu::HostKind::kAlloc, i * 0x1000, 0x100);
  }
  EXPECT_EQ(host.launch(1), 0U);
  host.tell(gpu::HostKind::kFree, 0x1000, 0x100);
  EXPECT_EQ(host.launch(2), 1U);
}

}  // namespace
}  // namespace redflag::device::compact
