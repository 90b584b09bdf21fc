// Planning: which instructions are computed, how others are refused, and that it is fast.
#include <chrono>
#include <set>

#include "frontends/cuda/values/testing.h"

namespace redflag::cuda {
namespace {

using testing::Operation;
using testing::refusal;
using testing::Storage;

// One form of every value operation.
const char* const kForms[] = {
    "add.s32 %r0, %r1, %r2;",
    "sub.f32 %f0, %f1, %f2;",
    "addc.u32 %r0, %r1, %r2;",
    "subc.cc.u32 %r0, %r1, %r2;",
    "mul.wide.u32 %l0, %r1, %r2;",
    "mad.lo.u64 %l0, %l1, %l2, %l3;",
    "madc.hi.cc.u32 %r0, %r1, %r2, %r3;",
    "mul24.lo.u32 %r0, %r1, %r2;",
    "mad24.hi.s32 %r0, %r1, %r2, %r3;",
    "sad.u16 %h0, %h1, %h2, %h3;",
    "div.u32 %r0, %r1, %r2;",
    "rem.s64 %l0, %l1, %l2;",
    "abs.s32 %r0, %r1;",
    "neg.f64 %d0, %d1;",
    "min.u16x2 %r0, %r1, %r2;",
    "max.bf16 %h0, %h1, %h2;",
    "fma.rn.f32 %f0, %f1, %f2, %f3;",
    "rcp.rn.f64 %d0, %d1;",
    "sqrt.rn.f32 %f0, %f1;",
    "rsqrt.approx.f32 %f0, %f1;",
    "sin.approx.f32 %f0, %f1;",
    "cos.approx.ftz.f32 %f0, %f1;",
    "lg2.approx.f32 %f0, %f1;",
    "ex2.approx.f16x2 %r0, %r1;",
    "tanh.approx.bf16 %h0, %h1;",
    "testp.finite.f32 %p0, %f1;",
    "copysign.f64 %d0, %d1, %d2;",
    "popc.b64 %r0, %l1;",
    "clz.b32 %r0, %r1;",
    "bfind.s64 %r0, %l1;",
    "fns.b32 %r0, %r1, %r2, %r3;",
    "brev.b64 %l0, %l1;",
    "bfe.u32 %r0, %r1, %r2, %r3;",
    "bfi.b64 %l0, %l1, %l2, %r3, %r4;",
    "szext.wrap.s32 %r0, %r1, %r2;",
    "bmsk.clamp.b32 %r0, %r1, %r2;",
    "dp4a.u32.u32 %r0, %r1, %r2, %r3;",
    "dp2a.lo.u32.s32 %r0, %r1, %r2, %r3;",
    "set.eq.u32.u32 %r0, %r1, %r2;",
    "setp.ne.s64 %p0, %l1, %l2;",
    "selp.f32 %f0, %f1, %f2, %p0;",
    "slct.f32.s32 %f0, %f1, %f2, %r3;",
    "and.b64 %l0, %l1, %l2;",
    "or.pred %p0, %p1, %p2;",
    "xor.b16 %h0, %h1, %h2;",
    "not.b32 %r0, %r1;",
    "cnot.b32 %r0, %r1;",
    "lop3.b32 %r0, %r1, %r2, %r3, 0xea;",
    "shf.l.wrap.b32 %r0, %r1, %r2, %r3;",
    "shl.b64 %l0, %l1, %r2;",
    "shr.s16 %h0, %h1, %r2;",
    "prmt.b32 %r0, %r1, %r2, %r3;",
    "mov.b64 %l0, {%r1, %r2};",
    "cvt.rn.f16.f32 %h0, %f1;",
    "cvt.pack.sat.u16.s32 %r0, %r1, %r2;",
    "createpolicy.fractional.L2::evict_first.b64 %l0, %f1;",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d4, %d5};",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d4, %d5};",
    "vadd.u32.u32.u32 %r0, %r1, %r2;",
    "vsub.s32.s32.s32.sat %r0, %r1, %r2;",
    "vabsdiff.u32.u32.u32.add %r0, %r1, %r2, %r3;",
    "vmin.u32.u32.u32 %r0, %r1.b0, %r2.b1;",
    "vmax.s32.s32.s32 %r0.h1, %r1.h0, %r2.h1, %r3;",
    "vshl.u32.u32.u32.wrap %r0, %r1, %r2;",
    "vshr.u32.u32.u32.clamp %r0, %r1, %r2;",
    "vmad.u32.u32.u32.shr7 %r0, %r1, %r2, %r3;",
    "vset.u32.u32.lt %r0, %r1, %r2;",
    "vadd2.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vsub2.s32.s32.s32 %r0, %r1, %r2, %r3;",
    "vavrg2.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vabsdiff2.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vmin2.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vmax2.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vset2.u32.u32.eq %r0, %r1, %r2, %r3;",
    "vadd4.u32.u32.u32.sat %r0, %r1, %r2, %r3;",
    "vsub4.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vavrg4.s32.s32.s32 %r0, %r1, %r2, %r3;",
    "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;",
    "vmin4.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vmax4.u32.u32.u32 %r0, %r1, %r2, %r3;",
    "vset4.u32.u32.ne %r0, %r1, %r2, %r3;",
};

ptx::Op op_of(const std::string& text) {
  const Result<ptx::Module> module = ptx::parse("test.ptx", testing::kernel(text));
  return module ? module->functions[0].body.instructions[0].op : ptx::Op::kUnknown;
}

// Whatever the opcode table says has no effect on memory or control is planned or listed as the machine's.
TEST(Plan, EveryValueOperationIsKnown) {
  std::set<ptx::Op> planned;
  for (const char* each : kForms) {
    EXPECT_EQ(refusal(each), "") << each;
    planned.insert(op_of(each));
    EXPECT_TRUE(is_value_op(op_of(each))) << each;
  }
  constexpr ptx::Op kAll[] = {
#define OP(name, ...) ptx::Op::k##name,
#include "frontends/cuda/ptx/opcodes.inc"
#undef OP
  };
  for (const ptx::Op op : kAll) {
    const ptx::OpInfo& row = ptx::info(op);
    const bool listed = values::why_unsupported(op) != nullptr;
    if (row.effect == ptx::Effect::kNone && row.flow == ptx::Flow::kNone) {
      EXPECT_NE(planned.contains(op), listed) << row.name << ": planned or listed, and not both";
    }
    EXPECT_EQ(is_value_op(op), planned.contains(op)) << row.name;
  }
  EXPECT_FALSE(is_value_op(ptx::Op::kUnknown));
}

TEST(Plan, RefusalsNameInstructionLineAndReason) {
  const std::string sum = refusal("add.sat.u64 %l0, %l1, %l2;");
  EXPECT_EQ(sum.substr(0, 2), "8:")
      << sum;  // the kernel's eighth line, for the caller to put the file before
  EXPECT_NE(sum.find("'add.sat.u64 %l0, %l1, %l2'"), std::string::npos) << sum;
  EXPECT_NE(sum.find("not supported"), std::string::npos) << sum;
  EXPECT_NE(refusal("set.eq.f64.f64 %d0, %d1, %d2;").find("the result of set"), std::string::npos);
  EXPECT_NE(refusal("lop3.b32 %r0, %r1, %r2, %r3, 256;").find("0 to 255"), std::string::npos);
  EXPECT_NE(refusal("cvta.global.u64 %l0, %l1;").find("generic"), std::string::npos);
  EXPECT_NE(refusal("cvt.u32.u64 %h0, %l1;").find("narrower"), std::string::npos);
  const char* const kSparse =
      "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, "
      "{%r2, %r3}, {%f4, %f5, %f6, %f7}, %r8, 0;";
  const char* const kRefused[] = {
      "fma.f32 %f0, %f1, %f2, %f3;",           // needs a rounding
      "sqrt.f64 %d0, %d1;",                    // likewise
      "add.rn.s32 %r0, %r1, %r2;",             // has none
      "add.ftz.f64 %d0, %d1, %d2;",            // f64 does not flush
      "cvt.rs.f16x2.f32 %r0, %f1, %f2, %r3;",  // stochastic
      "fma.rn.oob.f16 %h0, %h1, %h2, %h3;",
      "setp.lt.b32 %p0, %r1, %r2;",  // bits have no order
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1}, {%r0}, {%r1}, {%f2, %f3};",
      kSparse,
  };
  for (const char* each : kRefused) EXPECT_NE(refusal(each), "") << each;
}

// Widths tell the machine how to lay out operands.
TEST(Plan, Widths) {
  const ValuePlan wide = Operation("mad.wide.s32 %l0, %r1, %r2, %l3;").plan();
  EXPECT_EQ(wide.result_bits[0], 64);
  EXPECT_EQ(wide.source_bits[0], 32);
  EXPECT_EQ(wide.source_bits[2], 64);
  const ValuePlan select = Operation("selp.b64 %l0, %l1, %l2, %p0;").plan();
  EXPECT_EQ(select.source_bits[2], 1);
  const ValuePlan shift = Operation("shl.b64 %l0, %l1, %r2;").plan();
  EXPECT_EQ(shift.source_bits[1], 32);
  const ValuePlan compare = Operation("setp.lt.and.s32 %p0|%p1, %r1, %r2, %p2;").plan();
  EXPECT_EQ(compare.result_bits[1], 1);
  EXPECT_EQ(compare.source_bits[2], 1);
}

// A result that is a source too, which every accumulation has.
TEST(Plan, InPlace) {
  Operation op("mad.lo.s32 %r0, %r1, %r2, %r0;");
  std::vector<Storage> storage(4);
  for (unsigned i = 0; i < testing::kLanes; ++i) {
    storage[0].set(32, i, i);
    storage[1].set(32, i, 3);
    storage[2].set(32, i, 1000);
  }
  ValueArgs args = op.args(storage, 3, 1);
  args.result[0] = storage[2].words.data();
  op.plan().op(args);
  for (unsigned i = 0; i < testing::kLanes; ++i) EXPECT_EQ(storage[2].get(32, i), 1000 + 3 * i);
  args.result[0] = nullptr;  // discarded
  op.plan().op(args);
}

double nanoseconds(const std::string& text, std::size_t sources) {
  Operation op(text);
  std::vector<Storage> storage(sources + 1);
  const ValueArgs args = op.args(storage, sources, 1);
  const ValueOp run = op.plan().op;
  double best = 1e9;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20000; ++i) run(args);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / 20000);
  }
  return best;
}
// The budget of lanes.h: a warp's instruction is one vector loop. About 3 ns where this was written.
TEST(Plan, SpeedOfAWarp) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
  GTEST_SKIP() << "the budget is for optimised code on x86-64";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the budget is for optimised code";
#endif
#endif
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "the budget is for a processor with AVX2 and FMA";
  }
#endif
  EXPECT_LT(nanoseconds("add.s32 %r0, %r1, %r2;", 2), 15);
  EXPECT_LT(nanoseconds("fma.rn.f32 %f0, %f1, %f2, %f3;", 3), 15);
}

}  // namespace
}  // namespace redflag::cuda
