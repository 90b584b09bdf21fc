// The comparison on kernels of limits_test.cpp: who found what, and the cause of each difference.
#include "core/detect/gpu/comparison.h"

#include <gtest/gtest.h>

#include <set>

#include "core/detect/gpu/testing.h"

namespace redflag::gpu {
namespace {

// Keeps what it is told, to be told twice.
struct Recorder final : Sink {
  struct Options {};
  explicit Recorder(Options /*none*/) {}

  void launch_begins(const Launch& launch) override {
    StepList::Item item;
    item.what = StepList::What::kBegin;
    item.launch = launch;
    items.push_back(item);
  }
  void step(const Step& step) override {
    StepList::Item item;
    item.step = step;
    const auto copy = [](const std::uint64_t* from, StepList::Addresses& to) {
      for (unsigned i = 0; from != nullptr && i < kWarp; ++i) to[i] = from[i];
      return from != nullptr;
    };
    copy(step.address, item.address);
    item.has_source = copy(step.source, item.source);
    item.has_value = copy(step.value, item.value);
    items.push_back(item);
  }
  void launch_ends(LaunchId launch) override {
    StepList::Item item;
    item.what = StepList::What::kEnd;
    item.launch.id = launch;
    items.push_back(item);
  }
  void host(const HostStep& step) override {
    StepList::Item item;
    item.what = StepList::What::kHost;
    item.host = step;
    items.push_back(item);
  }
  std::vector<GpuRace> races() const { return {}; }

  std::vector<StepList::Item> items;
};
using K = KernelOn<Recorder, Recorder::Options>;

// One line for each row: lines, then each of those detectors: "found", "-", or its causes.
std::vector<std::string> compared(K& k, GpuDetectorOptions options = {},
                                  const std::set<std::string_view>& of = {"scord", "iguard"}) {
  k.end();
  const StepList program(k.model.items);
  Comparison comparison(std::move(options));
  program.run(comparison, [](std::size_t) {});
  comparison.lay_out([](SiteId site) { return std::to_string(raw(site)); });
  Excerpt excerpt(comparison.areas());
  program.run(excerpt, [](std::size_t) {});
  comparison.judge(excerpt);
  std::vector<std::string> out;
  for (const ComparedRow& row : comparison.rows()) {
    std::string line = (row.is_race ? "race " : "ordered ") + row.first + " " + row.second;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string_view name = comparison.detectors()[i].info->name;
      if (!of.contains(name)) continue;
      const Cell& cell = row.cells[i];
      line += "; " + std::string(name) + (cell.found ? " found" : " -");
      for (const Cause cause : cell.causes) line += ", " + std::string(gpu::name(cause));
      if (!cell.instead.empty()) line += ", as line " + cell.instead;
      if (!cell.fault.empty()) line += ", FAULT " + cell.fault;
    }
    out.push_back(std::move(line));
  }
  return out;
}
using Lines = std::vector<std::string>;

constexpr By kA{0, 0, 1};
constexpr By kB{1, 0, 1};
constexpr By kC{2, 0, 1};
void signal(K& k, By from, By to) {
  k.add(from, kFlag);
  k.add(to, kFlag);
}

TEST(Comparison, AllFindIt) {
  K k(2, 32);
  k.write(kA);
  k.write(kB);
  EXPECT_EQ(compared(k), (Lines{"race 1 2; scord found; iguard found"}));
}

TEST(Comparison, NothingToSay) {
  K k(2, 32);
  k.write(kA);
  k.fence(kA);
  EXPECT_EQ(compared(k), Lines{});
}

TEST(Comparison, Missed) {
  K fence(2, 32);
  fence.volatile_write(kA, kData);
  fence.fence(kA);
  fence.volatile_read(kB, kData);
  EXPECT_EQ(compared(fence), (Lines{"race 1 3; scord -, fence alone; iguard -, fence alone"}));

  K last(3, 32);
  last.volatile_read(kA, kData);
  last.volatile_read(kB, kData);
  last.fence(kB);
  signal(last, kB, kC);
  last.volatile_write(kC, kData);
  EXPECT_EQ(compared(last), (Lines{"race 1 6; scord -, last accessor; iguard -, last accessor"}));

  K warp(1, 32);
  warp.write({0, 0, 1});
  warp.read({0, 0, 0b10});
  EXPECT_EQ(compared(warp), (Lines{"race 1 2; scord -, within warp; iguard found"}));

  K shared(1, 64);
  shared.write({0, 0, 1}, shared_address(0, 0));
  shared.write({0, 1, 1}, shared_address(0, 0));
  EXPECT_EQ(compared(shared), (Lines{"race 1 2; scord -, shared memory; iguard -, shared memory"}));

  K numbers(129, 32);
  numbers.write({0, 0, 1});
  numbers.write({128, 0, 1});
  EXPECT_EQ(compared(numbers), (Lines{"race 1 2; scord -, numbers wrap; iguard found"}));

  K together(1, 32);
  Step s = together.make({0, 0, 0b11}, StepKind::kWrite, kData);
  together.values[1] = 1;
  s.value = together.values.data();
  together.put(s);
  EXPECT_EQ(compared(together),
            (Lines{"race 1 1; scord -, one instruction; iguard -, one instruction"}));
}

TEST(Comparison, OtherLaunches) {
  K k(1, 32);
  k.write(kA);
  k.end();
  k.launch.stream = StreamId{1};
  k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{1});
  k.begin();
  k.write(kA);
  EXPECT_EQ(compared(k), (Lines{"race 1 3; scord -, other launch; iguard -, other launch"}));
}

TEST(Comparison, ReportedThoughOrdered) {
  K weak(2, 32);
  weak.write(kA);
  weak.fence(kA);
  signal(weak, kA, kB);
  weak.read(kB);
  EXPECT_EQ(compared(weak), (Lines{"ordered  5; scord found, not strong; iguard -"}));

  K locks(2, 32);
  locks.swap(kA, 0x8000);
  locks.fence(kA);
  locks.volatile_write(kA, kData);
  locks.fence(kA);
  locks.exchange(kA, 0x8000);
  signal(locks, kA, kB);
  locks.volatile_write(kB, kData);
  EXPECT_EQ(compared(locks),
            (Lines{"ordered  8; scord found, lock discipline; iguard found, lock discipline"}));

  K another(2, 64);
  another.volatile_write({0, 1, 1}, kData);
  another.barrier(0);
  another.fence(kA);
  signal(another, kA, kB);
  another.fence(kB);
  const SiteId read = another.volatile_read(kB, kData);
  EXPECT_EQ(compared(another),
            (Lines{"ordered  " + std::to_string(raw(read)) +
                   "; scord found, fence of another; iguard found, fence of another"}));

  K scope(2, 32);
  scope.add(kA, kData, Scope::kBlock);
  scope.fence(kA);
  signal(scope, kA, kB);
  scope.add(kB, kData, Scope::kDevice);
  EXPECT_EQ(compared(scope),
            (Lines{"ordered  5; scord found, scope alone; iguard found, scope alone"}));

  K fences(2, 32);
  fences.volatile_write(kA, kData);
  for (int i = 0; i < 64; ++i) fences.fence(kA);
  signal(fences, kA, kB);
  const SiteId behind = fences.volatile_read(kB, kData);
  EXPECT_EQ(compared(fences), (Lines{"ordered  " + std::to_string(raw(behind)) +
                                     "; scord found, counters wrap; iguard found, counters wrap"}));
}

TEST(Comparison, Granularity) {
  GpuDetectorOptions options;
  options.granularity = 8;
  K k(2, 32);
  k.write(kA, kData);
  k.write(kB, kData + 4);
  EXPECT_EQ(compared(k, options),
            (Lines{"ordered  2; scord found, granularity; iguard found, granularity"}));
}

// What barracuda and curd define otherwise: the oracle agrees when it is told to take the same.
TEST(Comparison, OtherDefinitions) {
  const auto by = [](K& k) { return compared(k, {}, {"barracuda"}); };
  K warp(1, 32);
  warp.write({0, 0, 1});
  warp.read({0, 0, 0b10});
  EXPECT_EQ(by(warp), (Lines{"race 1 2; barracuda -, lockstep"}));

  K scopes(2, 32);
  scopes.add(kA, kData, Scope::kDevice);
  scopes.add(kB, kData, Scope::kBlock);
  EXPECT_EQ(by(scopes), (Lines{"race 1 2; barracuda -, one scope"}));

  K signals(2, 32);
  signals.write(kA, kData);
  signals.fence(kA);
  signals.write(kA, kFlag);
  signals.read(kB, kFlag);
  signals.fence(kB);
  signals.read(kB, kData);
  EXPECT_EQ(by(signals), (Lines{"race 3 4; barracuda -, store signals",
                                "race 1 6; barracuda -, store signals"}));

  K lanes(1, 32);
  lanes.launch.sync = SyncOps{};
  lanes.launch.sync.known = true;
  lanes.end();
  lanes.begin();
  lanes.write({0, 0, 1});
  lanes.read({0, 0, 0b11}, kFlag);
  lanes.read({0, 0, 0b10});
  EXPECT_EQ(compared(lanes, {}, {"curd"}), (Lines{"ordered 1 3; curd found, lanes apart"}));
}

// Lanes that met at an access of other memory are in order: the excerpt must not lose that.
TEST(Comparison, ConvergenceElsewhere) {
  K k(1, 32);
  k.write({0, 0, 1});
  k.read({0, 0, 0b11}, kFlag);
  k.read({0, 0, 0b10});
  EXPECT_EQ(compared(k), (Lines{"ordered  3; scord -; iguard found, earlier convergence"}));
}

TEST(Comparison, FiguresOfEachDetector) {
  K k(4, 64);
  for (std::uint64_t block = 0; block < 4; ++block) {
    for (int i = 0; i < 1000; ++i) k.write({block, 0, kAllLanes}, kData + 4096 * block, 4);
  }
  k.end();
  const StepList program(k.model.items);
  Comparison comparison;
  program.run(comparison, [](std::size_t) {});
  EXPECT_EQ(comparison.steps(), 4000U);
  EXPECT_EQ(comparison.launches(), 1U);
  EXPECT_EQ(comparison.detectors().size(), kGpuDetectors.size());
  EXPECT_EQ(comparison.detectors()[0].info->name, kDefaultGpuDetector);
  for (std::size_t i = 0; i < comparison.detectors().size(); ++i) {
    EXPECT_GT(comparison.seconds(i), 0.0);
    EXPECT_GT(comparison.detectors()[i].most_metadata, 0U);
  }
}

}  // namespace
}  // namespace redflag::gpu
