// Every row of iGUARD's table 2 decides somewhere; then what becomes of the entry.
#include "core/detect/gpu/iguard/rules.h"

#include <gtest/gtest.h>

#include <set>

namespace redflag::gpu::iguard {
namespace {

constexpr std::uint32_t kBlockWarps = 2;
constexpr AccessKind kLoad = AccessKind::kLoad;
constexpr AccessKind kStore = AccessKind::kStore;

Access by(std::uint32_t warp, std::uint32_t lane, AccessKind kind) {
  Access a;
  a.kind = kind;
  a.warp = warp;
  a.lane = lane;
  a.active = 1U << lane;
  a.block_warps = kBlockWarps;
  return a;
}
// Accessed by lane 3 of warp 2, the first of block 1.
Entry entry(AccessKind kind) {
  return updated(Entry{}, by(2, 3, kind), {}, Rule::kFirstAccess);
}
Counters fences(std::uint32_t device, std::uint32_t block) {
  return {device, block, 0, 0};
}

struct Case {
  Rule rule;
  Entry mm;
  Access now;
  Counters sm;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({Rule::kFirstAccess, Entry{}, by(0, 0, kStore), {}});
  all.push_back({Rule::kNoWrite, entry(kLoad), by(0, 0, kLoad), {}});
  all.push_back({Rule::kProgramOrder, entry(kStore), by(2, 3, kStore), {}});
  Access synced = by(2, 4, kLoad);
  synced.counters.warp_barrier = 1;
  all.push_back({Rule::kWarpSynced, entry(kStore), synced, {}});
  Access together = by(2, 4, kStore);
  together.active = 0x18;
  all.push_back({Rule::kWarpSynced, entry(kStore), together, {}});
  Access behind = by(3, 0, kLoad);
  behind.counters.block_barrier = 1;
  all.push_back({Rule::kBarrier, entry(kStore), behind, {}});
  Entry narrow = entry(kStore);
  narrow.writer.is_atomic = narrow.writer.block_scope = 1;
  Access atomic = by(3, 0, kStore);
  atomic.is_atomic = true;
  all.push_back({Rule::kSafeAtomic, narrow, atomic, {}});
  atomic.warp = 0;
  all.push_back({Rule::kScopedAtomic, narrow, atomic, {}});
  all.push_back({Rule::kScopedAtomic, narrow, by(0, 0, kLoad), {}});
  narrow.writer.block_scope = 0;
  all.push_back({Rule::kSafeAtomic, narrow, atomic, {}});
  all.push_back({Rule::kIntraWarp, entry(kStore), by(2, 4, kLoad), {}});
  all.push_back({Rule::kIntraBlock, entry(kStore), by(3, 0, kLoad), {}});
  all.push_back({Rule::kInterBlock, entry(kStore), by(0, 0, kLoad), {}});
  all.push_back({Rule::kInterBlock, entry(kStore), by(0, 0, kLoad), fences(0, 7)});
  Entry locked = entry(kStore);
  locked.set_locks(0x0101);
  all.push_back({Rule::kMissingLock, locked, by(0, 0, kLoad), fences(1, 0)});
  Access holding = by(0, 0, kLoad);
  holding.locks = 0x0101;
  all.push_back({Rule::kOrdered, locked, holding, fences(1, 0)});
  all.push_back({Rule::kOrdered, entry(kStore), by(2, 4, kLoad), fences(0, 1)});
  return all;
}

TEST(IguardRules, EveryRowDecidesSomewhere) {
  std::set<Rule> seen;
  for (const Case& one : cases()) {
    EXPECT_EQ(decide(one.mm, one.now, one.sm), one.rule)
        << kRules[static_cast<std::size_t>(one.rule)].name;
    seen.insert(one.rule);
  }
  EXPECT_EQ(seen.size(), kRuleCount);
}

TEST(IguardRules, RowsAndRacesAgree) {
  for (const RuleRow<Rule>& row : kRules) {
    EXPECT_EQ(row.kind == RuleKind::kRacy, is_race(row.rule)) << row.name;
    EXPECT_EQ(row.label.empty(), row.kind == RuleKind::kSilent) << row.name;
  }
}

// "md" of table 2: a load looks at the last writer, past later readers; a store at the last reader.
TEST(IguardRules, LoadsCompareWithTheWriterStoresWithTheAccessor) {
  Entry mm = updated(entry(kStore), by(0, 0, kLoad), {}, Rule::kOrdered);
  EXPECT_EQ(compared(mm, by(3, 0, kLoad)).warp, 2U);
  EXPECT_EQ(compared(mm, by(3, 0, kStore)).warp, 0U);
  EXPECT_EQ(decide(mm, by(3, 0, kLoad), {}), Rule::kOrdered) << "shared by blocks: R3 does not ask";
  EXPECT_EQ(decide(mm, by(3, 0, kStore), {}), Rule::kInterBlock);
}

TEST(IguardRules, ReadersShareUnlessTheyHaveMet) {
  const Entry first = entry(kLoad);
  const Entry block = updated(first, by(3, 0, kLoad), {}, Rule::kNoWrite);
  EXPECT_TRUE(block.writer.block_shared && !block.writer.device_shared);
  EXPECT_EQ(decide(block, by(3, 0, kStore), {}), Rule::kIntraBlock)
      << "the other warp's read is not forgotten";
  const Entry device = updated(first, by(0, 0, kLoad), {}, Rule::kNoWrite);
  EXPECT_TRUE(device.writer.device_shared);
  const Entry fenced = updated(first, by(0, 0, kLoad), fences(1, 0), Rule::kNoWrite);
  EXPECT_FALSE(fenced.writer.device_shared);
  Access behind = by(3, 0, kLoad);
  behind.counters.block_barrier = 1;
  EXPECT_FALSE(updated(first, behind, {}, Rule::kNoWrite).writer.block_shared);
}

TEST(IguardRules, StoresTakeOverAndRacesBeginAnew) {
  const Entry shared = updated(entry(kLoad), by(3, 0, kLoad), {}, Rule::kNoWrite);
  const Entry stored = updated(shared, by(3, 0, kStore), {}, Rule::kOrdered);
  EXPECT_FALSE(stored.writer.block_shared);
  EXPECT_TRUE(stored.writer.modified);
  EXPECT_EQ(decide(stored, by(3, 0, kLoad), {}), Rule::kProgramOrder);
  const Entry raced = updated(stored, by(0, 0, kLoad), {}, Rule::kInterBlock);
  EXPECT_FALSE(raced.writer.modified) << "told once";
}

}  // namespace
}  // namespace redflag::gpu::iguard
