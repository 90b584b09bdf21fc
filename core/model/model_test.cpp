#include <gtest/gtest.h>

#include <set>

#include "core/model/finding.h"
#include "core/model/gpu_memory.h"
#include "core/model/make_event.h"

namespace redflag {
namespace {

TEST(EventKinds, NamesAreDistinctAndTheTableIsWhole) {
  std::set<std::string_view> names;
  for (const EventKindInfo& k : kEventKinds) {
    EXPECT_TRUE(names.insert(k.name).second) << k.name;
    EXPECT_FALSE(k.meaning.empty());
    EXPECT_EQ(is_access(k.kind), k.operand == Operand::kMemory);
  }
}

TEST(Rules, ClassesOfRaces) {
  using K = EventKind;
  EXPECT_EQ(classify(K::kWrite, K::kWrite), Rule::kWriteWrite);
  EXPECT_EQ(classify(K::kWrite, K::kRead), Rule::kWriteRead);
  EXPECT_EQ(classify(K::kRead, K::kWrite), Rule::kReadWrite);
  EXPECT_EQ(classify(K::kAtomicStore, K::kRead), Rule::kAtomicPlain);
  EXPECT_EQ(classify(K::kRead, K::kFree), Rule::kFree);
  EXPECT_EQ(classify(K::kFree, K::kAtomicLoad), Rule::kFree);
  std::set<std::string_view> ids;
  for (const RuleInfo& r : kRules) EXPECT_TRUE(ids.insert(r.id).second);
}

TEST(GpuAllocations, AnAddressIsInAtMostOne) {
  gpu::Allocations all;
  EXPECT_EQ(all.holding(0).size, 0U);
  const auto told = [&](gpu::HostKind kind, std::uint64_t address, std::uint64_t size) {
    all.take({.kind = kind, .site = gpu::SiteId{3}, .address = address, .size = size});
  };
  told(gpu::HostKind::kAlloc, 0x1000, 16);
  told(gpu::HostKind::kAlloc, 0x1010, 4);
  EXPECT_EQ(all.holding(0xfff).size, 0U);
  EXPECT_EQ(all.holding(0x100f).address, 0x1000U);
  EXPECT_EQ(all.holding(0x1010).size, 4U);
  EXPECT_EQ(all.holding(0x1014).size, 0U);
  told(gpu::HostKind::kFree, 0x1000, 16);
  EXPECT_EQ(all.holding(0x1000).size, 0U);
  Finding finding;
  gpu::name_memory(finding, all.holding(0x1000), {});
  EXPECT_EQ(finding.memory, Region{});
  gpu::name_memory(finding, all.holding(0x1012), {CodeFrame("main", "a.cu", 7, 0)});
  EXPECT_EQ(finding.memory.addr, Addr{0x1010});
  EXPECT_EQ(finding.memory_stack.size(), 1U);
}

TEST(Sources, StacksAreChainsOfCallers) {
  Sources s;
  EXPECT_TRUE(s.define(SourceId{1}, {"main", "m.cpp", 1, 0}));
  EXPECT_TRUE(s.define(SourceId{2}, {"f", "m.cpp", 2, 0}, SourceId{1}));
  ASSERT_EQ(s.stack(SourceId{2}).size(), 2U);
  EXPECT_EQ(s.stack(SourceId{2})[1].function, "main");
  EXPECT_TRUE(s.stack(SourceId{9}).empty());
}

TEST(Sources, RefusesCyclesAndUnknownCallers) {
  Sources s;
  EXPECT_FALSE(s.define(kNoSource, {}));
  EXPECT_FALSE(s.define(SourceId{3}, {}, SourceId{3}));
  EXPECT_FALSE(s.define(SourceId{3}, {}, SourceId{2})) << "not defined";
  EXPECT_TRUE(s.define(SourceId{3}, {}));
  EXPECT_FALSE(s.define(SourceId{2}, {}, SourceId{3})) << "a caller has the smaller number";
}

TEST(Sources, RegionsAreFoundByAnyAddressInside) {
  Sources s;
  s.add_region({Addr{100}, 10, RegionKind::kGlobal, "g", kNoSource});
  EXPECT_EQ(s.region_of(Addr{99}), nullptr);
  ASSERT_NE(s.region_of(Addr{109}), nullptr);
  EXPECT_EQ(s.region_of(Addr{109})->name, "g");
  EXPECT_EQ(s.region_of(Addr{110}), nullptr);
}

}  // namespace
}  // namespace redflag
