#include <gtest/gtest.h>
#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "frontends/cpu/interpose/testing.h"

namespace redflag::interpose {
namespace {

using rt::find_heap_block;
using rt::HeapBlock;
using testing::Recording;

std::uintptr_t number(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

TEST(Heap, BlockIsFoundFromEveryByteInside) {
  for (const std::size_t n : {1u, 15u, 16u, 17u, 1000u, 70'000u, 40'000'000u}) {
    char* const p = static_cast<char*>(std::malloc(n));
    HeapBlock b;
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      ASSERT_TRUE(find_heap_block(number(p + at), b)) << n << " at " << at;
      EXPECT_EQ(b.begin, number(p));
      EXPECT_EQ(b.size, n);
      EXPECT_GE(b.stack, 1000u);
      EXPECT_FALSE(b.freed);
    }
    EXPECT_FALSE(find_heap_block(number(p + n), b) && b.begin == number(p) && !b.freed) << n;
    std::free(p);
  }
}

TEST(Heap, NothingIsFoundElsewhere) {
  HeapBlock b;
  int on_stack = 0;
  EXPECT_FALSE(find_heap_block(number(&on_stack), b));
  EXPECT_FALSE(find_heap_block(0, b));
  EXPECT_FALSE(find_heap_block(~std::uintptr_t{0}, b));
}

TEST(Heap, FreedBlockIsRememberedUntilReused) {
  char* volatile p = static_cast<char*>(std::malloc(12'345));
  const std::uintptr_t a = number(p);
  std::free(p);
  HeapBlock b;
  ASSERT_TRUE(find_heap_block(a + 100, b));
  EXPECT_TRUE(b.freed);
  EXPECT_EQ(b.size, 12'345u);
  EXPECT_GE(b.free_stack, 1000u);
}

TEST(Heap, EventsComeWithSizes) {
  const Recording r;
  void* volatile p = std::malloc(40);
  void* const at = p;
  std::free(p);
  EXPECT_EQ(r.about(at), "allocated:40 freed:40");
}

TEST(Heap, ReallocKeepsContentsAndBooks) {
  char* p = static_cast<char*>(std::malloc(100));
  for (int i = 0; i < 100; ++i) p[i] = static_cast<char>(i);
  for (const std::size_t n : {200u, 100'000u, 10'000'000u, 100u, 150u}) {
    const Recording r;
    p = static_cast<char*>(std::realloc(p, n));
    EXPECT_EQ(malloc_usable_size(p), n);
    EXPECT_EQ(r.count("freed"), 1);
    EXPECT_EQ(r.count("allocated"), 1);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(p[i], i);
    HeapBlock b;
    ASSERT_TRUE(find_heap_block(number(p) + n - 1, b));
    EXPECT_EQ(b.begin, number(p));
  }
  EXPECT_EQ(std::realloc(p, 0), nullptr);
}

TEST(Heap, AlignmentIsKept) {
  for (std::size_t alignment = 8; alignment <= 65'536; alignment *= 2) {
    void* p = nullptr;
    ASSERT_EQ(posix_memalign(&p, alignment, 100), 0);
    EXPECT_EQ(number(p) % alignment, 0u);
    std::memset(p, 7, 100);
    HeapBlock b;
    ASSERT_TRUE(find_heap_block(number(p) + 99, b));
    EXPECT_EQ(b.begin, number(p));
    p = std::realloc(p, 5'000);
    EXPECT_EQ(static_cast<char*>(p)[99], 7);
    std::free(p);
  }
  void* p = nullptr;
  EXPECT_EQ(posix_memalign(&p, 24, 1), EINVAL);
}

TEST(Heap, CallocIsZeroAndRefusesOverflow) {
  char* const p = static_cast<char*>(std::calloc(1000, 3));
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(p[i], 0);
  std::free(p);
  volatile std::size_t huge = ~std::size_t{0} / 2;
  errno = 0;
  EXPECT_EQ(std::calloc(huge, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(Heap, BlocksMadeWithoutTheRuntimeGoBackToGlibc) {
  testing::set_busy(true);
  void* const plain = std::malloc(100);
  testing::set_busy(false);
  const Recording r;
  void* const grown = std::realloc(plain, 1'000);
  const std::uintptr_t grown_at = number(grown);
  std::free(grown);
  EXPECT_EQ(r.about(grown_at), "replaced:1000");
  // And the other way round: ours, freed while the runtime is away.
  void* const ours = std::malloc(100);
  const std::uintptr_t ours_at = number(ours);
  testing::set_busy(true);
  std::free(ours);
  testing::set_busy(false);
  EXPECT_EQ(r.about(ours_at), "allocated:100");
}

TEST(Heap, LargeBlocksLeaveNoPastBehind) {
  const Recording r;
  void* volatile p = std::malloc(8'000'000);
  void* const at = p;
  std::free(p);
  EXPECT_EQ(r.about(at), "allocated:8000000 freed:8000000 replaced:8000000");
}

TEST(Heap, NewThrowsWhenThereIsNoMemory) {
  const std::size_t before = testing::depth();
  volatile std::size_t huge = std::size_t{1} << 60;
  EXPECT_THROW(static_cast<void>(::operator new(huge)), std::bad_alloc);
  EXPECT_EQ(::operator new(huge, std::nothrow), nullptr);
  EXPECT_EQ(testing::depth(), before) << "the call must not stay on the stack";
  struct alignas(512) Wide {
    char bytes[512];
  };
  auto* const w = new Wide[2];
  EXPECT_EQ(number(w) % 512, 0u);
  delete[] w;
}

TEST(Heap, ThreadsMarkAndUnmarkAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<std::pair<char*, std::size_t>> mine;
      unsigned seed = static_cast<unsigned>(t) + 1;
      for (int i = 0; i < 20'000; ++i) {
        seed = seed * 1'664'525 + 1'013'904'223;
        if (mine.size() < 100 || (seed >> 30) != 0) {
          const std::size_t n = 1 + (seed >> 8) % 300;
          mine.emplace_back(static_cast<char*>(std::malloc(n)), n);
        }
        while (mine.size() > 200) {
          const auto [p, n] = mine[(seed >> 4) % mine.size()];
          HeapBlock b;
          ASSERT_TRUE(find_heap_block(number(p) + n - 1, b));
          ASSERT_EQ(b.begin, number(p));
          ASSERT_EQ(b.size, n);
          std::swap(mine[(seed >> 4) % mine.size()], mine.back());
          std::free(mine.back().first);
          mine.pop_back();
        }
      }
      for (const auto& [p, n] : mine) std::free(p);
    });
  }
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace redflag::interpose
