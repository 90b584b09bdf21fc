// The symbolizer looks at this very program: functions with inlined ones, variables of every
// storage, the C library. The lines expected are taken with __LINE__ beside the code.
#include "core/symbolize/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

int redflag_test_global = 7;
int redflag_test_zeroed[1000];

struct RedflagBase {
  long id = 0;
};
struct RedflagAccount : RedflagBase {
  int flags[2][3] = {};
  std::string owner;
};
struct RedflagBank {
  int open = 0;
  RedflagAccount accounts[4];
  std::array<RedflagAccount, 2> more;
  union {
    int number;
    float real;
  } either{};
};
RedflagBank redflag_test_bank;

#if defined(__SANITIZE_THREAD__)
#define REDFLAG_BUILT_FOR_TSAN true
#elif defined(__has_feature)
#define REDFLAG_BUILT_FOR_TSAN __has_feature(thread_sanitizer)
#else
#define REDFLAG_BUILT_FOR_TSAN false
#endif

namespace redflag::symbolize {
namespace {

constexpr bool kBuiltForThreadSanitizer = REDFLAG_BUILT_FOR_TSAN;

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Here {
  std::uint64_t pc = 0;
  std::uint32_t inner_line = 0;
  std::uint32_t outer_line = 0;
};

// The address is taken inside the function that is inlined.
[[gnu::always_inline]] inline void innermost(Here& here, volatile int& sink) {
  std::uint64_t pc;
  here.inner_line = __LINE__ + 1;
  asm volatile("lea 0(%%rip), %0" : "=r"(pc) : : "memory");
  here.pc = pc - 1;
  sink = sink + 1;
}

[[gnu::always_inline]] inline void middle(Here& here, volatile int& sink) {
  innermost(here, sink);
}

[[gnu::noinline]] Here outermost(volatile int& sink) {
  Here here;
  here.outer_line = __LINE__ + 1;
  middle(here, sink);
  return here;
}

int* static_local() {
  static int counted = 3;
  return &counted;
}

class Symbolize : public ::testing::Test {
 protected:
  ProcessMap map_ = read_maps(static_cast<std::uint32_t>(getpid()));
  Symbolizer symbolizer_;
  volatile int sink_ = 0;

  std::optional<Variable> variable(const void* p) {
    return symbolizer_.variable(map_, reinterpret_cast<std::uintptr_t>(p));
  }
};

TEST(Maps, LinesWithFilesAreKept) {
  const ProcessMap map = parse_maps(
      "55d0-55d1 r--p 00000000 08:01 12    /usr/bin/with space\n"
      "55d1-55d2 r-xp 00001000 08:01 12    /usr/bin/with space\n"
      "55d2-55d3 rw-p 00000000 00:00 0\n"
      "7ff0-7ff1 rw-p 00000000 00:00 0     [stack]\n");
  ASSERT_THAT(map.mappings, SizeIs(2));
  EXPECT_EQ(map.mappings[1], (Mapping{0x55d1, 0x55d2, 0x1000, "/usr/bin/with space"}));
  EXPECT_EQ(map.find(0x55d1), &map.mappings[1]);
  EXPECT_EQ(map.find(0x55cf), nullptr);
}

TEST(Maps, AnythingElseIsLeftOut) {
  for (const char* text :
       {"", "\n\n", "x", "1-", "1-2", "2-1 r 0 0 0 /a", "1-2 r", "1-2 r 0", "1-2 r zz 0 0 /a",
        "-1-2 r 0 0 /a", "1-2 r 0 0:0 0 a", "11111111111111111-2 r 0 0 0 /a"}) {
    EXPECT_THAT(parse_maps(text).mappings, SizeIs(0)) << text;
  }
}

TEST_F(Symbolize, InlinedFunctionsAreFrames) {
  const Here here = outermost(sink_);
  const Stack stack = symbolizer_.frames(map_, here.pc);
  ASSERT_GE(stack.size(), 3U);
  EXPECT_THAT(stack[0].function, HasSubstr("innermost"));
  EXPECT_EQ(stack[0].line, here.inner_line);
  EXPECT_THAT(stack[0].file, EndsWith("core/symbolize/symbolizer_test.cpp"));
  EXPECT_THAT(stack[1].function, HasSubstr("middle"));
  EXPECT_THAT(stack[2].function, HasSubstr("outermost(int volatile&)"));
  EXPECT_EQ(stack[2].line, here.outer_line);
  EXPECT_THAT(stack[2].file, EndsWith("core/symbolize/symbolizer_test.cpp"));
  EXPECT_EQ(stack[0].offset, stack[2].offset);
  EXPECT_THAT(stack[0].module, StartsWith("/"));
}

// Two lambdas of one function, inlined, so that no symbol names them.
[[gnu::noinline]] std::array<Here, 2> two_lambdas(volatile int& sink) {
  std::array<Here, 2> here;
  const auto first = [&]() __attribute__((always_inline)) { innermost(here[0], sink); };
  const auto second = [&]() __attribute__((always_inline)) { innermost(here[1], sink); };
  first();
  second();
  return here;
}

TEST_F(Symbolize, LambdasOfOneFunctionHaveDifferentNames) {
  const std::array<Here, 2> here = two_lambdas(sink_);
  std::string names[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Stack stack = symbolizer_.frames(map_, here[i].pc);
    ASSERT_GE(stack.size(), 3U);
    names[i] = stack[1].function;
    EXPECT_THAT(names[i], HasSubstr("two_lambdas"));
    EXPECT_THAT(names[i], HasSubstr("operator()"));
  }
  EXPECT_NE(names[0], names[1]);
}

TEST_F(Symbolize, FromALineToItsCode) {
  const Here here = outermost(sink_);
  const std::vector<CodeFrame> frames = symbolizer_.frames(map_, here.pc);
  const CodeFrame& innermost = frames.front();
  const auto has = [&](const Frame& place) {
    for (const CodeRange& range : symbolizer_.code_of(innermost.module, place)) {
      if (innermost.offset >= range.begin && innermost.offset < range.end) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(innermost));
  Frame place = innermost;
  place.column = 0;
  EXPECT_TRUE(has(place)) << "any column";
  place.column = innermost.column + 1;
  EXPECT_FALSE(has(place));
  place = innermost;
  ++place.line;
  EXPECT_FALSE(has(place));
  place = innermost;
  place.file += "x";
  EXPECT_TRUE(symbolizer_.code_of(innermost.module, place).empty());
  EXPECT_TRUE(symbolizer_.code_of("/no/such/file", innermost).empty());
}

TEST_F(Symbolize, WhereAModuleIsLoaded) {
  const auto address = reinterpret_cast<std::uintptr_t>(&redflag_test_global);
  const Mapping* mapping = map_.find(address);
  ASSERT_NE(mapping, nullptr);
  const std::optional<FirstMapping> first = symbolizer_.first_mapping(mapping->path);
  ASSERT_TRUE(first);
  while (mapping != map_.mappings.data() && mapping->offset != first->offset) --mapping;
  const std::optional<Variable> variable = this->variable(&redflag_test_global);
  ASSERT_TRUE(variable);
  EXPECT_EQ(variable->offset, address - mapping->begin + first->address);
  EXPECT_FALSE(symbolizer_.first_mapping("/no/such/file"));
}

TEST_F(Symbolize, AFunctionWithoutItsSource) {
  const CodeFrame frame = symbolizer_.function(map_, reinterpret_cast<std::uintptr_t>(&outermost));
  EXPECT_THAT(frame.function, HasSubstr("outermost(int volatile&)"));
  EXPECT_EQ(frame.file, "");
}

TEST_F(Symbolize, ALibraryWithoutDebugInformationHasNamesAndOffsets) {
  void* function = reinterpret_cast<void*>(&std::strtoul);
  const Stack stack = symbolizer_.frames(map_, reinterpret_cast<std::uintptr_t>(function) + 1);
  ASSERT_THAT(stack, SizeIs(1));
  EXPECT_THAT(stack[0].function, HasSubstr("strtoul"));
  EXPECT_THAT(stack[0].module, HasSubstr("libc"));
  EXPECT_GT(stack[0].offset, 0U);
}

TEST_F(Symbolize, AnAddressInNoFileIsStillAFrame) {
  const Stack stack = symbolizer_.frames(map_, 0x10);
  ASSERT_THAT(stack, SizeIs(1));
  EXPECT_EQ(stack[0].function, "");
  EXPECT_EQ(stack[0].module, "");
  EXPECT_EQ(stack[0].offset, 0x10U);
}

TEST_F(Symbolize, AFileThatIsGoneGivesModuleAndOffset) {
  const ProcessMap map = parse_maps("1000-3000 r-xp 00005000 08:01 12 /nowhere/libgone.so\n");
  const Stack stack = symbolizer_.frames(map, 0x1010);
  ASSERT_THAT(stack, SizeIs(1));
  EXPECT_EQ(stack[0].module, "/nowhere/libgone.so");
  EXPECT_EQ(stack[0].offset, 0x5010U);
}

TEST_F(Symbolize, VariablesOfEveryKind) {
  const auto global = variable(&redflag_test_global);
  ASSERT_TRUE(global);
  EXPECT_EQ(global->name, "redflag_test_global");
  EXPECT_GE(global->size, sizeof(int));  // ASan pads globals
  EXPECT_THAT(global->declared.file, EndsWith("symbolizer_test.cpp"));
  EXPECT_GT(global->declared.line, 0U);

  const auto element = variable(&redflag_test_zeroed[500]);
  ASSERT_TRUE(element) << "zero-filled memory lies behind the file's mapping";
  EXPECT_EQ(element->name, "redflag_test_zeroed");
  EXPECT_GE(element->size, sizeof(redflag_test_zeroed));
  EXPECT_EQ(element->address, reinterpret_cast<std::uintptr_t>(&redflag_test_zeroed[0]));

  const auto local = variable(static_local());
  ASSERT_TRUE(local);
  EXPECT_THAT(local->name, EndsWith("static_local()::counted"));
}

TEST_F(Symbolize, MembersOfAVariableHaveTheirNames) {
  RedflagBank& bank = redflag_test_bank;
  const auto member = [&](const void* p) {
    const auto found = variable(p);
    return found ? found->name + found->member : "none";
  };
  EXPECT_EQ(member(&bank.open), "redflag_test_bank.open");
  EXPECT_EQ(member(&bank.accounts[3].id), "redflag_test_bank.accounts[3].id") << "of a base class";
  EXPECT_EQ(member(&bank.accounts[1].flags[1][2]), "redflag_test_bank.accounts[1].flags[1][2]");
  EXPECT_EQ(member(&bank.more[1].id), "redflag_test_bank.more[1].id")
      << "std::array is its elements";
  EXPECT_EQ(member(&bank.accounts[0].owner), "redflag_test_bank.accounts[0].owner")
      << "what is in a string is the library's";
  EXPECT_EQ(member(reinterpret_cast<char*>(&bank.accounts[0].owner) + 8),
            "redflag_test_bank.accounts[0].owner+8");
  EXPECT_EQ(member(&bank.either), "redflag_test_bank.either") << "which of the two is unknown";
  EXPECT_EQ(member(&redflag_test_zeroed[7]), "redflag_test_zeroed[7]");
  EXPECT_EQ(member(&redflag_test_global), "redflag_test_global");
}

TEST_F(Symbolize, AFrameSaysWhyItHasNoLine) {
  const auto state = [&](const void* p) {
    return symbolizer_.frames(map_, reinterpret_cast<std::uintptr_t>(p) + 1)[0].line_state;
  };
  EXPECT_EQ(state(reinterpret_cast<const void*>(&static_local)), LineState::kAsGiven);
  void* strtoul_ = reinterpret_cast<void*>(&std::strtoul);
  const Stack library = symbolizer_.frames(map_, reinterpret_cast<std::uintptr_t>(strtoul_) + 1);
  if (library[0].file.empty()) {
    EXPECT_EQ(library[0].line_state, LineState::kSystemLibrary);
  }
  EXPECT_EQ(symbolizer_.function(map_, reinterpret_cast<std::uintptr_t>(strtoul_)).line_state,
            LineState::kCalled);
  const ProcessMap gone = parse_maps("1000-3000 r-xp 00005000 08:01 12 /nowhere/libgone.so\n");
  EXPECT_EQ(symbolizer_.frames(gone, 0x1010)[0].line_state, LineState::kAsGiven);
}

TEST_F(Symbolize, InstrumentedCodeIsKnownByWhatItCalls) {
  const Mapping* mine = map_.find(reinterpret_cast<std::uintptr_t>(&redflag_test_global));
  ASSERT_NE(mine, nullptr);
  const Mapping* libc = map_.find(reinterpret_cast<std::uintptr_t>(&std::strtoul));
  ASSERT_NE(libc, nullptr);
  EXPECT_FALSE(symbolizer_.is_instrumented(libc->path));
  EXPECT_TRUE(symbolizer_.is_instrumented("/no/such/file")) << "nothing can be said";
  EXPECT_EQ(symbolizer_.is_instrumented(mine->path), kBuiltForThreadSanitizer);
}

TEST_F(Symbolize, WhatIsNoVariable) {
  int on_stack = 0;
  EXPECT_FALSE(variable(&on_stack));
  const std::unique_ptr<int> on_heap(new int);
  EXPECT_FALSE(variable(on_heap.get()));
  EXPECT_FALSE(variable(nullptr));
}

TEST_F(Symbolize, AThousandAddressesTakeLittleTime) {
  const Here here = outermost(sink_);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t known = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    known += !symbolizer_.frames(map_, here.pc - 500 + i)[0].function.empty();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(known, 900U);
  EXPECT_LT(took.count(), 5.0) << "measured: below 0.2 s; the limit allows for sanitizers";
}

}  // namespace
}  // namespace redflag::symbolize
