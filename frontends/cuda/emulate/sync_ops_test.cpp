#include "frontends/cuda/meaning/sync_ops.h"

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using gpu::SyncOp;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

// What a launch of the kernel says that it contains. `never` is decoded, and not executed.
gpu::SyncOps of(const std::string& never, const std::string& before = "") {
  Keeper keeper;
  const std::string text =
      kernel("setp.eq.u32 %p8, %n, 77; @%p8 bra L; bra E;\nL:\n" + never + "\nE:\n",
             ".shared .align 8 .b8 tile[64];\n" + before);
  Gpu gpu(text, {.sink = &keeper});
  gpu.launch("k", {.block = {1, 1, 1}}, std::uint64_t{0}, std::uint64_t{0}, 0U);
  EXPECT_EQ(keeper.launches.size(), 1U);
  return keeper.launches.empty() ? gpu::SyncOps{} : keeper.launches[0].sync;
}
gpu::SyncOps only(std::initializer_list<SyncOp> ops) {
  gpu::SyncOps out{true, 0};
  for (const SyncOp op : ops) out.add(op);
  return out;
}

TEST(SyncOps, NothingOfItsKind) {
  EXPECT_EQ(of(""), only({}));
  EXPECT_EQ(of("ld.global.u32 %r1, [%in]; st.global.u32 [%out], %r1;"), only({}));
  EXPECT_EQ(of("ld.volatile.global.u32 %r1, [%in]; st.volatile.global.u32 [%out], %r1;"), only({}));
  EXPECT_EQ(of("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; activemask.b32 %r3;"), only({}));
}

TEST(SyncOps, Barriers) {
  EXPECT_EQ(of("bar.sync 0;"), only({SyncOp::kBlockBarrier}));
  EXPECT_EQ(of("barrier.sync 3;"), only({SyncOp::kBlockBarrier}));
  EXPECT_EQ(of("bar.sync 1, 64;"), only({SyncOp::kPartBarrier}));
  EXPECT_EQ(of("bar.arrive 1, 64;"), only({SyncOp::kPartBarrier}));
  EXPECT_EQ(of("bar.red.popc.u32 %r1, 0, %p1;"), only({SyncOp::kBlockBarrier}));
  EXPECT_EQ(of("bar.red.popc.u32 %r1, 0, 64, %p1;"), only({SyncOp::kPartBarrier}));
  EXPECT_EQ(of("bar.warp.sync -1;"), only({SyncOp::kWarpSync}));
  EXPECT_EQ(of("bar.warp.sync 0xff;"), only({SyncOp::kPartWarpSync}));
  EXPECT_EQ(of("bar.warp.sync %r1;"), only({SyncOp::kPartWarpSync}));
  EXPECT_EQ(of("barrier.cluster.arrive; barrier.cluster.wait;"), only({SyncOp::kClusterBarrier}));
}

TEST(SyncOps, Atomics) {
  EXPECT_EQ(of("atom.global.add.u32 %r1, [%out], 1;"), only({SyncOp::kAtomic}));
  EXPECT_EQ(of("red.global.add.u32 [%out], 1;"), only({SyncOp::kAtomic}));
  EXPECT_EQ(of("atom.global.cta.add.u32 %r1, [%out], 1;"), only({SyncOp::kNarrowAtomic}));
  EXPECT_EQ(of("atom.add.relaxed.cta.u32 %r1, [%out], 1;"), only({SyncOp::kNarrowAtomic}));
  EXPECT_EQ(of("atom.shared.cta.add.u32 %r1, [tile], 1;"), only({SyncOp::kAtomic}));
  EXPECT_EQ(of("atom.add.release.gpu.u32 %r1, [%out], 1;"), only({SyncOp::kOrderedAtomic}));
  EXPECT_EQ(of("ld.relaxed.gpu.u32 %r1, [%in];"), only({SyncOp::kAtomic}));
  EXPECT_EQ(of("ld.acquire.gpu.u32 %r1, [%in];"), only({SyncOp::kOrderedAtomic}));
  EXPECT_EQ(of("st.release.gpu.u32 [%out], 1;"), only({SyncOp::kOrderedAtomic}));
  EXPECT_EQ(of("membar.gl;"), only({SyncOp::kFence}));
  EXPECT_EQ(of("fence.acq_rel.gpu;"), only({SyncOp::kFence}));
}

TEST(SyncOps, Others) {
  EXPECT_EQ(of("mbarrier.init.shared.b64 [tile], 1;"), only({SyncOp::kBarrierObject}));
  EXPECT_EQ(of("cp.async.ca.shared.global [tile], [%in], 4; cp.async.wait_all;"),
            only({SyncOp::kAsyncCopy}));
  EXPECT_EQ(of("mapa.shared::cluster.u32 %r1, %r2, 0;"), only({SyncOp::kRemoteShared}));
}

// Also in what the kernel may call.
TEST(SyncOps, InCalledFunctions) {
  const std::string called = ".func f() { membar.gl; ret; }\n";
  EXPECT_EQ(of("call f;", called), only({SyncOp::kFence}));
  EXPECT_EQ(of("", called), only({})) << "not reached";
  const std::string allocates =
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
      ".func g() { .reg .b64 %a; .param .b64 n; .param .b64 r;\n"
      "mov.u64 %a, 8; st.param.b64 [n], %a; call (r), malloc, (n); ret; }\n";
  EXPECT_EQ(of("call g;", allocates), only({SyncOp::kAllocation}));
}

}  // namespace
}  // namespace redflag::cuda
