// Every instruction of the PTX table has a handler, or is named before the kernel runs.
//
// Samples: one instruction for each opcode, in the registers that testing.h declares. What is in
// kUnsupportedOps must be refused with its reason, everything else must decode. An opcode without a sample
// fails, so that a new one is thought about. What instructions compute is tested where they are done.
#include <set>

#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/emulate/unsupported_ops.h"

namespace redflag::cuda {
namespace {

using testing::Gpu;
using testing::kernel;

const std::vector<std::string> kSamples = {
    "add.s32 %r1, %r2, 3;",
    "sub.f64 %d1, %d2, %d3;",
    "addc.u32 %r1, %r2, %r3;",
    "subc.u32 %r1, %r2, %r3;",
    "mul.wide.s32 %l1, %r2, %r3;",
    "mad.lo.s32 %r1, %r2, %r3, %r4;",
    "madc.hi.u32 %r1, %r2, %r3, %r4;",
    "mul24.lo.s32 %r1, %r2, %r3;",
    "mad24.lo.s32 %r1, %r2, %r3, %r4;",
    "sad.s32 %r1, %r2, %r3, %r4;",
    "div.rn.f32 %f1, %f2, %f3;",
    "rem.u32 %r1, %r2, %r3;",
    "abs.f64 %d1, %d2;",
    "neg.s64 %l1, %l2;",
    "min.f32 %f1, %f2, %f3;",
    "max.u16 %h1, %h2, %h3;",
    "fma.rn.f64 %d1, %d2, %d3, %d4;",
    "rcp.rn.f64 %d1, %d2;",
    "sqrt.rn.f32 %f1, %f2;",
    "rsqrt.approx.f32 %f1, %f2;",
    "sin.approx.f32 %f1, %f2;",
    "cos.approx.f32 %f1, %f2;",
    "lg2.approx.f32 %f1, %f2;",
    "ex2.approx.ftz.f32 %f1, %f2;",
    "tanh.approx.f32 %f1, %f2;",
    "testp.finite.f32 %p1, %f2;",
    "copysign.f32 %f1, %f2, %f3;",
    "popc.b32 %r1, %r2;",
    "clz.b64 %r1, %l2;",
    "bfind.shiftamt.u32 %r1, %r2;",
    "fns.b32 %r1, %r2, %r3, %r4;",
    "brev.b32 %r1, %r2;",
    "bfe.u32 %r1, %r2, %r3, %r4;",
    "bfi.b64 %l1, %l2, %l3, 5, 6;",
    "szext.clamp.u32 %r1, %r2, %r3;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "dp4a.u32.u32 %r1, %r2, %r3, %r4;",
    "dp2a.lo.u32.u32 %r1, %r2, %r3, %r4;",
    "set.lt.u32.f32 %r1, %f2, %f3;",
    "setp.geu.f64 %p1, %d2, %d3;",
    "selp.b64 %l1, %l2, %l3, %p1;",
    "slct.f32.s32 %f1, %f2, %f3, %r4;",
    "and.pred %p1, %p2, %p3;",
    "or.b16 %h1, %h2, %h3;",
    "xor.b64 %l1, %l2, %l3;",
    "not.pred %p1, %p2;",
    "cnot.b32 %r1, %r2;",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "shl.b16 %h1, %h2, %r3;",
    "shr.s64 %l1, %l2, %r3;",
    "prmt.b32 %r1, %r2, %r3, 0x3210;",
    "mov.b64 {%r1, %r2}, %l1;",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    "ld.relaxed.gpu.v2.u32 {%r1, %r2}, [%l1];",
    "ldu.global.u32 %r1, [%l1];",
    "st.release.sys.global.u8 [%l1], %h1;",
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];",
    "st.bulk.weak.shared::cta [%r1], %l1, 0;",
    "atom.global.add.v2.f32 {%f1, %f2}, [%l1], {%f3, %f4};",
    "red.and.release.cta.b32 [%l1], %r1;",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, "
    "[%r3];",
    "multimem.ld_reduce.global.add.u32 %r1, [%l1];",
    "multimem.st.global.u32 [%l1], %r1;",
    "multimem.red.global.add.u32 [%l1], %r1;",
    "multimem.cp.async.bulk.global.shared::cta.bulk_group [%l1], [%r1], 16;",
    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l1], [%r1], 16;",
    "prefetch.global.L2 [%l1];",
    "prefetchu.L1 [%l1];",
    "applypriority.global.L2::evict_normal [%l1], 128;",
    "discard.global.L2 [%l1], 128;",
    "createpolicy.fractional.L2::evict_last.b64 %l1, 0f3F800000;",
    "isspacep.shared::cluster %p1, %l1;",
    "cvta.to.shared.u64 %l1, %l2;",
    "cvt.rzi.s32.f32 %r1, %f1;",
    "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;",
    "mapa.shared::cluster.u32 %r1, %r2, %r3;",
    "getctarank.shared::cluster.u32 %r1, %r2;",
    "alloca.u64 %l1, %l2, 16;",
    "stacksave.u64 %l1;",
    "stackrestore.u64 %l1;",
    "cp.async.ca.shared.global [%r1], [%l1], 8;",
    "cp.async.commit_group;",
    "cp.async.wait_group 1;",
    "cp.async.wait_all;",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
    "[%l1], %r2, [%r3], %h1;",
    "cp.async.bulk.prefetch.L2.global [%l1], 64;",
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%l1, "
    "{%r2}], [%r3];",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%l1, {%r2}];",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%l1], [%r1], 64;",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%l1, {%r2}], [%r1];",
    "cp.async.bulk.commit_group;",
    "cp.async.bulk.wait_group.read 0;",
    "tensormap.replace.tile.global_address.global.b1024.b64 [%l1], %l2;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l1], "
    "[%r1], 128;",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}];",
    "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%f5, %f6}];",
    "txq.width.b32 %r1, [%l1];",
    "istypep.texref %p1, %l1;",
    "suld.b.2d.b32.trap %r1, [%l1, {%r2, %r3}];",
    "sust.b.2d.b32.trap [%l1, {%r2, %r3}], %r4;",
    "sured.b.add.2d.u32.trap [%l1, {%r2, %r3}], %r4;",
    "suq.width.b32 %r1, [%l1];",
    "@%p1 bra DONE;",
    "TABLE: .branchtargets DONE; brx.idx %r1, TABLE;",
    "call.uni helper;",
    "ret;",
    "exit;",
    "trap;",
    "brkpt;",
    "bar 0;",
    "bar.sync 0;",
    "bar.arrive 1, 64;",
    "bar.red.or.pred %p1, 0, %p2;",
    "bar.warp.sync -1;",
    "bar.cta.sync 0;",
    "bar.cta.arrive 1, 64;",
    "bar.cta.red.popc.u32 %r1, 0, %p2;",
    "barrier.sync 2, 64;",
    "barrier.arrive 2, 64;",
    "barrier.red.and.pred %p1, 2, %p2;",
    "barrier.cta.sync 2;",
    "barrier.cta.arrive 2, 64;",
    "barrier.cta.red.or.pred %p1, 2, %p2;",
    "barrier.cluster.arrive.release.aligned;",
    "barrier.cluster.wait.acquire.aligned;",
    "membar.gl;",
    "membar.proxy.alias;",
    "fence.sc.cta;",
    "fence.proxy.async;",
    "fence.mbarrier_init.release.cluster;",
    "vote.sync.ballot.b32 %r1, %p1, -1;",
    "match.any.sync.b64 %r1, %l1, -1;",
    "activemask.b32 %r1;",
    "redux.sync.add.s32 %r1, %r2, -1;",
    "elect.sync %r1|%p1, -1;",
    "griddepcontrol.wait;",
    "griddepcontrol.launch_dependents;",
    "mbarrier.init.shared.b64 [%r1], 4;",
    "mbarrier.inval.shared.b64 [%r1];",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 64;",
    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 64;",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
    "mbarrier.arrive_drop.shared.b64 %l1, [%r1];",
    "mbarrier.test_wait.shared.b64 %p1, [%r1], %l1;",
    "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;",
    "mbarrier.pending_count.b64 %r1, %l1;",
    "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d1}, [%l1];",
    "wmma.store.d.sync.aligned.row.m8n8k4.f64 [%l1], {%d1, %d2};",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64.rn {%d1, %d2}, {%d3}, {%d4}, {%d1, %d2};",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, "
    "%r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};",
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "wgmma.wait_group.sync.aligned 0;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %l1, %l2, 1, 1, 1, 0, "
    "0;",
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;",
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;",
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];",
    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r1};",
    "tcgen05.wait::ld.sync.aligned;",
    "tcgen05.wait::st.sync.aligned;",
    "tcgen05.cp.cta_group::1.128x256b [%r1], %l1;",
    "tcgen05.shift.cta_group::1.down [%r1];",
    "tcgen05.mma.cta_group::1.kind::f16 [%r1], %l1, %l2, %r2, %p1;",
    "tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %l1, %l2, %r2, %p1;",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%l1];",
    "tcgen05.fence::before_thread_sync;",
    "tcgen05.fence::after_thread_sync;",
    "vadd.u32.u32.u32 %r1, %r2, %r3;",
    "vsub.s32.s32.s32 %r1, %r2, %r3;",
    "vabsdiff.u32.u32.u32 %r1, %r2, %r3;",
    "vmin.s32.s32.s32 %r1, %r2, %r3;",
    "vmax.s32.s32.s32 %r1, %r2, %r3;",
    "vshl.u32.u32.u32.clamp %r1, %r2, %r3;",
    "vshr.u32.u32.u32.wrap %r1, %r2, %r3;",
    "vmad.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vset.u32.u32.lt %r1, %r2, %r3;",
    "vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vsub2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vavrg2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vabsdiff2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vmin2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vmax2.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vset2.u32.u32.lt %r1, %r2, %r3, %r4;",
    "vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vsub4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vavrg4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vmin4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vmax4.u32.u32.u32 %r1, %r2, %r3, %r4;",
    "vset4.u32.u32.lt %r1, %r2, %r3, %r4;",
    "nanosleep.u32 100;",
    "pmevent 1;",
    "setmaxnreg.inc.sync.aligned.u32 240;",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], "
    "[%r2];",
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;",
};

struct Outcome {
  ptx::Op op = ptx::Op::kUnknown;
  std::string refusal;  // empty: it decodes
};

// The instruction of the sample is the first behind those of testing.h's kernel().
Outcome decode(const std::string& sample) {
  const std::string text =
      kernel(".reg .b128 %q<2>;\n" + sample + "\nDONE:\n", ".func helper() { ret; }\n");
  Result<ptx::Module> module = ptx::parse("test.ptx", text);
  if (!module) return {ptx::Op::kUnknown, module.error().message};
  Outcome outcome;
  const Result<ptx::Module> empty = ptx::parse("test.ptx", kernel("", ".func helper() { ret; }\n"));
  const std::size_t at = empty->functions.back().body.instructions.size() - 1;
  outcome.op = module->functions.back().body.instructions[at].op;
  Device device({});
  const Result<ModuleId> id = device.load(std::move(*module));
  if (!id) return {outcome.op, id.error().message};
  const Result<KernelId> found = device.find_kernel(*id, "k");
  if (!found) outcome.refusal = found.error().message;
  return outcome;
}

TEST(Instructions, HaveAHandlerOrAreNamed) {
  std::set<ptx::Op> seen;
  for (const std::string& sample : kSamples) {
    const Outcome outcome = decode(sample);
    EXPECT_NE(outcome.op, ptx::Op::kUnknown) << sample << "\n" << outcome.refusal;
    seen.insert(outcome.op);
    const std::string_view why = why_unsupported_op(outcome.op);
    if (why.empty()) {
      EXPECT_EQ(outcome.refusal, "") << sample;
    } else {
      EXPECT_NE(outcome.refusal.find(why), std::string::npos) << sample << "\n" << outcome.refusal;
      EXPECT_NE(outcome.refusal.find("test.ptx:"), std::string::npos) << outcome.refusal;
    }
  }
  const auto last = static_cast<std::uint16_t>(ptx::Op::kClusterlaunchcontrolQueryCancel);
  for (std::uint16_t i = 1; i <= last; ++i) {
    const auto op = static_cast<ptx::Op>(i);
    EXPECT_TRUE(seen.contains(op)) << "no sample of " << ptx::info(op).name;
  }
}

// First words of the opcodes that nvcc 13 emits for public CUDA programs, but for textures.
TEST(Instructions, ThatCompilersEmitAreEmulated) {
  const std::set<std::string> common = {"abs",      "activemask",
                                        "add",      "addc",
                                        "and",      "atom",
                                        "bar",      "barrier",
                                        "bfi",      "bfind",
                                        "bmsk",     "bra",
                                        "brev",     "call",
                                        "clz",      "copysign",
                                        "cos",      "cp",
                                        "cvt",      "cvta",
                                        "div",      "ex2",
                                        "exit",     "fence",
                                        "fma",      "griddepcontrol",
                                        "ld",       "lg2",
                                        "mad",      "madc",
                                        "match",    "max",
                                        "mbarrier", "membar",
                                        "min",      "mov",
                                        "mul",      "nanosleep",
                                        "neg",      "not",
                                        "or",       "popc",
                                        "prmt",     "rcp",
                                        "red",      "redux",
                                        "rem",      "ret",
                                        "rsqrt",    "selp",
                                        "setp",     "shf",
                                        "shfl",     "shl",
                                        "shr",      "sin",
                                        "sqrt",     "st",
                                        "sub",      "subc",
                                        "trap",     "vabsdiff4",
                                        "vote",     "wmma",
                                        "xor"};
  std::set<std::string> emulated;
  for (const std::string& sample : kSamples) {
    const Outcome outcome = decode(sample);
    if (outcome.refusal.empty()) {
      const std::string_view name = ptx::info(outcome.op).name;
      emulated.insert(std::string(name.substr(0, name.find('.'))));
    }
  }
  for (const std::string& each : common) EXPECT_TRUE(emulated.contains(each)) << each;
}

}  // namespace
}  // namespace redflag::cuda
