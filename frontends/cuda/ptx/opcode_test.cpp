#include "frontends/cuda/ptx/opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

// Every root in half a million instructions that nvcc 13 made of public CUDA programs.
constexpr std::string_view kCommon[] = {"add",       "bra",        "mov",
                                        "fma",       "mul",        "shl",
                                        "ld",        "and",        "st",
                                        "sub",       "selp",       "shr",
                                        "setp",      "cvta",       "mad",
                                        "min",       "cvt",        "not",
                                        "shfl",      "neg",        "xor",
                                        "vote",      "ret",        "or",
                                        "bar",       "wmma",       "max",
                                        "atom",      "cp",         "abs",
                                        "div",       "rcp",        "tex",
                                        "rem",       "membar",     "rsqrt",
                                        "clz",       "popc",       "bmsk",
                                        "call",      "brev",       "ex2",
                                        "cos",       "sin",        "shf",
                                        "sqrt",      "redux",      "bfi",
                                        "trap",      "bfind",      "red",
                                        "nanosleep", "prmt",       "copysign",
                                        "exit",      "mbarrier",   "griddepcontrol",
                                        "lg2",       "madc",       "addc",
                                        "subc",      "activemask", "vabsdiff4",
                                        "match",     "fence",      "sust",
                                        "suld",      "barrier"};

TEST(Opcode, TheCommonOnesAreThere) {
  for (const std::string_view root : kCommon) {
    const OpPrefix found = find_op_prefix(root);
    EXPECT_TRUE(found.op != Op::kUnknown || found.longer) << root;
  }
}

TEST(Opcode, NamesAreUniqueAndFormsAreSpelledRight) {
  std::set<std::string_view> names;
  for (int i = 1; info(static_cast<Op>(i)).name != "clusterlaunchcontrol.query_cancel"; ++i) {
    const OpInfo& row = info(static_cast<Op>(i));
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_op(row.name), static_cast<Op>(i)) << row.name;
    EXPECT_EQ(row.operands.find_first_not_of("dDsprwmbntl?*/"), std::string_view::npos) << row.name;
  }
  EXPECT_GT(names.size(), 190U);
}

TEST(Opcode, LongestNameWins) {
  EXPECT_EQ(find_op("cp.async.bulk.tensor"), Op::kCpAsyncBulkTensor);
  EXPECT_TRUE(find_op_prefix("cp.async").longer);
  EXPECT_EQ(find_op_prefix("bar.warp").op, Op::kUnknown);
  EXPECT_EQ(find_op("frob"), Op::kUnknown);
}

TEST(Modifier, EveryWordFindsItself) {
  for (std::uint16_t i = kFirstWordMod; i < static_cast<std::uint16_t>(Mod::kWordsEnd); ++i) {
    const auto mod = static_cast<Mod>(i);
    EXPECT_EQ(find_mod(name_of(mod)), mod) << name_of(mod);
  }
  EXPECT_EQ(name_of(*find_mod("m64n248k16")), "m64n248k16");
  EXPECT_EQ(shape_of(*find_mod("m16n8k32")).k, 32);
  EXPECT_EQ(shape_of(*find_mod("16x64b")).m, 0);
  EXPECT_FALSE(find_mod("nonsense"));
}

Instruction instruction(const Module& module) {
  return module.functions.front().body.instructions.front();
}

TEST(Modifier, Decoded) {
  Module module =
      testing::parsed(testing::kernel("atom.global.acq_rel.gpu.cas.b32 %r0,[%l0],1,2;"));
  Modifiers m = instruction(module).modifiers;
  EXPECT_EQ(m.space, Space::kGlobal);
  EXPECT_EQ(m.order, Order::kAcqRel);
  EXPECT_EQ(m.scope, Scope::kGpu);
  EXPECT_EQ(m.operation, Operation::kCas);
  EXPECT_EQ(m.type(), Type::kB32);

  module = testing::parsed(testing::kernel("setp.lo.and.u32 %p0, %r1, 2, !%p1;"));
  m = instruction(module).modifiers;
  EXPECT_EQ(m.compare, Compare::kLo);
  EXPECT_EQ(m.half, Half::kNone);
  EXPECT_EQ(m.operation, Operation::kAnd);

  module = testing::parsed(testing::kernel("mul.lo.u32 %r0, %r1, 2;"));
  EXPECT_EQ(instruction(module).modifiers.half, Half::kLo);

  module = testing::parsed(testing::kernel("cvt.rni.ftz.sat.f32.f32 %f0, %f1;"));
  m = instruction(module).modifiers;
  EXPECT_EQ(m.rounding, Rounding::kRni);
  EXPECT_TRUE(m.ftz && m.sat);
  EXPECT_EQ(m.type_count, 2);

  module = testing::parsed(testing::kernel("membar.gl;"));
  EXPECT_EQ(instruction(module).modifiers.scope, Scope::kGpu);
}

TEST(Roles, ByTheFormThatFits) {
  const Module module =
      testing::parsed(testing::kernel("cp.async.ca.shared.global [%r0], [%l0], 4;\n"
                                      "atom.global.add.u32 %r0, [%l0], 1;\n"
                                      "bar.red.popc.u32 %r0, 1, 64, %p0;\n"
                                      "bar.red.popc.u32 %r0, 1, %p0;\n"
                                      "st.global.v2.b32 [%l0], {%r1, %r2};"));
  const auto& code = module.functions.front().body.instructions;
  EXPECT_EQ(role_of(code[0], 0), Role::kWritten);
  EXPECT_EQ(role_of(code[0], 1), Role::kRead);
  EXPECT_EQ(role_of(code[0], 2), Role::kSource);
  EXPECT_EQ(role_of(code[1], 0), Role::kDestination);
  EXPECT_EQ(role_of(code[1], 1), Role::kModified);
  EXPECT_EQ(role_of(code[2], 3), Role::kPredicate);
  EXPECT_EQ(role_of(code[3], 2), Role::kPredicate);
  EXPECT_EQ(code[4].effect(), Effect::kStore);
  EXPECT_EQ(code[4].modifiers.vector, 2);
}

}  // namespace
}  // namespace redflag::ptx
