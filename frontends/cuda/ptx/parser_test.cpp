#include "frontends/cuda/ptx/parser.h"

#include <gmock/gmock.h>

#include <chrono>

#include "frontends/cuda/ptx/debug_strings.h"
#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kernel;
using testing::parsed;
using testing::with_header;

const Body& body_of(const Module& module, std::string_view name = "k") {
  return module.find_function(name)->body;
}

TEST(Parser, Module) {
  const Module module =
      parsed(with_header(".file 1 \"a.cu\"\n.global .align 8 .b8 x[4];\n.visible .entry k() "
                         ".maxntid 32, 1, 1 { ret; }"));
  EXPECT_EQ(module.version_major, 8U);
  EXPECT_EQ(module.version_minor, 5U);
  EXPECT_EQ(module.targets.front(), "sm_90");
  EXPECT_EQ(module.address_size, 64U);
  EXPECT_EQ(module.find_file(1)->name, "a.cu");
  EXPECT_EQ(module.find_variable("x")->bytes(), 4U);
  EXPECT_EQ(module.find_variable("x")->alignment(), 8U);
  const Function* k = module.find_function("k");
  EXPECT_TRUE(k->is_entry);
  EXPECT_EQ(k->directive(".maxntid")->values, (std::vector<std::uint64_t>{32, 1, 1}));
}

TEST(Parser, Operands) {
  const Module module =
      parsed(kernel("ld.param.u64 %l0, [a];\n"
                    "ld.global.v2.f32 {%f0, _}, [%l0+-8];\n"
                    "mov.u32 %r0, %ctaid.y;\n"
                    "setp.lt.s32 %p0|%p1, %r0, -5;\n"
                    "@!%p1 mov.f32 %f1, 0f3F800000;\n"
                    "mov.b64 {%r1, %r2}, %l0;\n"
                    "tex.2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%l0, {%r0, %r1}];"));
  const auto& code = body_of(module).instructions;
  EXPECT_EQ(code[0].operands()[1].symbol_kind, SymbolKind::kLocal);
  EXPECT_EQ(module.functions[0].variables[code[0].operands()[1].index].name, "a");
  EXPECT_TRUE(code[1].operands()[1].has_base_register());
  EXPECT_EQ(code[1].operands()[1].value, -8);
  EXPECT_EQ(code[1].operands()[0].parts()[1].kind, OperandKind::kDiscard);
  EXPECT_EQ(code[2].operands()[1].special(), Special::kCtaid);
  EXPECT_EQ(code[2].operands()[1].component, Component::kY);
  EXPECT_EQ(code[3].operands()[0].kind, OperandKind::kPair);
  EXPECT_EQ(code[3].operands()[2].value, -5);
  EXPECT_TRUE(code[4].guarded && code[4].guard_negated);
  EXPECT_EQ(code[4].guard, code[3].operands()[0].parts()[1].reg());
  EXPECT_EQ(code[4].operands()[1].number_kind, NumberKind::kFloat32);
  EXPECT_EQ(code[5].operands()[0].kind, OperandKind::kVector);
  EXPECT_EQ(code[6].operands()[1].parts()[0].part_count, 2U);
  EXPECT_EQ(code[0].text, "ld.param.u64 %l0, [a]");
}

TEST(Parser, RegistersAreDenseAndScopesNest) {
  const Module module =
      parsed(kernel("mov.b32 %r7, 1;\n"
                    "{ .reg .b32 %r<9>; mov.b32 %r7, 2; { .reg .f32 %r7; mov.f32 %r7, 0f00000000; "
                    "} mov.b32 %r8, %r7; }\n"
                    "mov.b32 %r6, %r7;"));
  const Body& body = body_of(module);
  const auto dst = [&](int i) { return raw(body.instructions[i].operands()[0].reg()); };
  const auto src = [&](int i) { return raw(body.instructions[i].operands()[1].reg()); };
  EXPECT_NE(dst(0), dst(1));
  EXPECT_NE(dst(1), dst(2));
  EXPECT_EQ(src(3), dst(1));
  EXPECT_EQ(src(4), dst(0));
  EXPECT_EQ(body.registers[dst(2)].type, Type::kF32);
  EXPECT_EQ(body.registers.size(), 5U);  // of hundreds that are declared
}

TEST(Parser, LabelsOfScopes) {
  const Module module =
      parsed(kernel("bra L;\n{ bra L; { bra L; } L: mov.b32 %r0, 1; }\n{ L: bra L; }\nL: ret;"));
  const Body& body = body_of(module);
  const auto target = [&](int i) {
    return body.labels[raw(body.instructions[i].operands()[0].label())].target;
  };
  EXPECT_EQ(target(0), 5U);
  EXPECT_EQ(target(1), 3U);
  EXPECT_EQ(target(2), 3U);
  EXPECT_EQ(target(4), 4U);
}

TEST(Parser, CallsAndTables) {
  const Module module = parsed(testing::read(std::string(TEST_FILES) + "/isa.ptx"));
  const Body& body = body_of(module, "flow");
  std::vector<Instruction> calls;
  for (const Instruction& each : body.instructions) {
    if (each.op == Op::kCall) calls.push_back(each);
  }
  ASSERT_EQ(calls.size(), 5U);
  EXPECT_EQ(calls[0].operands()[kCallReturns].part_count, 1U);
  EXPECT_EQ(calls[0].operands()[kCallArguments].part_count, 2U);
  EXPECT_EQ(module.callee(calls[1].operands()[kCallTarget].index).name, "twice");  // by an alias
  EXPECT_TRUE(calls[2].operands()[kCallTarget].is_register());
  EXPECT_EQ(body.tables[raw(calls[2].operands()[kCallTable].table())].kind,
            TableKind::kCallPrototype);
  EXPECT_EQ(body.tables[raw(calls[3].operands()[kCallTable].table())].functions.size(), 1U);
  EXPECT_TRUE(module.callee(calls[4].operands()[kCallTarget].index).noreturn);
}

TEST(Parser, LocationsAndInlining) {
  const Module module = parsed(testing::read(std::string(TEST_FILES) + "/inlined.sm_80.ptx"));
  const DebugStrings strings(module);
  const Body& body = body_of(module, "_Z5totalPKiiPi");
  bool two_deep = false;
  for (const Instruction& each : body.instructions) {
    if (each.location == LocationId::kNone) continue;
    const Location& at = body.locations[raw(each.location)];
    if (at.caller == LocationId::kNone) continue;
    const Location& caller = body.locations[raw(at.caller)];
    if (caller.caller == LocationId::kNone) continue;
    two_deep = true;
    EXPECT_EQ(strings.function_of(at), "_Z3addii");
    EXPECT_EQ(strings.function_of(caller), "_Z3sumPKii");
    EXPECT_EQ(at.line, 2U);
  }
  EXPECT_TRUE(two_deep);
}

TEST(Parser, ForwardDeclarationsHaveOneEntry) {
  const Module module = parsed(with_header(
      ".extern .global .b32 x;\n.func f(.param .b32 a);\n.func g() { call f, (3); ret; }\n"
      ".global .b32 x = 5;\n.func f(.param .b32 b) { ret; }\n.func h(); .global .u64 p = h;"));
  EXPECT_EQ(module.functions.size(), 3U);
  EXPECT_EQ(module.variables.size(), 2U);
  EXPECT_TRUE(module.find_function("f")->defined);
  EXPECT_EQ(module.find_variable("x")->initial.size(), 1U);
  EXPECT_EQ(module.find_variable("p")->initial[0].symbol_kind, SymbolKind::kFunction);
}

TEST(Parser, UnknownIsKeptAndNamed) {
  const Module module = parsed(
      kernel("frobnicate.v9.u32 %r0, {1, 2}, [%l0];\n@%p0 ld.sparkling.b32 %r0, [%l0];\n"
             "add.u32 %r0, %r1;\nbar.warp.frob 3;\nadd.u32 %r0, %r1+1, 2;\nadd.u32 %r0, !%r1, 2;"));
  for (const Instruction& each : body_of(module).instructions) EXPECT_EQ(each.op, Op::kUnknown);
  EXPECT_EQ(body_of(module).instructions[0].text, "frobnicate.v9.u32 %r0, {1, 2}, [%l0]");
  EXPECT_TRUE(body_of(module).instructions[1].guarded);
  ASSERT_EQ(module.warnings.size(), 6U);
  EXPECT_THAT(module.warnings[0], HasSubstr("test.ptx:7:1: unknown instruction 'frobnicate'"));
  EXPECT_THAT(module.warnings[1], HasSubstr("unknown modifier '.sparkling' of ld"));
  EXPECT_THAT(module.warnings[2], HasSubstr("unknown form of add"));
}

TEST(Parser, NewerVersionIsRefusedWithItsRemedy) {
  for (const char* version : {"9.1", "12.3", "10.0"}) {
    const std::string text = ".version " + std::string(version) + "\n.target sm_200\n";
    EXPECT_THAT(error_of(text), AllOf(HasSubstr("test.ptx:1:10: PTX version " +
                                                std::string(version) + " is newer than 9.0"),
                                      HasSubstr("to mend it: compile with")));
  }
  EXPECT_TRUE(parsed(".version 9.0\n.target sm_100\n").warnings.empty());
}

TEST(Parser, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(error_of("hello"), HasSubstr("test.ptx:1:1: expected '.version'"));
  EXPECT_THAT(error_of(kernel("mov.b32 %r0 5;")),
              HasSubstr("test.ptx:7:13: expected ',' or ';' after an operand, found '5'"));
  EXPECT_THAT(error_of(kernel("mov.b32 %r8, 5;")), HasSubstr("register '%r8' is not declared"));
  EXPECT_THAT(error_of(kernel("mov.b64 %l0, nothing;")), HasSubstr("'nothing' is not declared"));
  EXPECT_THAT(error_of(kernel("bra NOWHERE;")), HasSubstr("label 'NOWHERE' is not defined"));
  EXPECT_THAT(error_of(kernel("L: L: ret;")), HasSubstr("defined twice"));
  EXPECT_THAT(error_of(kernel("{ .reg .b32 x, x; }")), HasSubstr("declared twice"));
  EXPECT_THAT(error_of(kernel("{ .local .reg .b32 x; }")), HasSubstr("a second state space"));
  EXPECT_THAT(error_of(kernel("{ .extern .reg .b32 x; }")), HasSubstr("expected .reg before"));
  EXPECT_THAT(error_of(kernel("neg.s32 %r0, %r1")), HasSubstr("expected ',' or ';'"));
  EXPECT_THAT(error_of(kernel("call;")), HasSubstr("expected a function"));
  EXPECT_THAT(error_of(with_header(".attribute(.x) nonsense;")), HasSubstr("after .attribute"));
  EXPECT_THAT(error_of(with_header(".entry k() { ret;")), HasSubstr("may be incomplete"));
  EXPECT_THAT(error_of(with_header(".global .b32 x = 1/0;")), HasSubstr("division by zero"));
  EXPECT_THAT(error_of(with_header(".global .b32 x[-1];")), HasSubstr("expected the size"));
}

TEST(Parser, DeepNestingIsAnError) {
  EXPECT_THAT(error_of(kernel(std::string(100000, '{'))), HasSubstr("nested more than 200"));
  EXPECT_THAT(error_of(with_header(".global .b32 x = " + std::string(100000, '(') + ";")),
              HasSubstr("nested more than 200"));
  EXPECT_THAT(error_of(with_header(".global .b32 x = " + std::string(100000, '{') + ";")),
              HasSubstr("nested more than 200"));
  EXPECT_THAT(error_of(kernel("mov.b32 %r0, " + std::string(100000, '{') + ";")),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(error_of(with_header(".global .b32 x = " + std::string(100000, '-') + ";")),
              HasSubstr("nested more than 200"));
}

// Ten times the text may not take a hundred times the time; nothing is measured but a generous bound.
TEST(Parser, LargeInputsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 60000; ++i) {
    const std::string n = std::to_string(i);
    text +=
        "{ .reg .b32 %x" + n + "<3>; mov.b32 %x" + n + "2, " + n + "; L: @%p0 bra L; bra END; }\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const Module module = parsed(kernel(text + "END: ret;"));
  EXPECT_EQ(body_of(module).instructions.size(), 180001U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace redflag::ptx
