// What the unit decides: as core/detect/gpu/scord without extensions, and the sketches of section VI.
#include "sim/models/scord/detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/detect/gpu/scord/scord.h"
#include "core/detect/gpu/testing.h"

namespace redflag::sim {
namespace {

using gpu::By;
using gpu::kData;
using gpu::kFlag;
using gpu::StepKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kMemory = 1 << 16;

// A unit with its memory, as gpu::KernelOn drives detectors.
class Unit {
 public:
  explicit Unit(const ScordParameters& parameters) : unit(parameters, memory) {
    memory.allocate(0x1000, kMemory);
  }
  void launch_begins(const gpu::Launch& launch) { unit.launch_begins(launch); }
  void launch_ends(gpu::LaunchId launch) { unit.launch_ends(launch); }
  void step(const gpu::Step& step) {
    unit.control(step);
    unit.step(step);
  }
  std::vector<gpu::GpuRace> races() const { return unit.races(); }

  PhysicalMemory memory;
  DetectionUnit unit;
};
using K = gpu::KernelOn<Unit, ScordParameters>;

constexpr By kBlock0{0, 0, 1};
constexpr By kBlock1{1, 0, 1};

TEST(DetectionUnit, FindsWhatTheRulesSay) {
  K k(2, 64);
  k.volatile_write(kBlock0, kData);
  k.volatile_read(kBlock1, kData);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
  K fenced(2, 64);
  fenced.volatile_write(kBlock0, kData);
  fenced.fence(kBlock0);
  fenced.volatile_read(kBlock1, kData);
  EXPECT_THAT(fenced.races(), IsEmpty());
}

// The same decisions as the functional detector, on random steps of a memory without aliases.
TEST(DetectionUnit, DecidesAsTheFunctionalDetector) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    K k(3, 96, {.metadata_cache = false});
    gpu::KernelOn<gpu::scord::Scord, gpu::scord::Options> other(3, 96, {.metadata_cache = false});
    std::uint32_t barriers = 0;
    for (int i = 0; i < 300; ++i) {
      const By by{random() % 3, static_cast<std::uint32_t>(random() % 3), 1U << random() % 4};
      const std::uint64_t at = kData + random() % 4 * 4;
      const auto both = [&](auto what) {
        what(k);
        what(other);
      };
      switch (random() % 8) {
        case 0:
          both([&](auto& on) { on.write(by, at, 4); });
          break;
        case 1:
          both([&](auto& on) { on.volatile_write(by, at); });
          break;
        case 2:
          both([&](auto& on) { on.volatile_read(by, at); });
          break;
        case 3:
          both([&](auto& on) { on.fence(by, i % 2 == 0 ? Scope::kBlock : Scope::kDevice); });
          break;
        case 4:
          both([&](auto& on) { on.add(by, at, i % 3 == 0 ? Scope::kBlock : Scope::kDevice); });
          break;
        case 5:
          both([&](auto& on) { on.swap(by, kFlag); });
          break;
        case 6:
          both([&](auto& on) { on.exchange(by, kFlag); });
          break;
        default:
          if (random() % 4 == 0) {
            both([&](auto& on) {
              for (std::uint64_t block = 0; block < 3; ++block) on.barrier(block, barriers);
            });
            ++barriers;
          }
          break;
      }
    }
    ASSERT_EQ(k.model.races(), other.model.races());
    for (std::size_t rule = 0; rule < gpu::scord::kRuleCount; ++rule) {
      const auto which = static_cast<gpu::scord::Rule>(rule);
      ASSERT_EQ(k.model.unit.count(which), other.model.count(which)) << rule;
    }
  }
}

// Two places that share an entry: the later one makes the first forgotten, and no race is invented.
TEST(DetectionUnit, TheCacheForgets) {
  const auto races = [](bool cached) {
    K k(2, 64, {.metadata_cache = cached});
    k.volatile_write(kBlock0, kData);
    k.volatile_write(kBlock0, kData + kMemory / 16);
    k.volatile_read(kBlock1, kData);
    return k.races();
  };
  EXPECT_THAT(races(false), ElementsAre("inter-block"));
  EXPECT_THAT(races(true), IsEmpty());
}

TEST(DetectionUnit, CoarseUnitsReportWhatIsApart) {
  const auto races = [](std::uint32_t granularity) {
    K k(2, 64, {.metadata_cache = false, .granularity = granularity});
    k.volatile_write(kBlock0, kData);
    k.volatile_write(kBlock1, kData + 4);
    return k.races();
  };
  EXPECT_THAT(races(4), IsEmpty());
  EXPECT_THAT(races(8), ElementsAre("inter-block"));
  EXPECT_THAT(races(16), ElementsAre("inter-block"));
}

// Section VI: lanes of a diverged warp.
TEST(IndependentThreads, DivergedLanesRaceOnlyWithTheExtension) {
  const auto races = [](bool extension) {
    K k(1, 32, {.independent_threads = extension});
    k.branch({0, 0, 0xFFFF}, 0xFFFF0000);
    k.write({0, 0, 1}, kData);
    k.read({0, 0, 0x10000}, kData);
    return k.races();
  };
  EXPECT_THAT(races(false), IsEmpty());
  EXPECT_THAT(races(true), ElementsAre("intra-warp"));
}

TEST(IndependentThreads, AWarpThatIsTogetherIsOneThread) {
  K k(1, 32, {.independent_threads = true});
  k.write({0, 0, 1}, kData);
  k.read({0, 0, 0x10000}, kData);
  k.branch({0, 0, 0xFFFF}, 0xFFFF0000);
  k.write({0, 0, 1}, kData + 64);
  gpu::Step meet = k.make({0, 0, ~0U}, StepKind::kReconverge);
  k.put(meet);
  k.read({0, 0, 0x10000}, kData + 64);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(IndependentThreads, ALaneIsInOrderWithItself) {
  K k(1, 32, {.independent_threads = true});
  k.branch({0, 0, 0xFFFF}, 0xFFFF0000);
  k.write({0, 0, 4}, kData);
  k.read({0, 0, 4}, kData);
  EXPECT_THAT(k.races(), IsEmpty());
}

TEST(IndependentThreads, WarpsAreToldApartAsBefore) {
  K k(1, 64, {.independent_threads = true});
  k.write({0, 0, 1}, kData);
  k.read({0, 1, 1}, kData);
  EXPECT_THAT(k.races(), ElementsAre("intra-block"));
}

// Section VI: message passing by release and acquire, of ordinary data.
void message(K& k, Order store, Order load, Scope scope) {
  k.write(kBlock0, kData);
  k.atomic(kBlock0, StepKind::kAtomicStore, kFlag, scope, store);
  k.atomic(kBlock1, StepKind::kAtomicLoad, kFlag, scope, load);
  k.read(kBlock1, kData);
}

TEST(AcquireRelease, OrdersOrdinaryDataThatFencesDoNot) {
  const auto races = [](bool extension, Order store, Order load, Scope scope) {
    K k(2, 32, {.metadata_cache = false, .acquire_release = extension});
    message(k, store, load, scope);
    return k.races();
  };
  // Without it a release is a fence, and a fence orders only strong accesses (table IV(c)).
  EXPECT_THAT(races(false, Order::kRelease, Order::kAcquire, Scope::kDevice),
              ElementsAre("inter-block"));
  EXPECT_THAT(races(true, Order::kRelease, Order::kAcquire, Scope::kDevice), IsEmpty());
  EXPECT_THAT(races(true, Order::kRelaxed, Order::kAcquire, Scope::kDevice),
              ElementsAre("inter-block"));
  EXPECT_THAT(races(true, Order::kRelease, Order::kRelaxed, Scope::kDevice),
              ElementsAre("inter-block"));
  // Of a scope that does not reach: the flag itself, and the data.
  EXPECT_THAT(races(true, Order::kRelease, Order::kAcquire, Scope::kBlock),
              ElementsAre("scoped-atomic", "inter-block"));
}

TEST(AcquireRelease, WhatComesBehindTheReleaseIsNotOrdered) {
  K k(2, 32, {.metadata_cache = false, .acquire_release = true});
  k.atomic(kBlock0, StepKind::kAtomicStore, kFlag, Scope::kDevice, Order::kRelease);
  k.write(kBlock0, kData);
  k.atomic(kBlock1, StepKind::kAtomicLoad, kFlag, Scope::kDevice, Order::kAcquire);
  k.read(kBlock1, kData);
  EXPECT_THAT(k.races(), ElementsAre("inter-block"));
}

}  // namespace
}  // namespace redflag::sim
