// Kernels with hooks on the emulated device, which tells nothing itself: what comes through the queue.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/gpu/gpu_registry.h"
#include "frontends/cuda/device/stream_source.h"
#include "frontends/cuda/device/testing.h"
#include "frontends/cuda/emulate/testing.h"

namespace redflag::device {

std::string_view stream_test_ptx(std::uint32_t sm);  // by redflag_device_runtime

namespace {

using cuda::testing::Gpu;
using cuda::testing::Keeper;
using cuda::testing::KeptStep;
using gpu::StepKind;

// A device with the kernels, and a source that tells `sink`.
struct Streamed {
  Streamed(gpu::Sink& sink, std::uint64_t seed, const StreamOptions& options = {},
           std::uint32_t sm = 75)
      : gpu(std::string(stream_test_ptx(sm)), {.seed = seed, .timeout_ms = 60'000}),
        memory(gpu.device),
        source(memory, sink, options) {
    const Result<std::uint64_t> state = source.state();
    EXPECT_TRUE(state);
    const Result<cuda::Symbol> symbol = gpu.device.find_symbol(gpu.id, kStateSymbol);
    EXPECT_TRUE(symbol);
    if (state && symbol) std::memcpy(reinterpret_cast<void*>(symbol->address), &*state, 8);
  }
  template <typename... Values>
  void launch(const char* kernel, const cuda::LaunchConfig& config, Values... values) {
    gpu::Launch told;
    told.id = gpu::LaunchId{++launches};
    told.kernel = kernel;
    told.grid = config.grid;
    told.block = config.block;
    told.shared_bytes = 1024;
    source.launch_begins(told);
    EXPECT_EQ(gpu.launch(kernel, config, values..., std::uint64_t{launches}).text, "");
    source.launch_ends(told.id);
  }

  Gpu gpu;
  testing::EmulatedMemory memory;
  StreamSource source;
  std::uint32_t launches = 0;
};

std::vector<KeptStep> of_site(const Keeper& keeper, std::uint32_t site) {
  std::vector<KeptStep> some;
  for (const KeptStep& each : keeper.steps) {
    if (raw(each.site) == site) some.push_back(each);
  }
  return some;
}

struct Stream : ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Stream, AddressesInEveryFormAndSpace) {
  Keeper keeper;
  Streamed run(keeper, GetParam());
  auto* const data = run.gpu.array<std::uint32_t>(128);
  run.launch("forms", {.grid = {2}, .block = {40}}, data);
  (void)run.source.settle();
  const auto base = reinterpret_cast<std::uint64_t>(data);
  ASSERT_EQ(keeper.launches.size(), 1U);
  ASSERT_EQ(keeper.ended.size(), 1U);
  std::uint64_t loads = 0;
  for (const KeptStep& each : keeper.steps) {
    const std::uint32_t site = raw(each.site);
    if (site == 0 || each.size == 0) continue;  // exits, branches
    const gpu::Lanes whole = each.warp == 0 ? ~gpu::Lanes{0} : 0xff;
    EXPECT_NE(site, 6U) << "local memory is nobody else's";
    EXPECT_EQ(each.kind, site == 1 || site >= 5 ? StepKind::kRead : StepKind::kWrite);
    EXPECT_EQ(each.size, 4U);
    EXPECT_EQ(each.converged, each.lanes);
    if (site == 1) ++loads;
    if (site <= 4) {
      EXPECT_EQ(each.lanes, whole) << site;
    }
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      if ((each.lanes >> lane & 1) == 0) continue;
      const std::uint64_t me = std::uint64_t{each.warp} * 32 + lane;
      const std::uint64_t in_tile = gpu::shared_offset(each.addresses[lane]);
      switch (site) {
        case 1:
          EXPECT_EQ(each.addresses[lane], base);
          break;
        case 2:
          EXPECT_EQ(each.addresses[lane], base + 4 * me);
          EXPECT_EQ(each.values.at(lane), me);
          break;
        case 3:
          EXPECT_EQ(each.addresses[lane], base + 4 * (me * 7 & 63));
          EXPECT_EQ(each.values.at(lane), 5U);
          break;
        case 4:
          EXPECT_EQ(each.space, gpu::Space::kShared);
          EXPECT_EQ(gpu::shared_block(each.addresses[lane]), each.block);
          EXPECT_LT(in_tile, 1024U + 64);
          EXPECT_EQ(each.values.at(lane), me + 1);
          break;
        case 5:
          EXPECT_EQ(me % 3, 0U);
          break;
        case 7:
          EXPECT_EQ(each.space == gpu::Space::kShared, me % 2 == 0);
          EXPECT_EQ(gpu::is_shared(each.addresses[lane]), me % 2 == 0);
          break;
        default:
          ADD_FAILURE() << site;
      }
    }
  }
  EXPECT_EQ(loads, 4U);
  std::size_t mixed = 0;
  for (const KeptStep& each : of_site(keeper, 7)) mixed += each.kind == StepKind::kRead ? 1 : 0;
  EXPECT_EQ(mixed, 8U);
}

// What the oracle says of the same kernel with and without its synchronisation.
bool races(std::uint64_t seed, const char* kernel, const cuda::LaunchConfig& config,
           int synchronises, const char* detector = "ptx_model") {
  const auto oracle = gpu::find_gpu_detector(detector)->make({.strictness = gpu::Strictness::kPtx});
  Streamed run(*oracle, seed);
  auto* const data = run.gpu.array<std::uint32_t>(1024);
  if (synchronises < 0) {
    run.launch(kernel, config, data);
  } else {
    run.launch(kernel, config, data, static_cast<std::uint64_t>(synchronises));
  }
  const auto lock = run.source.settle();
  return !oracle->races().empty();
}

TEST_P(Stream, BarriersOrder) {
  const cuda::LaunchConfig config{.grid = {3}, .block = {128}};
  EXPECT_TRUE(races(GetParam(), "neighbours", config, 0));
  EXPECT_FALSE(races(GetParam(), "neighbours", config, 1));
  EXPECT_FALSE(races(GetParam(), "neighbours", config, 1, "barracuda"));
  EXPECT_TRUE(races(GetParam(), "neighbours", config, 0, "barracuda"));
}
TEST_P(Stream, FencesAndAtomicsOrder) {
  const cuda::LaunchConfig config{.grid = {12}, .block = {64}};
  EXPECT_TRUE(races(GetParam(), "tickets", config, 0));
  EXPECT_FALSE(races(GetParam(), "tickets", config, 1));
}
TEST_P(Stream, PolledFlagsOrder) {
  EXPECT_FALSE(races(GetParam(), "flags", {.grid = {3}, .block = {32}}, -1));
}
TEST_P(Stream, LanesThatMeetAreOrdered) {
  EXPECT_FALSE(races(GetParam(), "meetings", {.grid = {1}, .block = {32}}, -1));
}

TEST_P(Stream, MeetingsAndArrivalsAreToldOnce) {
  Keeper keeper;
  Streamed run(keeper, GetParam());
  auto* const data = run.gpu.array<std::uint32_t>(128);
  run.launch("meetings", {.grid = {1}, .block = {32}}, data);
  (void)run.source.settle();
  const std::vector<KeptStep> met = keeper.of(StepKind::kWarpSync);
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].lanes, ~gpu::Lanes{0});
  const std::vector<KeptStep> arrived = keeper.of(StepKind::kBarrierArrive);
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(arrived[0].lanes, 0x00ffffffU);
  EXPECT_TRUE(arrived[0].aligned);
}

TEST_P(Stream, LanesThatCallTogetherFromTwoSites) {
  Keeper keeper;
  Streamed run(keeper, GetParam());
  auto* const data = run.gpu.array<std::uint32_t>(32);
  run.launch("merged", {.grid = {1}, .block = {32}}, data);
  (void)run.source.settle();
  std::vector<std::pair<std::uint32_t, gpu::Lanes>> found;
  for (const KeptStep& each : keeper.of(StepKind::kWrite)) {
    found.emplace_back(raw(each.site), each.lanes);
  }
  EXPECT_EQ(found, (std::vector<std::pair<std::uint32_t, gpu::Lanes>>{{11, 0x7f}, {12, ~0x7fU}}));
}

TEST_P(Stream, ValuesOfExchanges) {
  Keeper keeper;
  Streamed run(keeper, GetParam());
  auto* const data = run.gpu.array<std::uint32_t>(4);
  run.launch("locks", {.grid = {1}, .block = {64}}, data);
  (void)run.source.settle();
  const std::vector<KeptStep> all = of_site(keeper, 1);
  ASSERT_EQ(all.size(), 2U);
  for (const KeptStep& each : all) {
    EXPECT_EQ(each.kind, StepKind::kAtomicRmw);
    EXPECT_EQ(each.op, gpu::RmwOp::kExchange);
    EXPECT_EQ(each.wrote, ~gpu::Lanes{0});
    EXPECT_EQ(each.scope, Scope::kDevice);
    ASSERT_EQ(each.values.size(), 32U);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(each.values[lane], each.warp * 32 + lane + 10);
    }
  }
}

// A ring of 256 words, which every warp fills many times: kernels wait, and nothing is lost.
TEST_P(Stream, NothingIsLostWhenTheQueueIsFull) {
  Keeper keeper;
  Streamed run(keeper, GetParam(), {.ring_words = 256});
  auto* const data = run.gpu.array<std::uint32_t>(1024);
  constexpr std::uint64_t kTimes = 200;
  run.launch("flood", {.grid = {4}, .block = {128}}, data, kTimes);
  run.launch("flood", {.grid = {1}, .block = {32}}, data, kTimes);
  (void)run.source.settle();
  EXPECT_EQ(keeper.of(StepKind::kWrite).size(), 17 * kTimes);
  EXPECT_EQ(keeper.of(StepKind::kExit).size(), 17U);
  std::vector<std::uint64_t> next(16);
  std::size_t seen = 0;
  for (const KeptStep& each : keeper.of(StepKind::kWrite)) {
    if (++seen > 16 * kTimes) break;  // each warp's stores are told in their order
    EXPECT_EQ(each.values[0], next[each.block * 4 + each.warp]++);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Stream, ::testing::Values(0U, 1U, 2U, 3U, 4U, 5U));

// Launches that overlap are told one after the other, with what the host did between.
TEST(StreamLog, LaunchesInTheOrderOfTheProgram) {
  Keeper keeper;
  Streamed run(keeper, 1);
  auto* const data = run.gpu.array<std::uint32_t>(1024);
  std::vector<std::string> told;
  gpu::Launch first;
  first.id = gpu::LaunchId{1};
  first.block = {32};
  gpu::Launch second = first;
  second.id = gpu::LaunchId{2};
  run.source.launch_begins(first);
  run.source.host({.kind = gpu::HostKind::kRecordEvent});
  run.source.launch_begins(second);
  const auto go = [&](std::uint64_t launch) {
    EXPECT_EQ(
        run.gpu.launch("flood", {.grid = {1}, .block = {32}}, data, std::uint64_t{5}, launch).text,
        "");
  };
  go(2);  // the second ran first
  run.source.launch_ends(second.id);
  {
    const auto lock = run.source.settle();
    EXPECT_EQ(keeper.launches.size(), 1U);
    EXPECT_TRUE(keeper.steps.empty());
    EXPECT_TRUE(keeper.hosted.empty());
  }
  go(1);
  run.source.launch_ends(first.id);
  const auto lock = run.source.settle();
  EXPECT_EQ(keeper.ended, (std::vector{first.id, second.id}));
  EXPECT_EQ(keeper.steps.size(), 12U);
  EXPECT_EQ(keeper.hosted.size(), 1U);
}

TEST(StreamLog, ALaunchThatWasCutOffEnds) {
  Keeper keeper;
  Streamed run(keeper, 1, {.silence_ms = 20});
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.block = {32};
  run.source.launch_begins(launch);
  run.source.launch_ends(launch.id);
  (void)run.source.settle();
  EXPECT_EQ(keeper.ended.size(), 1U);
  EXPECT_EQ(run.source.stats().at(2), (Counter{"launches that were cut off", 1, ""}));
}

TEST(StreamRuntime, IsMadeByTheNameOfADetector) {
  cuda::Device device({.seed = 1});
  testing::EmulatedMemory memory(device);
  EXPECT_EQ(make_stream_runtime(memory, "no such"), nullptr);
  for (const gpu::GpuDetectorInfo& info : gpu::kGpuDetectors) {
    const std::unique_ptr<Runtime> runtime = make_stream_runtime(memory, info.name);
    ASSERT_NE(runtime, nullptr);
    EXPECT_NE(runtime->ptx(75).find("redflag_mbarrier_wait"), std::string_view::npos);
    EXPECT_NE(runtime->ptx(90).find("getctarank"), std::string_view::npos);
    EXPECT_TRUE(runtime->state());
    EXPECT_TRUE(runtime->collect().empty());
  }
}

}  // namespace
}  // namespace redflag::device
