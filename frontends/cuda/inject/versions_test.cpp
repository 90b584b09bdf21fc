#include "frontends/cuda/inject/versions.h"

#include <gtest/gtest.h>

#include "frontends/cuda/inject/testing.h"

namespace redflag::inject {
namespace {

using rewrite::Version;

constexpr std::uint64_t kOut = 0x10000, kIn = 0x20000, kTable = 0x30000;  // 0x1000 bytes each

// Knows the three allocations, and how often it was asked.
class Memory final : public device::Runtime {
 public:
  std::string_view ptx(std::uint32_t) const override { return {}; }
  Result<std::uint64_t> state() override { return std::uint64_t{0}; }
  std::uint64_t launch_begins(const gpu::Launch&, std::uint64_t) override { return 0; }
  std::uint64_t parameter(const gpu::Launch&, std::uint64_t) const override { return 0; }
  std::uint64_t more_shared(std::uint64_t, std::uint64_t, std::uint64_t) const override {
    return 0;
  }
  std::uint64_t without_more_shared(std::uint64_t value) const override { return value; }
  void launch_ends(gpu::LaunchId) override {}
  bool runs_alone(const gpu::Launch& launch) const override { return raw(launch.stream) == 0; }
  std::uint64_t allocation_of(std::uint64_t address) const override {
    ++asked;
    return address >= kOut && address < kTable + 0x1000 ? address & ~std::uint64_t{0xffff} : 0;
  }
  bool make_cells(std::span<const std::uint64_t> allocations, device::Cells) override {
    cells.emplace_back(allocations.begin(), allocations.end());
    return has_cells;
  }
  std::uint64_t allocations_version() const override { return version; }
  bool has_texture(std::uint64_t allocation) const override { return allocation == textured; }
  void host(const gpu::HostStep&) override {}
  std::vector<gpu::GpuRace> collect() override { return {}; }
  std::uint64_t dropped() const override { return 0; }
  std::vector<Counter> stats() const override { return {}; }

  mutable int asked = 0;
  std::uint64_t version = 1;
  std::uint64_t textured = 0;  // the allocation under a texture
  bool has_cells = true;
  std::vector<std::vector<std::uint64_t>> cells;  // that were asked for
};

class VersionsTest : public ::testing::Test {
 protected:
  VersionsTest() {
    launch.grid = {2, 1, 1};
    launch.block = {32, 1, 1};
  }
  void SetUp() override {
    ASSERT_EQ(made.kernels.size(), 1U);
    ASSERT_TRUE(made.kernels[0].proof.is_possible);
  }
  const rewrite::Kernel& kernel() const { return made.kernels[0]; }
  Version choose(std::uint32_t stride, CUcontext context = nullptr) {
    given_stride = stride;
    return choose(Arguments{params, nullptr}, context);
  }
  Version choose(const Arguments& given, CUcontext context = nullptr) {
    return versions.choose(kernel(), launch, given, context, memory,
                           [this](const std::string& name) {
                             ++looked_up;
                             return name == "table" ? kTable : 0;
                           });
  }

  const rewrite::Rewritten made = testing::rewritten_spread();
  Memory memory;
  Versions versions;
  gpu::Launch launch;
  int looked_up = 0;
  std::uint64_t out = kOut, in = kIn;
  std::uint32_t given_stride = 1;
  std::uint32_t count = 64;
  void* params[4] = {&out, &in, &given_stride, &count};
};

TEST_F(VersionsTest, AsTheParametersOfTheLaunchSay) {
  EXPECT_EQ(choose(1), Version::kPlain);
  EXPECT_NE(choose(0), Version::kPlain);  // all write one place
  in = kOut;                              // one reads what another writes
  EXPECT_NE(choose(2), Version::kPlain);
}

TEST_F(VersionsTest, InFullWhereSomebodyElseMayRunBesideIt) {
  launch.stream = gpu::StreamId{3};
  EXPECT_EQ(choose(1), Version::kFull);
  launch.stream = gpu::StreamId{0};
  launch.cluster = {2, 1, 1};
  EXPECT_EQ(choose(1), Version::kFull);
}

TEST_F(VersionsTest, InFullWhereItMayWriteWhatATextureReads) {
  rewrite::Kernel with_textures = kernel();
  with_textures.reads_textures = true;
  const auto ask = [&] {
    return versions.choose(with_textures, launch, Arguments{params, nullptr}, nullptr, memory,
                           [](const std::string&) { return kTable; });
  };
  EXPECT_EQ(ask(), Version::kPlain);
  memory.textured = kIn;  // that it only reads
  ++memory.version;
  EXPECT_EQ(ask(), Version::kPlain);
  memory.textured = kOut;
  ++memory.version;
  EXPECT_EQ(ask(), Version::kFull);
}

TEST_F(VersionsTest, ParametersInABlock) {
  struct {
    std::uint64_t out = kOut, in = kIn;
    std::uint32_t stride = 1;
    std::uint32_t count = 64;
  } block;
  std::size_t size = 24;
  void* extra[] = {reinterpret_cast<void*>(kParamBufferPointer), &block,
                   reinterpret_cast<void*>(kParamBufferSize), &size, nullptr};
  EXPECT_EQ(choose({nullptr, extra}), Version::kPlain);
  block.stride = 0;
  EXPECT_NE(choose({nullptr, extra}), Version::kPlain);
  block.stride = 1;
  size = 23;  // the driver will not take it
  EXPECT_EQ(choose({nullptr, extra}), Version::kFull);
  EXPECT_EQ(choose(Arguments{}), Version::kFull);
}

TEST_F(VersionsTest, TheSameIsNotAskedAgain) {
  EXPECT_EQ(choose(1), Version::kPlain);
  EXPECT_EQ(choose(2), Version::kPlain);
  const int asked = memory.asked;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(choose(1), Version::kPlain);
    EXPECT_EQ(choose(2), Version::kPlain);
  }
  EXPECT_EQ(memory.asked, asked);
  EXPECT_EQ(looked_up, 1);
  const auto asks = [&](std::uint32_t stride, CUcontext context = nullptr) {
    const int before = memory.asked;
    EXPECT_EQ(choose(stride, context), Version::kPlain);
    return memory.asked != before;
  };
  ++memory.version;
  EXPECT_TRUE(asks(1));
  launch.grid.x = 1;
  EXPECT_TRUE(asks(1));
  // Variables are elsewhere in another context.
  EXPECT_TRUE(asks(1, reinterpret_cast<CUcontext>(&memory)));
  EXPECT_EQ(looked_up, 2);
  versions.forget();
  EXPECT_TRUE(asks(1));
  memory.version = 0;  // not known
  EXPECT_TRUE(asks(1));
  EXPECT_TRUE(asks(1));
}

// What it is depends on the parameters; whether there are cells, on the launch.
TEST_F(VersionsTest, EveryLeanLaunchGetsItsCells) {
  rewrite::Kernel with_lean = kernel();
  with_lean.lean.assign(with_lean.proof.accesses.size(), true);
  with_lean.is_lean_within_block = with_lean.is_lean_flat = true;
  given_stride = 0;
  const auto ask = [&] {
    return versions.choose(with_lean, launch, Arguments{params, nullptr}, nullptr, memory,
                           [](const std::string&) { return kTable; });
  };
  EXPECT_EQ(ask(), Version::kLean);
  memory.has_cells = false;
  EXPECT_EQ(ask(), Version::kFull);
  memory.has_cells = true;
  EXPECT_EQ(ask(), Version::kLean);
  EXPECT_EQ(memory.cells, (std::vector<std::vector<std::uint64_t>>(3, {kOut})));
}

TEST_F(VersionsTest, HandlesAreLookedUpOnce) {
  int plain = 0, searches = 0;
  auto* const handle = reinterpret_cast<CUfunction>(&plain);
  const Versions::Find find = [&](const std::string& name) {
    ++searches;
    return name == "redflag_plain_spread" ? handle : nullptr;
  };
  EXPECT_EQ(versions.handle(kernel(), Version::kPlain, find), handle);
  EXPECT_EQ(versions.handle(kernel(), Version::kPlain, find), handle);
  EXPECT_EQ(searches, 1);
  versions.forget();
  EXPECT_EQ(versions.handle(kernel(), Version::kPlain, find), handle);
  EXPECT_EQ(searches, 2);
  rewrite::Kernel with_lean = kernel();
  with_lean.lean.assign(with_lean.proof.accesses.size(), true);
  EXPECT_EQ(versions.handle(with_lean, Version::kLean, find), nullptr);
  EXPECT_EQ(versions.handle(with_lean, Version::kLean, find), nullptr);
  EXPECT_EQ(searches, 3);
}

TEST_F(VersionsTest, AVersionOnWhichSomethingCannotBeSetIsNotUsed) {
  int handles[2] = {};
  rewrite::Kernel with_lean = kernel();
  with_lean.lean.assign(with_lean.proof.accesses.size(), true);
  auto* const lean = reinterpret_cast<CUfunction>(&handles[0]);
  auto* const plain = reinterpret_cast<CUfunction>(&handles[1]);
  const Versions::Find find = [&](const std::string& name) {
    return name == "redflag_plain_spread" ? plain : lean;
  };
  std::vector<CUfunction> set_on;
  versions.set(with_lean, find, [&](CUfunction own) {
    set_on.push_back(own);
    return own == lean ? kErrorInvalidValue : kSuccess;
  });
  EXPECT_EQ(set_on, (std::vector<CUfunction>{lean, plain}));
  EXPECT_EQ(versions.handle(with_lean, Version::kLean, find), nullptr);
  EXPECT_EQ(versions.handle(with_lean, Version::kPlain, find), plain);
}

TEST_F(VersionsTest, NamesOfVersionsAreNoneOfTheProgram) {
  EXPECT_TRUE(is_version(made.kernels, "redflag_plain_spread"));
  EXPECT_FALSE(is_version(made.kernels, "spread"));
  EXPECT_FALSE(is_version(made.kernels, "redflag_plain_other"));
}

TEST(VersionCounts, SayHowOftenEachWasLaunched) {
  VersionCounts counts;
  counts.add(Version::kFull);
  counts.add(Version::kPlain);
  counts.add(Version::kPlain);
  counts.instead(Version::kPlain, Version::kFull);
  EXPECT_EQ(counts.all(),
            (std::vector<Counter>{
                {"launches full", 2, ""}, {"launches lean", 0, ""}, {"launches plain", 1, ""}}));
}

}  // namespace
}  // namespace redflag::inject
