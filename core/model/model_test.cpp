#include <gtest/gtest.h>

#include <set>

#include "core/model/finding.h"
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
