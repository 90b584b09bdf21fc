#include "core/base/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace redflag {
namespace {

TEST(PageResource, BlocksAreAlignedDistinctAndReused) {
  PageResource memory;
  struct Block {
    unsigned char* at;
    std::size_t size;
    unsigned char fill;
  };
  std::mt19937 random(1);
  std::vector<Block> live;
  for (int step = 0; step < 20000; ++step) {
    if (live.size() < 200 || random() % 2 == 0) {
      const std::size_t size = 1 + random() % (step % 10 == 0 ? 100000 : 300);
      auto* at = static_cast<unsigned char*>(memory.allocate(size, 16));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % 16, 0U);
      const auto fill = static_cast<unsigned char>(random());
      std::memset(at, fill, size);
      live.push_back({at, size, fill});
    } else {
      const std::size_t i = random() % live.size();
      const Block b = live[i];
      for (std::size_t k = 0; k < b.size; ++k) ASSERT_EQ(b.at[k], b.fill);
      memory.deallocate(b.at, b.size, 16);
      live[i] = live.back();
      live.pop_back();
    }
  }
  for (const Block& b : live) memory.deallocate(b.at, b.size, 16);
  EXPECT_EQ(memory.bytes_in_use(), 0U);
  EXPECT_GT(memory.peak_bytes_in_use(), 0U);
}

TEST(PageResource, CountsWhatIsInUse) {
  PageResource memory;
  void* a = memory.allocate(100, 8);
  EXPECT_GE(memory.bytes_in_use(), 100U);
  EXPECT_LE(memory.bytes_in_use(), 150U);
  memory.deallocate(a, 100, 8);
  EXPECT_EQ(memory.bytes_in_use(), 0U);
  void* b = memory.allocate(100, 8);
  EXPECT_EQ(a, b) << "a freed block serves the next request of its class";
  memory.deallocate(b, 100, 8);
}

TEST(GrowingArray, KeepsItsPlaceAndStartsAtZero) {
  GrowingArray<std::uint64_t> array(std::size_t{1} << 30);
  array.grow_to(10);
  std::uint64_t* first = &array[0];
  array[9] = 7;
  array.grow_to(1000000);
  EXPECT_EQ(&array[0], first);
  EXPECT_EQ(array[9], 7U);
  EXPECT_EQ(array[999999], 0U);
  EXPECT_EQ(array.bytes(), 8000000U);
}

}  // namespace
}  // namespace redflag
