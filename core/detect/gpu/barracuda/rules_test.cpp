// Every row of figures 5.4 and 5.5: chosen where its premises hold, counted where it is applied, and a
// race where they do not. The kernels are the smallest that reach each row.
#include "core/detect/gpu/barracuda/rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "core/detect/gpu/barracuda/barracuda.h"
#include "core/detect/gpu/testing.h"

namespace redflag::gpu::barracuda {
namespace {

using Kernel = KernelOn<Barracuda, Options>;
constexpr By kFirstLane{0, 0, 1};
constexpr By kSecondLane{0, 1, 1};
constexpr By kThree{1, 0, 1};

TEST(BarracudaRules, TheFiguresChoice) {
  const auto rule = [](Access access, bool atomic, bool shared, bool ordered) {
    return rule_of(access, {atomic, shared, ordered});
  };
  for (const bool atomic : {false, true}) {
    EXPECT_EQ(rule(Access::kRead, atomic, true, false), Rule::kReadShared);
    EXPECT_EQ(rule(Access::kRead, atomic, false, true), Rule::kReadExclusive);
    EXPECT_EQ(rule(Access::kRead, atomic, false, false), Rule::kReadInflate);
    EXPECT_EQ(rule(Access::kWrite, atomic, false, false), Rule::kWriteExclusive);
    EXPECT_EQ(rule(Access::kWrite, atomic, true, false), Rule::kWriteShared);
    EXPECT_EQ(rule(Access::kAtomicRead, atomic, true, false), Rule::kAtomRead);
  }
  EXPECT_EQ(rule(Access::kAtomicWrite, false, false, false), Rule::kInitAtomExclusive);
  EXPECT_EQ(rule(Access::kAtomicWrite, false, true, false), Rule::kInitAtomShared);
  EXPECT_EQ(rule(Access::kAtomicWrite, true, false, false), Rule::kAtomExclusive);
  EXPECT_EQ(rule(Access::kAtomicWrite, true, true, false), Rule::kAtomShared);
}

// "at least one of them is a write, they are not both atm operations" (section 5.4.2).
TEST(BarracudaRules, Conflicts) {
  const auto writes = [](Access a) { return a == Access::kWrite || a == Access::kAtomicWrite; };
  const auto atomic = [](Access a) {
    return a == Access::kAtomicRead || a == Access::kAtomicWrite;
  };
  for (const Access a :
       {Access::kRead, Access::kWrite, Access::kAtomicRead, Access::kAtomicWrite}) {
    for (const Access b :
         {Access::kRead, Access::kWrite, Access::kAtomicRead, Access::kAtomicWrite}) {
      EXPECT_EQ(conflict(a, b), (writes(a) || writes(b)) && !(atomic(a) && atomic(b)));
      EXPECT_EQ(conflict(a, b), conflict(b, a));
      if (!stands_for(a, b)) continue;
      // Whatever conflicts with the earlier conflicts with the later.
      for (const Access c :
           {Access::kRead, Access::kWrite, Access::kAtomicRead, Access::kAtomicWrite}) {
        EXPECT_TRUE(!conflict(b, c) || conflict(a, c));
      }
    }
  }
}

struct Case {
  Rule rule;
  bool racy;
  std::function<void(Kernel&)> run;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto put = [&](Rule rule, std::function<void(Kernel&)> run, bool racy = false) {
    all.push_back({rule, racy, std::move(run)});
  };
  const auto shared = [](Kernel& k) {  // R_x is a vector clock
    k.read(kFirstLane);
    k.read(kSecondLane);
  };
  put(Rule::kReadExclusive, [](Kernel& k) {
    k.read(kFirstLane);
    k.read(kFirstLane);
  });
  put(Rule::kReadInflate, shared);
  put(Rule::kReadShared, [=](Kernel& k) {
    shared(k);
    k.read(kThree);
  });
  put(Rule::kWriteExclusive, [](Kernel& k) {
    k.read(kFirstLane);
    k.write(kFirstLane);
  });
  put(Rule::kWriteShared, [=](Kernel& k) {
    shared(k);
    k.barrier(0);
    k.write(kFirstLane);
  });
  put(Rule::kEndInstruction, [](Kernel& k) {
    k.write({0, 0, 1});
    k.write({0, 0, 3}, kFlag, 4);
    k.read({0, 0, 2});  // the warp is in lockstep
  });
  put(Rule::kIf, [](Kernel& k) {
    k.write({0, 0, 1});
    k.branch({0, 0, 2}, ~Lanes{2});
    k.read({0, 0, 2});
  });
  put(Rule::kElseEndif, [](Kernel& k) {
    k.branch({0, 0, 1}, ~Lanes{1});
    k.write({0, 0, 1});
    k.reconverge({0, 0, kAllLanes});
    k.read({0, 0, 2});
  });
  put(Rule::kBarrier, [](Kernel& k) {
    k.write(kFirstLane);
    k.barrier(0);
    k.read(kSecondLane);
  });
  put(Rule::kInitAtomExclusive, [](Kernel& k) {
    k.write(kFirstLane);
    k.add(kFirstLane, kData);
  });
  put(Rule::kInitAtomShared, [=](Kernel& k) {
    shared(k);
    k.barrier(0);
    k.add(kFirstLane, kData);
  });
  put(Rule::kAtomExclusive, [](Kernel& k) {
    k.add(kFirstLane, kData);
    k.add(kThree, kData);
  });
  put(Rule::kAtomShared, [=](Kernel& k) {
    k.add(kFirstLane, kData);
    k.barrier(0);
    shared(k);
    k.barrier(0, 1);
    k.add(kSecondLane, kData);
  });
  put(Rule::kAtomRead, [](Kernel& k) {
    k.add(kFirstLane, kData);
    k.atomic(kThree, StepKind::kAtomicLoad, kData, Scope::kDevice);
    k.swap(kThree, kData, Scope::kDevice, false);
  });
  const auto handed = [](Kernel& k, By to, Scope releases, Scope acquires) {
    k.write(kFirstLane);
    k.fence(kFirstLane, releases);
    k.exchange(kFirstLane, kFlag);
    k.swap(to, kFlag);
    k.fence(to, acquires);
    k.read(to);
  };
  put(Rule::kAcquireBlock,
      [=](Kernel& k) { handed(k, kSecondLane, Scope::kBlock, Scope::kBlock); });
  put(Rule::kReleaseBlock,
      [=](Kernel& k) { handed(k, kSecondLane, Scope::kBlock, Scope::kBlock); });
  put(Rule::kAcquireGlobal, [=](Kernel& k) { handed(k, kThree, Scope::kBlock, Scope::kDevice); });
  put(Rule::kReleaseGlobal, [=](Kernel& k) { handed(k, kThree, Scope::kDevice, Scope::kBlock); });
  for (const bool global : {false, true}) {
    const Scope scope = global ? Scope::kDevice : Scope::kBlock;
    put(global ? Rule::kAcquireReleaseGlobal : Rule::kAcquireReleaseBlock, [=](Kernel& k) {
      const By last = global ? By{2, 0, 1} : By{0, 2, 1};
      k.write(kFirstLane);
      k.add(kFirstLane, kFlag, scope, Order::kRelease);
      k.add(global ? kThree : kSecondLane, kFlag, scope, Order::kAcqRel);
      k.add(last, kFlag, scope, Order::kAcquire);
      k.read(last);
    });
  }
  put(Rule::kSameValue, [](Kernel& k) {
    Step s = k.make({0, 0, kAllLanes}, StepKind::kWrite, kData);
    k.values.fill(1);
    s.value = k.values.data();
    k.put(s);
  });
  put(
      Rule::kRaceWithWrite,
      [](Kernel& k) {
        k.write(kFirstLane);
        k.read(kThree);
      },
      true);
  put(
      Rule::kRaceWithRead,
      [](Kernel& k) {
        k.read(kFirstLane);
        k.write(kThree);
      },
      true);
  put(Rule::kRaceInInstruction, [](Kernel& k) { k.write({0, 0, 3}); }, true);
  put(
      Rule::kBarrierDivergence,
      [](Kernel& k) {
        k.branch({0, 0, 1}, ~Lanes{1});
        k.arrive({0, 0, 1});
        k.arrive({0, 1, kAllLanes});
        k.arrive({0, 2, kAllLanes});
        k.pass({0, 1, kAllLanes});
      },
      true);
  return all;
}

TEST(BarracudaRules, EachIsAppliedAndCounted) {
  std::set<Rule> seen;
  for (const Case& one : cases()) {
    Kernel k(3, 96);
    one.run(k);
    k.end();
    const auto& row = kRules[static_cast<std::size_t>(one.rule)];
    EXPECT_GT(k.model.count(one.rule), 0U) << row.name;
    EXPECT_EQ(k.model.races().empty(), !one.racy) << row.name;
    EXPECT_EQ(row.kind == RuleKind::kRacy, one.racy) << row.name;
    seen.insert(one.rule);
    bool listed = false;
    for (const Counter& counter : k.model.stats()) {
      listed |=
          counter.name == row.name && counter.value == static_cast<double>(k.model.count(one.rule));
    }
    EXPECT_TRUE(listed) << row.name;
  }
  EXPECT_EQ(seen.size(), kRuleCount);
}

// A premise that does not hold, for each row that has one.
TEST(BarracudaRules, WithoutTheirPremisesTheyRace) {
  const auto racy = [](const std::function<void(Kernel&)>& run, Rule rule) {
    Kernel k(3, 96);
    run(k);
    EXPECT_EQ(k.model.races().size(), 1U);
    EXPECT_EQ(k.model.count(rule), 1U);
  };
  const auto shared = [](Kernel& k) {
    k.read(kFirstLane);
    k.read(kSecondLane);
  };
  racy([](Kernel& k) { k.write(kFirstLane), k.read(kSecondLane); }, Rule::kRaceWithWrite);
  racy([](Kernel& k) { k.write(kFirstLane), k.write(kSecondLane); }, Rule::kRaceWithWrite);
  racy([=](Kernel& k) { shared(k), k.write(kFirstLane); }, Rule::kRaceWithRead);
  racy([](Kernel& k) { k.write(kFirstLane), k.add(kSecondLane, kData); }, Rule::kRaceWithWrite);
  racy([=](Kernel& k) { shared(k), k.add(kFirstLane, kData); }, Rule::kRaceWithRead);
  racy(
      [=](Kernel& k) {
        k.add(kFirstLane, kData), k.barrier(0), shared(k), k.add(kFirstLane, kData);
      },
      Rule::kRaceWithRead);
  racy([](Kernel& k) { k.add(kFirstLane, kData), k.read(kSecondLane); }, Rule::kRaceWithWrite);
  racy([](Kernel& k) { k.add(kFirstLane, kData), k.write(kSecondLane); }, Rule::kRaceWithWrite);
  racy([](Kernel& k) { k.swap(kFirstLane, kData, Scope::kDevice, false), k.write(kSecondLane); },
       Rule::kRaceWithRead);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
