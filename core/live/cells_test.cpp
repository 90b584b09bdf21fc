// Cells against the oracle, one access after another: random accesses, locks, and memory that is freed.
#include "core/live/cells_rig.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace redflag::live {
namespace {

class CellsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    LinearMemory::Refusal why;
    ASSERT_TRUE(LinearMemory::map(why)) << why.fault;
  }
  static void TearDownTestSuite() { LinearMemory::unmap(); }
};

constexpr unsigned kThreads = 5;
constexpr unsigned kLocks = 4;
constexpr unsigned kSpan = 96;
alignas(4096) char g_memory[1 << 20];

unsigned racy_bytes(const Conflicts& found, std::uint64_t addr) {
  unsigned all = 0;
  for (unsigned i = 0; i < found.count; ++i) all |= bytes_of(found.one[i].earlier);
  return all >> (addr & 7);
}

struct Mix {
  unsigned writes;  // in a hundred
  unsigned locks;
  unsigned most_size;  // as a power of two
};

void run(unsigned seed, const Mix& mix, std::uint64_t base) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << " writes " << mix.writes << " locks "
                                  << mix.locks << " size " << mix.most_size);
  std::mt19937 random(seed);
  const auto upto = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  CellsRig<LinearMemory> rig(kThreads);
  ByteOracle oracle(kThreads);
  std::vector<std::vector<std::uint64_t>> lock(kLocks, std::vector<std::uint64_t>(kThreads));
  std::set<std::uint64_t> raced;
  unsigned t = 0;
  for (unsigned step = 0; step < 400; ++step) {
    if (upto(4) == 0) t = upto(kThreads);
    if (upto(100) < mix.locks) {
      const unsigned l = upto(kLocks);
      rig.acquire(t, lock[l]);
      rig.release(t, lock[l]);
      continue;
    }
    const unsigned size = 1U << upto(mix.most_size + 1);
    const std::uint64_t addr = base + upto(kSpan / size) * size;
    if (upto(60) == 0) {
      // Freed and allocated again, or as it comes from the system.
      const std::uint64_t g = addr & ~std::uint64_t{7};
      oracle.forget(g, 8);
      for (unsigned k = 0; k < 8; ++k) raced.erase(g + k);
      if (upto(2) == 0) {
        rig.cells.forget(g, kBytes);
      } else {
        rig.cells.made(rig.views[t], g, kBytes);
        oracle.access(t, g, 8, true, rig.clock(t));
      }
      // Columns keep what was read before: those who look must know it, or it must be gone.
      rig.cells.readers.forget(g, 8);
      continue;
    }
    const bool is_write = upto(100) < mix.writes;
    const Conflicts found = rig.access(t, addr, size, is_write);
    const unsigned mine = racy_bytes(found, addr);
    const unsigned right = oracle.access(t, addr, size, is_write, rig.clock(t));
    for (unsigned k = 0; k < size; ++k) {
      if (raced.contains(addr + k)) continue;
      ASSERT_EQ(mine >> k & 1, right >> k & 1)
          << "step " << step << " thread " << t << (is_write ? " writes " : " reads ") << size
          << " at " << addr - base << ", byte " << k;
      if ((right >> k & 1) != 0) raced.insert(addr + k);
    }
  }
}

TEST_F(CellsTest, AgreeWithTheOracleOnEachByte) {
  const auto base = reinterpret_cast<std::uint64_t>(g_memory);
  constexpr Mix kMixes[] = {{50, 20, 3}, {5, 20, 3},  {10, 50, 3}, {20, 70, 3}, {2, 5, 3},
                            {30, 50, 0}, {30, 50, 2}, {1, 40, 3},  {90, 60, 3}};
  unsigned seed = 0;
  for (unsigned round = 0; round < 400; ++round) {
    for (const Mix& mix : kMixes) {
      ++seed;
      run(seed, mix, base + (seed % 4096) * 128);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CellsTest, AnEpochThatRepeatsNeedsNothing) {
  CellsRig<LinearMemory> rig(2);
  const auto at = reinterpret_cast<std::uint64_t>(g_memory) + 905216;
  rig.access(0, at, 4, true);
  EXPECT_TRUE(is_done<true>(rig.views[0].me, LinearMemory::cell(at).load(), 0x0f));
  EXPECT_TRUE(is_done<false>(rig.views[0].me, LinearMemory::cell(at).load(), 0x03));
  EXPECT_FALSE(is_done<true>(rig.views[0].me, LinearMemory::cell(at).load(), 0xff));
  EXPECT_FALSE(is_done<false>(rig.views[1].me, LinearMemory::cell(at).load(), 0x0f));
}

TEST_F(CellsTest, EveryReaderOfManyIsFound) {
  CellsRig<LinearMemory> rig(70);
  const auto at = reinterpret_cast<std::uint64_t>(g_memory) + 901120;
  for (unsigned t = 1; t < 70; ++t) EXPECT_FALSE(rig.access(t, at, 8, false).any());
  const Conflicts found = rig.access(0, at + 2, 2, true);
  ASSERT_EQ(found.count, 1U);  // one for each byte is enough
  EXPECT_FALSE(found.one[0].wrote);
  EXPECT_EQ(bytes_of(found.one[0].earlier), 0x0cU);
  std::set<Entry> readers;
  rig.cells.readers.for_each(at, 0x01, [&](Entry read) { readers.insert(read); });
  EXPECT_EQ(readers.size(), 69U);
}

}  // namespace
}  // namespace redflag::live
