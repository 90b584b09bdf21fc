// How much memory lines take, and what happens when there is too little: arithmetic, on no GPU.
#include "frontends/cuda/device/compact_pages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

namespace redflag::device::compact {
namespace {

constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;
constexpr std::uint64_t kPageOfAll = std::uint64_t{1} << kPageBits;
constexpr std::uint64_t kState = 0x1000, kRegionTable = 0x100000;
constexpr std::uint64_t kFirstOfAll = std::uint64_t{3} << kRegionBits;  // of the program's memory

// Memory that has sizes only, and words where tables are.
class Sizes final : public DeviceMemory {
 public:
  explicit Sizes(std::uint64_t bytes) : left_(bytes) {}
  Result<std::uint64_t> allocate(std::uint64_t bytes) override {
    if (bytes > left_) return fail("needed: memory");
    left_ -= bytes;
    next_ += (bytes + 255) / 256 * 256;
    sizes_[next_] = bytes;
    return next_;
  }
  void free(std::uint64_t address) override {
    ASSERT_TRUE(sizes_.contains(address));
    left_ += sizes_[address];
    sizes_.erase(address);
  }
  void clear(std::uint64_t from, std::uint64_t) override { cleared.insert(from); }
  void write(std::uint64_t to, std::span<const std::byte> bytes) override {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::memcpy(&words[to + i], bytes.data() + i, 8);
    }
  }
  void read(std::uint64_t from, std::span<std::byte> bytes) override {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      const auto at = words.find(from + i);
      const std::uint64_t word = at == words.end() ? 0 : at->second;
      std::memcpy(bytes.data() + i, &word, 8);
    }
  }
  Result<Mapped> allocate_mapped(std::uint64_t) override { return Mapped{}; }
  std::uint64_t free_bytes() const override { return left_; }
  void take(std::uint64_t bytes) { left_ -= bytes; }  // by the program

  std::map<std::uint64_t, std::uint64_t> words;
  std::set<std::uint64_t> cleared;

 private:
  std::uint64_t left_, next_ = std::uint64_t{1} << 40;
  std::map<std::uint64_t, std::uint64_t> sizes_;
};

struct Pages : ::testing::Test {
  Sizes memory{139 * kGiga};
  CompactPages pages{memory};

  Pages() { pages.begin(kState, kRegionTable); }
  void use(std::uint64_t bytes) {
    memory.take(bytes);
    for (std::uint64_t at = 0; at < bytes; at += kPageOfAll) pages.use(kFirstOfAll + at);
  }
  // What the device reads for that page of the program.
  std::uint64_t slot(std::uint64_t index) {
    const std::uint64_t table = memory.words[kRegionTable + (kFirstOfAll >> kRegionBits) * 8];
    return memory.words[table + index * 8];
  }
};

TEST_F(Pages, OfSixtyGigabytesTakeAQuarter) {
  use(60 * kGiga);
  EXPECT_EQ(pages.missing(), 0U);
  EXPECT_EQ(pages.bytes(), 15 * kGiga);
  // With all that compact keeps besides, less than twice the program's memory, and than the GPU has.
  const CompactSizes sizes;
  const std::uint64_t besides = std::uint64_t{sizes.chunks} * kChunkBytes +
                                std::uint64_t{sizes.threads} * sizeof(Thread) +
                                std::uint64_t{sizes.nodes} * sizeof(Node) +
                                std::uint64_t{sizes.copying_threads} * sizeof(Copies) +
                                std::uint64_t{sizes.cluster_lines} * sizeof(Line) +
                                sizes.heap_pages * kSpareBytes + sizeof(State);
  EXPECT_LT(besides, kGiga);
  EXPECT_LT(60 * kGiga + pages.bytes() + besides, 77 * kGiga);
}

TEST_F(Pages, ShareLinesWhereThereIsTooLittle) {
  use(120 * kGiga);
  EXPECT_TRUE(pages.are_missing());
  pages.share();
  EXPECT_EQ(pages.missing(), 0U);
  EXPECT_FALSE(pages.are_missing());
  EXPECT_EQ(pages.tag_bits(), 2U);
  EXPECT_EQ(memory.words[kState + offsetof(State, tag_bits)], 2U);
  EXPECT_LE(pages.bytes(), 120 * kGiga / 8);  // 12.5%
  std::set<std::uint64_t> all;
  for (std::uint64_t i = 0; i < 120 * kGiga / kPageOfAll; ++i) {
    EXPECT_LT(slot(i) & kTagMask, 4U);
    all.insert(slot(i));
  }
  EXPECT_EQ(all.size(), 120 * kGiga / kPageOfAll);  // no two have the same lines and the same tag
  EXPECT_EQ(pages.lines_of(kFirstOfAll), 0U);
  memory.cleared.clear();
  pages.clear();
  EXPECT_EQ(memory.cleared.size(), pages.bytes() / kSpareBytes);
}

TEST_F(Pages, WithoutRoomSomeAreNotChecked) {
  use(139 * kGiga - 2 * kSpareBytes);
  ASSERT_TRUE(pages.are_missing());
  pages.share();
  EXPECT_EQ(pages.tag_bits(), kMostTagBits);
  EXPECT_FALSE(pages.are_missing());  // there is no way to make it better
  EXPECT_GT(pages.missing(), 0U);
  EXPECT_EQ(139 * kGiga / kPageOfAll - pages.missing(), pages.bytes() / kSpareBytes * 16);
}

TEST_F(Pages, ComeAndGo) {
  use(4 * kPageOfAll);
  pages.use(kFirstOfAll);
  const std::uint64_t lines = slot(0);
  pages.leave(kFirstOfAll);
  EXPECT_EQ(slot(0), lines);  // somebody else has memory there
  pages.leave(kFirstOfAll);
  EXPECT_EQ(slot(0), 0U);
  EXPECT_EQ(pages.bytes(), 3 * kSpareBytes);
  pages.forget(slot(1), slot(1) + 1);
  EXPECT_EQ(slot(1), 0U);
  EXPECT_NE(slot(2), 0U);
}

}  // namespace
}  // namespace redflag::device::compact
