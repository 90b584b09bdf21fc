// Kernels that synchronise by barriers alone, rewritten and with the runtime `compact`, on the emulated
// GPU: what an access costs in instructions of its warp, and random kernels against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/detect/gpu/ptx_model.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/device/testing.h"
#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::device {

std::string_view compact_ptx(std::uint32_t sm);

namespace {

constexpr std::uint64_t kBytes = 1 << 20;

struct Ran {
  std::uint64_t instructions = 0;  // of warps
  std::vector<gpu::GpuRace> races;
  bool is_hot = false;
};

// One launch of `k` with an array; checked by compact, or as it is. `apart`: where its other half begins,
// which is an allocation of its own; 0: there is only one.
Ran run(const std::string& text, const cuda::LaunchConfig& config, std::uint32_t n, bool checked,
        std::uint64_t seed = 1, std::uint64_t apart = 0, bool prunes = true) {
  Ran ran;
  Result<ptx::Module> module = ptx::parse("test.ptx", text);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return ran;
  rewrite::Rewritten made;
  made.ptx = text;
  if (checked) {
    Result<rewrite::Rewritten> done =
        rewrite::rewrite(*module, {.runtime = compact_ptx(90), .prune = prunes});
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    if (!done) return ran;
    made = std::move(*done);
    ran.is_hot = made.ptx.find(kHotEnter) != std::string::npos;
  }
  cuda::testing::Gpu gpu(made.ptx, {.seed = seed});
  auto* const memory = gpu.array<std::byte>(kBytes);
  std::memset(memory, 0, kBytes);
  const std::uint64_t at = cuda::testing::address(memory);
  if (!checked) {
    EXPECT_EQ(gpu.launch("k", config, at, at + apart, n).text, "");
    ran.instructions = gpu.device.stats().warp_instructions;
    return ran;
  }
  testing::EmulatedMemory reached(gpu.device);
  const auto runtime = make_compact_runtime(
      reached, {.chunks = 1U << 14, .threads = 1U << 12, .nodes = 1U << 8, .locations = 1U << 8});
  const Result<std::uint64_t> state = runtime->state();
  const Result<cuda::Symbol> symbol = gpu.device.find_symbol(gpu.id, kStateSymbol);
  EXPECT_TRUE(state && symbol);
  if (!state || !symbol) return ran;
  std::memcpy(reinterpret_cast<void*>(symbol->address), &*state, sizeof(*state));
  runtime->host(
      {.kind = gpu::HostKind::kAlloc, .address = at, .size = apart == 0 ? kBytes : apart});
  if (apart != 0) {
    runtime->host({.kind = gpu::HostKind::kAlloc, .address = at + apart, .size = kBytes - apart});
  }
  gpu.find("k");
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.grid = config.grid;
  launch.block = config.block;
  launch.sync = made.kernels.at(0).sync;
  const std::uint64_t number = runtime->launch_begins(launch, 0);
  cuda::LaunchConfig more = config;
  more.dynamic_shared +=
      runtime->more_shared(gpu.device.info(gpu.kernel).static_shared, 0, launch.block_threads());
  EXPECT_EQ(gpu.launch("k", more, at, at + apart, n, number).text, "");
  runtime->launch_ends(launch.id);
  ran.races = runtime->collect();
  ran.instructions = gpu.device.stats().warp_instructions;
  return ran;
}

// Instructions of a warp for each turn of a loop over `body`, more than without hooks.
double cost(const std::string& body, std::uint64_t apart = 0) {
  const std::string text = cuda::testing::kernel(
      "mul.wide.u32 %l1, %i, 4; add.s64 %l1, %l1, %out; shl.b32 %r1, %t, 2; mov.u32 %r2, s;\n"
      "add.u32 %r1, %r1, %r2; mov.u32 %r3, 0;\nagain:\n" +
          body + "\nadd.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %n; @%p1 bra again;\n",
      ".shared .align 16 .b8 s[4096];\n");
  const cuda::LaunchConfig config{.grid = {1, 1, 1}, .block = {32, 1, 1}};
  const auto turns = [&](bool checked) {
    const std::uint64_t few = run(text, config, 40, checked, 1, apart).instructions;
    const std::uint64_t many = run(text, config, 104, checked, 1, apart).instructions;
    return static_cast<double>(many - few) / 64;
  };
  const Ran ran = run(text, config, 40, true);
  EXPECT_TRUE(ran.is_hot);
  EXPECT_TRUE(ran.races.empty());
  return turns(true) - turns(false);
}

// Besides: one addition for the address; for what is stored, two moves.
TEST(CompactCost, AccessesOfSharedMemory) {
  EXPECT_LE(cost("ld.shared.u32 %r4, [%r1];"), 12 + 1);
  EXPECT_LE(cost("st.shared.u32 [%r1], %r3;"), 20 + 3);
  EXPECT_LE(cost("ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2];"), 12 + 1 + 3 * 5);
}
// With what a 32nd of looking at a log costs: 32 lines, which nobody has accessed before.
TEST(CompactCost, AccessesOfGlobalMemory) {
  EXPECT_LE(cost("ld.global.u32 %r4, [%l1]; add.s64 %l1, %l1, 128;"), 15 + 16);
  EXPECT_LE(cost("st.global.u32 [%l1], %r3; add.s64 %l1, %l1, 128;"), 17 + 16);
  // Two rows of 16 lanes.
  EXPECT_LE(cost("and.b32 %r5, %t, 16; mul.wide.u32 %l2, %r5, 256; add.s64 %l2, %l2, %l1;"
                 "ld.global.u32 %r4, [%l2]; add.s64 %l1, %l1, 128;"),
            26 + 32);
}

// Forty words in a loop: two looks, and what is asked before.
TEST(CompactCost, LoopsOverSharedMemory) {
  const std::string loop =
      "mov.u32 %r8, 0; mov.u32 %r9, %r1;\nturn:\nld.shared.u32 %r4, [%r9]; "
      "add.s32 %r9, %r9, 4; add.s32 %r8, %r8, 1; setp.ne.s32 %p2, %r8, 33; @%p2 bra turn;";
  EXPECT_LE(cost(loop), 110);
}
// Every 15th clears tags besides: four words in a store.
TEST(CompactCost, Barriers) {
  EXPECT_LE(cost("bar.sync 0;"), 14 + 1800 / 15);
}
// Through a pointer that nothing else is done through: a branch, and what lanes that meet need.
TEST(CompactCost, QuietAccesses) {
  const std::string next =
      " mad.wide.u32 %l5, %i, 4, %out; mul.wide.u32 %l6, %r3, 128; add.s64 %l7, %l5, %l6;"
      " st.global.u32 [%l7], %r3;";
  const double without = cost(next, kBytes / 2);
  EXPECT_LE(cost("ld.global.u32 %r4, [%in];" + next, kBytes / 2), without + 1);
  EXPECT_LE(cost("red.global.add.u32 [%in], 1;" + next, kBytes / 2), without + 1);
}

// What is read through one pointer and written through another.
TEST(CompactLog, PointersIntoOneAllocationAreTold) {
  const std::string body =
      "mul.wide.u32 %l1, %t, 4; add.s64 %l2, %l1, %in; add.s64 %l3, %l1, %out;\n"
      "ld.global.u32 %r1, [%l2+4]; st.global.u32 [%l3], %r1;";
  const cuda::LaunchConfig config{.grid = {2, 1, 1}, .block = {64, 1, 1}};
  const std::string text = cuda::testing::kernel(body);
  const auto sides = [](const Ran& ran) {  // reads among them
    return std::count_if(ran.races.begin(), ran.races.end(), [](const gpu::GpuRace& race) {
      return race.first.kind == EventKind::kRead || race.second.kind == EventKind::kRead;
    });
  };
  EXPECT_GT(sides(run(text, config, 0, true)), 0);
  const Ran ran = run(text, config, 0, true, 1, kBytes / 2);
  EXPECT_EQ(sides(ran), 0);
  EXPECT_FALSE(ran.races.empty());  // both blocks write the same
}

// A loop over shared memory is told once: by whole warps, and by parts of one. In how many schedules
// a race is found.
TEST(CompactLog, LoopsOverSharedMemory) {
  constexpr int kSchedules = 8;
  const auto found = [](const std::string& between, const std::string& behind,
                        std::uint32_t threads, bool prunes = true) {
    const std::string text = cuda::testing::kernel(
        "shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %t;\n" +
            between +
            "\nmov.u32 %r4, 0; mov.u32 %r5, %r1;\nagain:\n"
            "ld.shared.u32 %r6, [%r5]; add.s32 %r5, %r5, 4; add.s32 %r4, %r4, 1;\n"
            "setp.ne.s32 %p2, %r4, 40; @%p2 bra again;\n" +
            behind,
        ".shared .align 16 .b8 s[4096];\n");
    int count = 0;
    for (std::uint64_t seed = 1; seed <= kSchedules; ++seed) {
      const Ran ran =
          run(text, {.grid = {1, 1, 1}, .block = {threads, 1, 1}}, 0, true, seed, 0, prunes);
      EXPECT_TRUE(ran.is_hot);
      count += ran.races.empty() ? 0 : 1;
    }
    return count;
  };
  const std::string store = "st.shared.u32 [%r1], %r6;";
  const std::string some = "setp.gt.u32 %p3, %t, 50; @%p3 st.shared.u32 [%r1], %r6;";
  for (const std::uint32_t threads : {64U, 96U, 72U}) {
    EXPECT_EQ(found("bar.sync 0;", "", threads), 0) << threads;
    EXPECT_EQ(found("bar.sync 0;", "bar.sync 0;" + store, threads), 0) << threads;
    EXPECT_EQ(found("", "", threads), kSchedules) << threads;
    // Of several readers the last is known, and those for whom it stands: of 40 schedules 38 to 40 find it, and 34
    // to 40 without ranges.
    for (const std::string& writes : {store, some}) {
      const int now = found("bar.sync 0;", writes, threads);
      EXPECT_GE(now + 1, found("bar.sync 0;", writes, threads, false)) << threads;
      EXPECT_GE(now, kSchedules - 2) << threads;
    }
  }
  EXPECT_EQ(found("", store, 32), 0);  // one warp, together
}

TEST(CompactLog, OnlyKernelsWithBarriersAloneAreHot) {
  const auto is_hot = [](const std::string& body) {
    return run(cuda::testing::kernel("st.global.u32 [%out], 1;" + body), {}, 0, true).is_hot;
  };
  EXPECT_TRUE(is_hot("bar.sync 0; bar.warp.sync -1; atom.global.add.u32 %r1, [%out+8], 1;"));
  EXPECT_FALSE(is_hot("fence.acq_rel.gpu;"));
  EXPECT_FALSE(is_hot("bar.sync 0, 32;"));
  EXPECT_FALSE(is_hot("bar.warp.sync 1;"));
  EXPECT_FALSE(is_hot("st.u8 [%out+4], 1;"));  // could be shared memory
}

// Random kernels: between barriers, threads access words of global or shared memory at places that depend
// on their number.
class RandomKernel {
 public:
  explicit RandomKernel(std::uint32_t seed) : random_(seed) {
    calm_ = pick(3) != 0;
    const std::uint32_t steps = 3 + pick(10);
    for (std::uint32_t i = 0; i < steps; ++i) step();
  }
  std::string text() const {
    return cuda::testing::kernel(body_, ".shared .align 16 .b8 s[8192];\n");
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void step() {
    const std::uint32_t kind = pick(8);
    if (kind == 0) {
      body_ += "bar.sync 0;\n";
    } else if (kind == 1) {
      body_ += "bar.warp.sync -1;\n";
    } else {
      access();
    }
  }
  // An index in %r2: own, shifted, reversed, halves, or one for all; in blocks' own memory or not.
  void index() {
    const bool shared_by_blocks = !calm_ && pick(6) == 0;
    body_ += shared_by_blocks ? "mov.u32 %r1, %t;\n" : "mov.u32 %r1, %i;\n";
    const std::uint32_t how = calm_ ? pick(2) : pick(6);
    const std::string far = std::to_string(1024 * pick(2));
    switch (how) {
      case 0:
      case 1:
        body_ += "add.u32 %r2, %r1, " + far + ";\n";
        break;
      case 2:
        body_ += "add.u32 %r2, %r1, " + std::to_string(pick(40)) + ";\n";
        break;
      case 3:
        body_ += "xor.b32 %r2, %r1, " + std::to_string(1 + pick(63)) + ";\n";
        break;
      case 4:
        body_ +=
            "and.b32 %r2, %r1, -16; shl.b32 %r2, %r2, 2; and.b32 %r3, %r1, 15; "
            "add.u32 %r2, %r2, %r3;\n";
        break;
      default:
        body_ += "mov.u32 %r2, " + std::to_string(pick(4)) + ";\n";
    }
  }
  void access() {
    index();
    const std::string end = "skip_" + std::to_string(labels_++);
    const bool some = pick(3) == 0;
    if (some) {
      body_ += "and.b32 %r4, %t, " + std::to_string(1 + pick(31)) +
               "; setp.ne.u32 %p1, %r4, 0; @%p1 bra " + end + ";\n";
    }
    const bool writes = pick(3) == 0;
    if (pick(2) == 0) {
      body_ +=
          "and.b32 %r5, %r2, 2047; shl.b32 %r5, %r5, 2; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;\n";
      body_ += writes ? "st.shared.u32 [%r5], %i;\n" : "ld.shared.u32 %r7, [%r5];\n";
    } else {
      const std::uint32_t size = 4U << pick(3);
      body_ += "mul.wide.u32 %l1, %r2, " + std::to_string(size) + "; add.s64 %l1, %l1, %out;\n";
      const std::string vector = size == 4 ? "" : size == 8 ? ".v2" : ".v4";
      const std::string values = size == 4 ? "%i" : size == 8 ? "{%i, %i}" : "{%i, %i, %i, %i}";
      const std::string to = size == 4   ? "%r8"
                             : size == 8 ? "{%r8, %r9}"
                                         : "{%r8, %r9, %r10, %r11}";
      body_ += writes ? "st.global" + vector + ".u32 [%l1], " + values + ";\n"
                      : "ld.global" + vector + ".u32 " + to + ", [%l1];\n";
    }
    if (some) body_ += end + ":\n";
  }

  std::mt19937 random_;
  bool calm_ = false;
  std::string body_;
  unsigned labels_ = 0;
};

std::size_t oracle(const std::string& text, const cuda::LaunchConfig& config, std::uint64_t seed) {
  gpu::PtxModel model({.strictness = gpu::Strictness::kCuda});
  cuda::testing::Gpu gpu(text, {.seed = seed, .sink = &model});
  auto* const memory = gpu.array<std::byte>(kBytes);
  std::memset(memory, 0, kBytes);
  const std::uint64_t at = cuda::testing::address(memory);
  EXPECT_EQ(gpu.launch("k", config, at, at, 0U).text, "");
  return model.races().size();
}

TEST(CompactLog, RandomKernelsAgainstTheOracle) {
  int races = 0, found = 0, quiet = 0, hot = 0;
  std::vector<std::uint32_t> seeds{524, 2543};  // once told of lanes that had accessed together
  for (std::uint32_t seed = 1; seed <= 300; ++seed) seeds.push_back(seed);
  for (const std::uint32_t seed : seeds) {
    const std::string text = RandomKernel(seed).text();
    const std::uint32_t blocks[] = {64, 96, 40, 256};
    const cuda::LaunchConfig config{.grid = {1 + seed % 3, 1, 1},
                                    .block = {blocks[seed % 4], 1, 1}};
    const std::size_t expected = oracle(text, config, seed);
    const Ran ran = run(text, config, 0, true, seed);
    hot += ran.is_hot ? 1 : 0;
    races += expected != 0 ? 1 : 0;
    quiet += expected == 0 ? 1 : 0;
    found += expected != 0 && !ran.races.empty() ? 1 : 0;
    EXPECT_TRUE(expected != 0 || ran.races.empty()) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(hot, 250);
  EXPECT_GT(quiet, 80);
  EXPECT_GT(races, 80);
  EXPECT_GE(found * 100, races * 95) << found << " of " << races;
  RecordProperty("found", found);
  RecordProperty("races", races);
}

}  // namespace
}  // namespace redflag::device
