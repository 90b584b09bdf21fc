// What holds for every GPU detector of the table.
#include "core/detect/gpu/gpu_registry.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/memory.h"
#include "core/detect/gpu/random_steps.h"
#include "core/detect/registry.h"

namespace redflag::gpu {
namespace {

TEST(GpuRegistry, NamesAreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const GpuDetectorInfo& d : kGpuDetectors) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_EQ(find_gpu_detector(d.name), &d);
    EXPECT_EQ(find_detector(d.name), nullptr) << "one option names both kinds";
    EXPECT_FALSE(d.summary.empty());
  }
  EXPECT_EQ(find_gpu_detector("no-such"), nullptr);
  EXPECT_NE(find_gpu_detector(kDefaultGpuDetector), nullptr);
}

// Two blocks write one word.
TEST(GpuRegistry, AllFindTheSimplestRace) {
  for (const GpuDetectorInfo& d : kGpuDetectors) {
    std::size_t told = 0;
    GpuDetectorOptions options;
    options.on_race = [&](const GpuRace&) { ++told; };
    const auto detector = d.make(options);
    Launch launch;
    launch.id = LaunchId{1};
    launch.grid.x = 2;
    launch.block.x = 32;
    detector->launch_begins(launch);
    std::array<std::uint64_t, kWarp> addresses{};
    addresses.fill(0x1000);
    Step s;
    s.kind = StepKind::kWrite;
    s.lanes = s.converged = 1;
    s.size = 4;
    s.address = addresses.data();
    for (s.block = 0; s.block < 2; ++s.block) {
      s.site = SiteId{static_cast<std::uint32_t>(s.block) + 1};
      detector->step(s);
    }
    detector->launch_ends(launch.id);
    ASSERT_EQ(detector->races().size(), 1U) << d.name;
    EXPECT_EQ(told, 1U) << d.name;
    EXPECT_EQ(detector->races()[0].kind, RaceClass::kInterBlock) << d.name;
    EXPECT_EQ(detector->races()[0].second.site, SiteId{2}) << d.name;
    EXPECT_GT(detector->metadata_bytes(), 0U) << d.name;
    EXPECT_FALSE(detector->stats().empty()) << d.name;
  }
}

// A detector must survive what no kernel does: traces may be damaged.
TEST(GpuRegistry, DetectorsSurviveNonsense) {
  std::array<std::uint64_t, kWarp> addresses{};
  addresses.fill(~std::uint64_t{0} - 2);
  addresses[3] = shared_address(77, 5);
  for (const GpuDetectorInfo& d : kGpuDetectors) {
    const auto detector = d.make({});
    Launch launch;
    launch.id = LaunchId{1};
    launch.grid.x = 2;
    launch.block.x = 40;
    for (const bool running : {false, true}) {
      if (running) detector->launch_begins(launch);
      for (int kind = 0; kind <= static_cast<int>(StepKind::kExit); ++kind) {
        if (!running && d.precise) continue;  // the oracle's steps are of a launch
        for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
          for (const std::uint32_t warp : {0U, 1U, 2U, 31U, ~0U}) {
            Step s;
            s.kind = static_cast<StepKind>(kind);
            s.block = block;
            s.warp = warp;
            s.lanes = s.converged = 0xF000000F;
            s.size = 4;
            s.object = s.round = ~0U;
            s.op = RmwOp::kCompareSwap;
            s.order = Order::kAcqRel;
            s.address = s.source = addresses.data();
            detector->step(s);
          }
        }
      }
      detector->launch_ends(launch.id);
    }
    HostStep host;
    host.kind = HostKind::kFree;
    host.address = ~std::uint64_t{0} - 100;
    host.size = 1000;
    detector->host(host);
  }
}

TEST(GpuRegistry, OptionsReachTheirDetectors) {
  for (const GpuDetectorInfo& d : kGpuDetectors) {
    for (const unsigned granularity : {4U, 8U, 16U}) {
      for (const unsigned accessors : {1U, 2U, 4U, 8U}) {
        PageResource memory;
        GpuDetectorOptions options;
        options.granularity = granularity;
        options.accessors = accessors;
        options.metadata_cache = accessors == 1;
        options.most_races = 2;
        options.memory = &memory;
        const auto detector = d.make(options);
        for (std::uint64_t seed = 1; seed < 20; ++seed) {
          RandomProgram(seed).run(*detector, [](std::size_t) {});
        }
        EXPECT_EQ(detector->races().size(), 2U) << d.name;
        EXPECT_GT(detector->dropped(), 0U) << d.name;
        EXPECT_TRUE(d.precise || memory.bytes_in_use() > 0) << d.name;
      }
    }
  }
}

}  // namespace
}  // namespace redflag::gpu
