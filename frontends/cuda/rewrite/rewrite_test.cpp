// Modules as a whole: what a kernel can be checked, sites, the runtime's part, and what is refused.
#include "frontends/cuda/rewrite/rewrite.h"

#include <gtest/gtest.h>

#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/rewrite/testing.h"

namespace redflag::rewrite {
namespace {

using cuda::testing::with_header;
using testing::quiet_runtime;
using testing::rewritten;

std::string refusal(const std::string& text, const std::string& runtime) {
  const Result<ptx::Module> module = ptx::parse("test.ptx", text);
  EXPECT_TRUE(module);
  const Result<Rewritten> made = rewrite(*module, {.runtime = runtime});
  EXPECT_FALSE(made);
  return made ? std::string() : made.error().message;
}
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr char kLoad[] = ".reg .b64 %l; .reg .b32 %r; ld.param.u64 %l, [a]; ld.u32 %r, [%l];";

TEST(Rewrite, KernelsGetOneMoreParameter) {
  const Rewritten made = rewritten(
      with_header(".entry a(.param .u32 x, .param .align 2 .b8 y[3]);\n"
                  ".visible .entry a(.param .u32 x, .param .align 2 .b8 y[3])\n{\nret;\n}\n"
                  ".visible .entry b()\n{\n}\n"));
  ASSERT_EQ(made.kernels.size(), 2U);
  EXPECT_EQ(made.kernels[0].parameters, 2U);
  EXPECT_EQ(made.kernels[0].launch_offset, 8U);
  EXPECT_EQ(made.kernels[1].launch_offset, 0U);
  EXPECT_TRUE(made.kernels[0].checked && made.kernels[0].why.empty());
  EXPECT_TRUE(has(made.ptx, "y[3], .param .u64 redflag_launch);"));  // the declaration too
  EXPECT_TRUE(has(made.ptx, "b(.param .u64 redflag_launch)"));
  EXPECT_EQ(made.counts.hooks, 4U);  // b ends by running off its end
}

TEST(Rewrite, SynchronisationOfAllThatIsReached) {
  const Rewritten made = rewritten(with_header(
      ".extern .func other();\n.extern .func (.param .b64 p) malloc(.param .b64 n);\n"
      ".func g()\n{\nbar.sync 0; ret;\n}\n.func f()\n{\ncall g; membar.gl; ret;\n}\n"
      ".visible .entry a()\n{\ncall f; ret;\n}\n.visible .entry b()\n{\ncall other; ret;\n}\n"
      ".visible .entry c()\n{\n{ .param .b64 n; .param .b64 p; st.param.b64 [n], 4; "
      "call (p), malloc, (n); } ret;\n}\n"));
  ASSERT_EQ(made.kernels.size(), 3U);
  EXPECT_TRUE(made.kernels[0].sync.known);
  EXPECT_TRUE(made.kernels[0].sync.has(gpu::SyncOp::kBlockBarrier));
  EXPECT_TRUE(made.kernels[0].sync.has(gpu::SyncOp::kFence));
  EXPECT_FALSE(made.kernels[1].sync.known);
  EXPECT_TRUE(made.kernels[2].sync.known);
  EXPECT_TRUE(made.kernels[2].sync.has(gpu::SyncOp::kAllocation));
}

TEST(Rewrite, KernelsThatCannotBeChecked) {
  const std::string body = std::string("\n{\n") + kLoad + "\nret;\n}\n";
  const Rewritten made = rewritten(with_header(
      ".func f(.param .b64 a)" + body + ".visible .entry launched()\n{\nret;\n}\n" +
      ".visible .entry unknown(.param .u64 a)\n{\n" + kLoad +
      "\natom.frobnicate.u32 %r, [%l];\n{ .param .b64 q; st.param.b64 [q], %l; call f, "
      "(q); }\nret;\n}\n.visible .entry with(.param .u64 a)\n{\n" +
      kLoad + "\n{ .param .b64 q; st.param.b64 [q], %l; call f, (q); }\nret;\n}\n" +
      ".visible .entry parent(.param .u64 a)\n{\n" + kLoad + "\nmov.u64 %l, launched; ret;\n}\n" +
      ".visible .entry fine(.param .u64 a)" + body));
  ASSERT_EQ(made.kernels.size(), 5U);
  EXPECT_TRUE(has(made.kernels[0].why, "launched by a kernel"));
  EXPECT_TRUE(has(made.kernels[1].why, "'atom.frobnicate.u32 %r, [%l]' is unknown"));
  EXPECT_TRUE(has(made.kernels[2].why, "calls 'f'"));
  EXPECT_FALSE(made.kernels[3].checked);  // it could call what it names
  EXPECT_TRUE(made.kernels[4].checked);
  EXPECT_TRUE(has(made.ptx, "entry launched()"));
  EXPECT_EQ(made.counts.accesses, 1U);
}

TEST(Rewrite, ClustersThatAKernelNames) {
  const std::string body = "\n{\nret;\n}\n";
  const Rewritten made = rewritten(
      with_header(".visible .entry none()" + body + ".visible .entry two()\n.explicitcluster\n" +
                  ".reqnctapercluster 2, 1, 1" + body + ".visible .entry grid()\n.reqntid 32\n" +
                  ".blocksareclusters\n.reqnctapercluster 2, 3, 1" + body));
  ASSERT_EQ(made.kernels.size(), 3U);
  const auto settled = [&](std::size_t kernel, gpu::Dim cluster) {
    gpu::Launch launch;
    launch.grid = {4, 3, 1};
    launch.cluster = cluster;
    settle_clusters(made.kernels[kernel], launch);
    return std::pair(launch.grid, launch.cluster);
  };
  EXPECT_EQ(settled(0, {}), std::pair(gpu::Dim{4, 3, 1}, gpu::Dim{}));
  EXPECT_EQ(settled(0, {4, 1, 1}), std::pair(gpu::Dim{4, 3, 1}, gpu::Dim{4, 1, 1}));
  EXPECT_EQ(settled(1, {}), std::pair(gpu::Dim{4, 3, 1}, gpu::Dim{2, 1, 1}));
  EXPECT_EQ(settled(2, {}), std::pair(gpu::Dim{8, 9, 1}, gpu::Dim{2, 3, 1}));
}

TEST(Rewrite, SitesAreWhereTheEmulatorSaysTheyAre) {
  const std::string text = with_header(
      ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %l; .reg .b32 %r;\n.loc 1 7 0\n"
      "ld.param.u64 %l, [a];\n.loc 1 3 5, function_name $L__info_string0, inlined_at 1 8 2\n"
      "ld.global.u32 %r, [%l];\n.loc 1 9 1\nst.global.u32 [%l], %r;\nret;\n}\n"
      ".file 1 \"a.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 102\n.b8 0\n}\n");
  const Rewritten made = rewritten(text, quiet_runtime(), false);
  ASSERT_EQ(made.sites.size(), 3U);
  EXPECT_EQ(made.sites[1].text, "ld.global.u32 %r, [%l]");
  ASSERT_EQ(made.sites[1].frames.size(), 2U);
  EXPECT_EQ(made.sites[1].frames[0], (Frame{"f", "a.cu", 3, 5}));
  EXPECT_EQ(made.sites[1].frames[1], (Frame{"k", "a.cu", 8, 2}));
  EXPECT_EQ(made.sites[2].frames[0], (Frame{"k", "a.cu", 9, 1}));
  cuda::testing::Keeper keeper;
  cuda::testing::Gpu gpu(text, {.sink = &keeper});
  gpu.launch("k", {}, cuda::testing::address(gpu.array<int>(1)));
  EXPECT_EQ(gpu.device.frames(keeper.steps[0].site), made.sites[1].frames);
}

TEST(Rewrite, WithoutARuntimeHooksAreDeclared) {
  const Rewritten made = rewritten(
      with_header(std::string(".visible .entry k(.param .u64 a)\n{\n") + kLoad + "\nret;\n}\n"),
      "");
  EXPECT_TRUE(has(made.ptx, ".extern .func redflag_load(.param .b64 redflag_a0"));
  EXPECT_FALSE(has(made.ptx, "redflag_store"));
}

TEST(Rewrite, OfTheRuntimeGoesInWhatIsReached) {
  std::string runtime = quiet_runtime();
  const std::string used =
      ".weak .global .u32 counter;\n.weak .func helper()\n{\n.reg .b32 %r; ld.global.u32 %r, "
      "[counter]; ret;\n}\n.func idle()\n{\nret;\n}\n";
  runtime.insert(runtime.find(".visible .func"), used);
  const std::size_t load = runtime.find('{', runtime.find("redflag_load("));
  runtime.insert(load + 1, "\n.loc 1 1 1\ncall.uni helper;\n");
  const std::string body = std::string("{\n") + kLoad + "\nret;\n}\n";
  const std::string entry = ".visible .entry k(.param .u64 a)\n" + body;
  const Rewritten alone = rewritten(with_header(".func helper()\n{\nret;\n}\n" + entry), runtime);
  EXPECT_TRUE(has(alone.ptx, "\n.func redflag_helper()"));
  EXPECT_TRUE(has(alone.ptx, "\n.global .u32 redflag_counter;"));
  EXPECT_TRUE(has(alone.ptx, ".visible .global .align 8 .u64 redflag_state;"));
  EXPECT_FALSE(has(alone.ptx, "idle"));
  EXPECT_FALSE(has(alone.ptx, ".loc"));
  EXPECT_FALSE(has(alone.ptx, "redflag_store"));
  // Where other modules may be linked, all share one.
  const Rewritten linked =
      rewritten(with_header(".visible .func f(.param .b64 a)\n" + body + entry), runtime);
  EXPECT_TRUE(has(linked.ptx, ".weak .func redflag_helper()"));
  EXPECT_TRUE(has(linked.ptx, ".weak .global .align 8 .u64 redflag_state;"));
}

TEST(Rewrite, VersionAndTargetAreTheNewerOnes) {
  const std::string body = "\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
  EXPECT_TRUE(rewritten(".version 6.0\n.target sm_60" + body)
                  .ptx.starts_with(".version 7.0\n.target sm_75\n"));
  EXPECT_TRUE(rewritten(".version 8.5\n.target sm_90a, debug" + body)
                  .ptx.starts_with(".version 8.5\n.target sm_90a, debug\n"));
}

TEST(Rewrite, WhatIsRefused) {
  const std::string quiet = quiet_runtime();
  EXPECT_TRUE(has(refusal(".version 6.0\n.target sm_60\n.address_size 64\n.entry k()\n{\n"
                          ".reg .b32 %r<3>; shfl.idx.b32 %r1, %r2, 0, 31; ret;\n}\n",
                          quiet),
                  "before sm_70"));
  EXPECT_TRUE(has(refusal(".version 8.0\n.target sm_80\n.address_size 32\n", quiet), "64 bits"));
  EXPECT_TRUE(has(refusal(with_header(".global .u64 redflag_state;\n"), quiet), "already"));
  std::string other = quiet;
  other.replace(other.find("redflag_fence"), 13, "redflag_fancy");
  EXPECT_TRUE(has(refusal(with_header(""), other), "'redflag_fence'"));
  other = quiet;
  other.replace(other.find("(.param .b64 p0", other.find("redflag_load")), 15, "(.param .b32 p0");
  EXPECT_TRUE(has(refusal(with_header(""), other), "needs arguments 'LII'"));
  other = quiet;
  other.replace(other.find("redflag_state"), 13, "redflag_other");
  EXPECT_TRUE(has(refusal(with_header(""), other), "redflag_state"));
}

TEST(Rewrite, TheRuntimeSaysWhatIsSpliced) {
  const std::string text =
      with_header(std::string(".visible .entry k(.param .u64 a)\n{\n") + kLoad + "\nret;\n}\n");
  EXPECT_TRUE(has(rewritten(text, quiet_runtime(), true, 0).ptx, "call.uni redflag_load"));
  const std::string runtime =
      quiet_runtime() + ".visible .global .align 4 .u32 redflag_splice_most = 5;\n";
  EXPECT_FALSE(has(rewritten(text, runtime, true, 0).ptx, "redflag_load"));
  // Local memory of hooks is one variable of the function that they go into.
  std::string local = runtime;
  local.insert(local.find('{', local.find("redflag_load(")) + 1,
               "\n.local .align 8 .b8 __local_depot2[24]; .reg .b64 %SPL; mov.u64 %SPL, "
               "__local_depot2; st.local.u64 [%SPL], 0;\n");
  const Rewritten made = rewritten(text, local, true, 0);
  EXPECT_TRUE(has(made.ptx, ".local .align 16 .b8 redflag_depot[24];\n"));
  EXPECT_TRUE(has(made.ptx, "mov.u64 %SPL, redflag_depot;"));
  EXPECT_FALSE(has(made.ptx, "__local_depot2"));
}

}  // namespace
}  // namespace redflag::rewrite
