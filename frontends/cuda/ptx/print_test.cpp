// The round trip, and what mutated text may do to it.
#include "frontends/cuda/ptx/print.h"

#include <gmock/gmock.h>

#include <random>

#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/ptx/compare.h"
#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using ::testing::HasSubstr;
using testing::kernel;
using testing::parsed;

TEST(Print, FilesComeBackTheSame) {
  for (const std::filesystem::path& file : testing::test_files()) {
    SCOPED_TRACE(file);
    const Module first = parsed(testing::read(file));
    const std::string text = print(first);
    const Module second = parsed(text);
    EXPECT_EQ(difference(first, second), "");
    EXPECT_EQ(print(second), text);
    EXPECT_EQ(first.warnings.size(), file.filename() == "isa.ptx" ? 1U : 0U);
  }
}

TEST(Print, Forms) {
  constexpr std::string_view kForms[] = {
      "ld.global.nc.L1::no_allocate.v4.f32 {%f0, %f1, _, %f3}, [%l0+-16]",
      "st.param.b32 [n+0], %r1",
      "setp.lt.and.s32 %p0|%p1, %r0, 4, !%p2",
      "mov.f32 %f0, 0fBF800000",
      "mov.b64 %l0, 18446744073709551615",
      "mov.u32 %r0, %tid.x",
      "mov.u32 %r0, %envreg12",
      "mov.u64 %l0, %pm3_64",
      "vadd.s32.s32.s32 %r0, -%r1.h1, %r2.b3, %r3",
      "tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%l0, {%r0, %r1}]",
      "shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, -1",
      "ld.global.b32 %r0, [64]",
  };
  for (const std::string_view form : kForms) {
    const Module module = parsed(kernel(std::string(form) + ";"));
    const Function& function = module.functions.front();
    EXPECT_THAT(module.warnings, ::testing::IsEmpty());
    EXPECT_EQ(print(module, function, function.body.instructions.front()), form);
  }
}

TEST(Print, MadeInstructions) {
  Module module = parsed(kernel("mov.b32 %r0, 1; mov.b64 %l0, 2;"));
  Function& function = module.functions.front();
  const RegId address = function.body.instructions[1].operands()[0].reg();
  const Mod mods[] = {mod(Space::kGlobal), mod(Type::kU32)};
  const Operand operands[] = {Operand::make_address(address, 8), Operand::make_integer(7)};
  const Instruction made = module.make(Op::kSt, mods, operands);
  EXPECT_EQ(made.modifiers.space, Space::kGlobal);
  EXPECT_EQ(print(module, function, made), "st.global.u32 [%l0+8], 7");
}

TEST(Print, ComparisonSeesChanges) {
  const Module a = parsed(kernel("add.u32 %r0, %r1, 2;"));
  EXPECT_THAT(difference(a, parsed(kernel("add.u32 %r0, %r1, 3;"))), HasSubstr("instructions"));
  EXPECT_THAT(difference(a, parsed(kernel("add.s32 %r0, %r1, 2;"))), HasSubstr("instructions"));
  EXPECT_THAT(difference(a, parsed(kernel("L: add.u32 %r0, %r1, 2;"))), HasSubstr("labels"));
  EXPECT_EQ(difference(a, parsed(kernel("add.u32 %r0,\n %r1, 0x2; // same"))), "");
}

// Text made from pieces of good text: parsing never crashes, and what it accepts comes back the same.
// Seeded: a failing round is replayed by its number.
TEST(Print, MutatedTextNeverCrashesAndComesBack) {
  std::vector<std::string> texts;
  for (const std::filesystem::path& file : testing::test_files())
    texts.push_back(testing::read(file));
  int accepted = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    std::mt19937 random(round);
    std::string text = texts[random() % texts.size()];
    for (unsigned i = 1 + random() % 3; i > 0; --i) {
      const std::size_t at = random() % text.size();
      const std::size_t length = random() % 12;
      constexpr std::string_view kPieces[] = {"{",  "}",  "[",   "]", "(",  ")",  ";",
                                              ",",  ".",  "%r1", "<", "|",  "!",  "-",
                                              "0f", "::", "@",   "_", "\"", "/*", ":"};
      switch (random() % 6) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, kPieces[random() % std::size(kPieces)]);
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        case 3: {
          const std::string& other = texts[random() % texts.size()];
          text.insert(at, other.substr(random() % other.size(), length * 8));
          break;
        }
        case 4:  // a statement twice, or none
          text.insert(text.find('\n', at) == std::string::npos ? at : text.find('\n', at),
                      text.substr(at, text.find('\n', at) - at));
          break;
        default:
          if (random() % 4 == 0) text.resize(at + 1);
          break;
      }
    }
    const Result<Module> module = parse("mutated.ptx", text);
    if (!module) {
      EXPECT_THAT(module.error().message, HasSubstr("mutated.ptx:"));
      continue;
    }
    ++accepted;
    const Result<Module> again = parse("again.ptx", print(*module));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(difference(*module, *again), "");
    for (const Function& each : module->functions) (void)Cfg(*module, each);
  }
  EXPECT_GT(accepted, 300);
}

}  // namespace
}  // namespace redflag::ptx
