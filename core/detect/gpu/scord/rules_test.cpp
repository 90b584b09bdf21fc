// Every row of ScoRD's tables decides somewhere, and only there; then what becomes of the entry.
#include "core/detect/gpu/scord/rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace redflag::gpu::scord {
namespace {

// Accessed by warp 1 of block 1, which had executed no fence and no barrier.
Entry entry(bool modified, bool strong = true) {
  Entry e;
  e.block = e.warp = 1;
  e.modified = modified;
  e.block_shared = e.device_shared = 0;
  e.strong = strong;
  return e;
}
Access by(std::uint32_t block, std::uint32_t warp, AccessKind kind, bool strong = true) {
  Access a;
  a.kind = kind;
  a.block = block;
  a.warp = warp;
  a.strong = strong;
  return a;
}
Fences fences(unsigned block, unsigned device) {
  Fences f;
  f.block = block & 63U;
  f.device = device & 63U;
  return f;
}
constexpr AccessKind kLoad = AccessKind::kLoad;
constexpr AccessKind kStore = AccessKind::kStore;

struct Case {
  Rule rule;
  Entry md;
  Access now;
  Fences file;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({Rule::kInitialisation, Entry{}, by(0, 0, kStore), {}});
  all.push_back({Rule::kProgramOrder, entry(true), by(1, 1, kStore, false), {}});
  Access later = by(1, 2, kLoad, false);
  later.barrier = 1;
  all.push_back({Rule::kBarrier, entry(true), later, {}});
  Entry narrow = entry(true);
  narrow.is_atomic = narrow.block_scope = 1;
  all.push_back({Rule::kScopedAtomic, narrow, by(2, 0, kLoad), {}});
  Access atomic = by(2, 0, kStore);
  atomic.is_atomic = true;
  all.push_back({Rule::kScopedAtomic, narrow, atomic, {}});
  Entry wide = narrow;
  wide.block_scope = 0;
  all.push_back({Rule::kSafeAtomic, wide, atomic, {}});
  atomic.block = 1;
  all.push_back({Rule::kSafeAtomic, narrow, atomic, {}});
  all.push_back({Rule::kLoadsOnly, entry(false), by(2, 0, kLoad), {}});
  all.push_back({Rule::kBlockFence, entry(true), by(1, 2, kLoad), {}});
  all.push_back({Rule::kBlockFence, entry(false), by(1, 2, kStore), {}});
  all.push_back({Rule::kDeviceFence, entry(true), by(2, 1, kLoad), fences(1, 0)});
  all.push_back({Rule::kDeviceFence, entry(false), by(2, 1, kStore), {}});
  all.push_back({Rule::kNotStrong, entry(true, false), by(1, 2, kLoad), fences(1, 0)});
  all.push_back({Rule::kNotStrong, entry(true), by(2, 2, kLoad, false), fences(0, 1)});
  Entry locked = entry(true);
  locked.locks = 0x0101;
  all.push_back({Rule::kLockOnLoad, locked, by(2, 1, kLoad), fences(0, 1)});
  Access other = by(2, 1, kStore);
  other.locks = 0x0202;
  all.push_back({Rule::kLockOnStore, locked, other, fences(0, 1)});
  other.locks = 0x0101;
  all.push_back({Rule::kOrdered, locked, other, fences(0, 1)});
  all.push_back({Rule::kOrdered, entry(true), by(1, 2, kLoad), fences(1, 0)});
  return all;
}

TEST(ScordRules, EveryRowDecidesSomewhere) {
  std::set<Rule> seen;
  for (const Case& one : cases()) {
    EXPECT_EQ(decide(one.md, one.now, one.file), one.rule)
        << kRules[static_cast<std::size_t>(one.rule)].name;
    seen.insert(one.rule);
  }
  EXPECT_EQ(seen.size(), kRuleCount);
}

TEST(ScordRules, RowsAndRacesAgree) {
  for (const RuleRow<Rule>& row : kRules) {
    EXPECT_EQ(row.kind == RuleKind::kRacy, is_race(row.rule)) << row.name;
    EXPECT_FALSE(row.condition.empty() && row.reading.empty()) << row.name;
  }
}

// A fence of the wrong scope is none: (b) looks at the device's alone, (a) at both.
TEST(ScordRules, ScopesOfFences) {
  EXPECT_EQ(decide(entry(true), by(2, 1, kLoad), fences(5, 0)), Rule::kDeviceFence);
  EXPECT_EQ(decide(entry(true), by(2, 1, kLoad), fences(0, 1)), Rule::kOrdered);
  EXPECT_EQ(decide(entry(true), by(1, 2, kLoad), fences(0, 1)), Rule::kOrdered);
}

TEST(ScordRules, FirstAccessClearsTheFlags) {
  const Entry read = updated(Entry{}, by(1, 1, kLoad), {}, Rule::kInitialisation);
  EXPECT_FALSE(read.modified || read.block_shared || read.device_shared);
  const Entry written = updated(Entry{}, by(1, 1, kStore), {}, Rule::kInitialisation);
  EXPECT_TRUE(written.modified);
  EXPECT_EQ(written.block, 1U);
}

TEST(ScordRules, LoadsShare) {
  const Entry block = updated(entry(false), by(1, 2, kLoad), {}, Rule::kLoadsOnly);
  EXPECT_TRUE(block.block_shared && !block.device_shared);
  const Entry device = updated(block, by(2, 0, kLoad), {}, Rule::kLoadsOnly);
  EXPECT_TRUE(device.device_shared);
  EXPECT_EQ(decide(device, by(2, 0, kStore), {}), Rule::kOrdered)
      << "the last accessor itself, but no longer by program order";
}

TEST(ScordRules, AnOrderedLoadTakesTheLocationOver) {
  const Entry read = updated(entry(true), by(2, 0, kLoad), fences(0, 1), Rule::kOrdered);
  EXPECT_FALSE(read.modified || read.device_shared);
  EXPECT_EQ(decide(read, by(3, 0, kLoad), {}), Rule::kLoadsOnly) << "a second reader is no race";
}

TEST(ScordRules, TheWritersOwnLoadDoesNotHideItsFence) {
  Access again = by(1, 1, kLoad);
  again.fences = fences(0, 1);
  const Entry read = updated(entry(true), again, fences(0, 1), Rule::kProgramOrder);
  EXPECT_EQ(decide(read, by(2, 0, kLoad), fences(0, 1)), Rule::kLoadsOnly);
  const Entry unfenced = updated(entry(true), by(1, 1, kLoad), {}, Rule::kProgramOrder);
  EXPECT_EQ(decide(unfenced, by(2, 0, kLoad), {}), Rule::kDeviceFence);
}

TEST(ScordRules, TheWritersOwnLoadDoesNotHideABarrier) {
  Access again = by(1, 1, kLoad);
  again.barrier = 1;
  const Entry read = updated(entry(true), again, {}, Rule::kProgramOrder);
  Access other = by(1, 2, kLoad);
  other.barrier = 1;
  EXPECT_EQ(decide(read, other, {}), Rule::kLoadsOnly);
}

TEST(ScordRules, OneWeakAccessIsEnough) {
  const Entry weak = updated(entry(true), by(1, 1, kStore, false), {}, Rule::kProgramOrder);
  const Entry strong = updated(weak, by(1, 1, kStore, true), {}, Rule::kProgramOrder);
  EXPECT_FALSE(strong.strong) << "all accesses since the entry was new";
}

}  // namespace
}  // namespace redflag::gpu::scord
