#include "cli/wrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace redflag::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

const RuntimeFiles kFiles{"/opt/redflag/lib"};
const Compiler kGcc{{"/usr/bin/g++"}, Family::kGcc};
const Compiler kClang{{"/usr/bin/clang++-19"}, Family::kClang};

Step step(const Words& words) {
  return plan_of(words).step;
}

Words wrapped(const Compiler& compiler, const Words& words, bool shared_runtime = false) {
  const Result<Words> command = wrapped_command(compiler, words, kFiles, shared_runtime);
  EXPECT_TRUE(command) << command.error().message;
  return command ? *command : Words{};
}

TEST(Plan, Steps) {
  const std::vector<std::pair<Words, Step>> cases{
      {{}, Step::kNone},
      {{"--version"}, Step::kNone},
      {{"-print-file-name=libc.a"}, Step::kNone},
      {{"-v"}, Step::kNone},
      {{"-o", "a.out"}, Step::kNone},
      {{"a.c"}, Step::kProgram},
      {{"a.o", "-o", "a"}, Step::kProgram},
      {{"-x", "c++", "-"}, Step::kProgram},
      {{"-lfoo"}, Step::kProgram},
      {{"-c", "a.c"}, Step::kCompile},
      {{"a.c", "-S"}, Step::kCompile},
      {{"-E", "-dM", "-x", "c", "/dev/null"}, Step::kCompile},
      {{"-MM", "a.c"}, Step::kCompile},
      {{"-MD", "-MF", "a.d", "a.c"}, Step::kProgram},
      {{"-fsyntax-only", "a.c"}, Step::kCompile},
      {{"-shared", "a.o", "-o", "liba.so"}, Step::kLibrary},
      {{"-r", "a.o", "b.o", "-o", "c.o"}, Step::kPartial},
      {{"-o", "-shared", "a.o"}, Step::kProgram},
      {{"-Xlinker", "-shared", "a.o"}, Step::kProgram},
  };
  for (const auto& [words, expected] : cases) {
    EXPECT_EQ(step(words), expected) << ::testing::PrintToString(words);
  }
}

TEST(Plan, Particulars) {
  EXPECT_TRUE(plan_of(Words{"a.cpp", "b.o"}).has_sources);
  EXPECT_FALSE(plan_of(Words{"b.o", "libx.so.1", "y.a", "-lz"}).has_sources);
  for (const char* flag : {"-g", "-g3", "-ggdb", "-gdwarf-4", "-gline-tables-only", "-g0"}) {
    EXPECT_TRUE(plan_of(Words{"a.c", flag}).has_debug) << flag;
  }
  EXPECT_FALSE(plan_of(Words{"a.c", "-gcc-toolchain", "/x"}).has_debug);
  EXPECT_TRUE(plan_of(Words{"a.o", "-Wl,-O1,-z,defs"}).demands_symbols);
  EXPECT_TRUE(plan_of(Words{"a.o", "-Wl,--no-undefined"}).demands_symbols);
  EXPECT_TRUE(plan_of(Words{"a.o", "-z", "defs"}).demands_symbols);
  EXPECT_TRUE(plan_of(Words{"a.o", "-static-pie"}).is_static);
  EXPECT_FALSE(plan_of(Words{"a.o", "-static-libgcc", "-static-libstdc++"}).is_static);
  EXPECT_TRUE(plan_of(Words{"a.c", "-fsanitize=thread,undefined"}).has_other_sanitizer);
  EXPECT_FALSE(plan_of(Words{"a.c", "-fsanitize=thread"}).has_other_sanitizer);
}

TEST(Plan, LooksIntoResponseFiles) {
  const std::string file = ::testing::TempDir() + "redflag_wrap_" + std::to_string(::getpid());
  std::ofstream(file) << "-O2 \"a b.c\"\n-c -o 'x y.o'";
  EXPECT_EQ(step({"@" + file}), Step::kCompile);
  std::ofstream(file) << "-shared a\\ b.o @" << file;  // contains itself
  EXPECT_EQ(step({"@" + file}), Step::kLibrary);
  std::remove(file.c_str());
  EXPECT_EQ(step({"@" + file}), Step::kProgram);  // not there: the compiler takes it for an input
}

TEST(Wrap, CompilesWithInstrumentation) {
  EXPECT_THAT(wrapped(kGcc, {"-c", "a.cpp", "-O2"}),
              ElementsAre("/usr/bin/g++", "-fsanitize=thread", "-g", "-fno-omit-frame-pointer",
                          "-c", "a.cpp", "-O2"));
  EXPECT_THAT(wrapped(kClang, {"-c", "a.cpp", "-g1"}),
              ElementsAre("/usr/bin/clang++-19", "-fsanitize=thread", "-fno-omit-frame-pointer",
                          "-c", "a.cpp", "-g1"));
}

TEST(Wrap, TakesTheWordsOfThreadSanitizersUsers) {
  for (const Compiler& compiler : {kGcc, kClang}) {
    const Words command = wrapped(
        compiler, {"-fsanitize=thread", "-static-libtsan", "-shared-libsan", "a.o", "-o", "a"});
    EXPECT_THAT(command, Contains("-fsanitize=thread"));
    EXPECT_THAT(command, Contains("/opt/redflag/lib/libredflag.a"));
    EXPECT_THAT(command, Not(Contains("-static-libtsan")));
    EXPECT_THAT(command, Not(Contains("-shared-libsan")));
  }
}

TEST(Wrap, AsksNothingWhenThereIsNothingToCompile) {
  EXPECT_THAT(wrapped(kGcc, {"--version"}), ElementsAre("/usr/bin/g++", "--version"));
}

TEST(Wrap, ProgramsGetTheWholeLibrary) {
  for (const Compiler* compiler : {&kGcc, &kClang}) {
    const Words words = wrapped(*compiler, {"main.o", "-o", "main"});
    EXPECT_THAT(words, Contains("-Wl,--whole-archive"));
    EXPECT_THAT(words, Contains("/opt/redflag/lib/libredflag.a"));
    EXPECT_THAT(words, Contains("--export-dynamic"));  // no list of symbols in that folder
    EXPECT_EQ(words.back(), "-lpthread");
    // Its own runtime stays out.
    const bool is_clang = compiler == &kClang;
    EXPECT_EQ(std::count(words.begin(), words.end(), "-fno-sanitize-link-runtime"), is_clang);
    EXPECT_EQ(std::count(words.begin(), words.end(), "-B/opt/redflag/lib/redflag/gcc"), !is_clang);
  }
}

TEST(Wrap, LibrariesGetNone) {
  Words words = wrapped(kGcc, {"-shared", "a.o", "-o", "liba.so"});
  EXPECT_THAT(words, Not(Contains(HasSubstr("libredflag"))));
  EXPECT_THAT(words, Not(Contains("-Wl,-z,undefs")));
  words = wrapped(kClang, {"-shared", "a.o", "-Wl,-z,defs"});
  EXPECT_EQ(words.back(), "-Wl,-z,undefs");
  words = wrapped(kGcc, {"-r", "a.o", "-o", "b.o"});
  EXPECT_THAT(words, Not(Contains(HasSubstr("redflag"))));
}

TEST(Wrap, SharedRuntime) {
  for (const Words& asked : {Words{"main.o"}, Words{"-shared", "a.o"}}) {
    const Words words = wrapped(kGcc, asked, true);
    EXPECT_THAT(words, Contains("/opt/redflag/lib/libredflag.so"));
    EXPECT_THAT(words, Contains("-rpath"));
    EXPECT_THAT(words, Not(Contains(HasSubstr("whole-archive"))));
  }
}

TEST(Wrap, StaticProgramsGetTheirOwnLibrary) {
  const RuntimeFiles files{"/opt/redflag/lib", {"/cache/libc"}};
  for (const char* word : {"-static", "-static-pie", "--static"}) {
    for (const Compiler* compiler : {&kGcc, &kClang}) {
      const Words words = *wrapped_command(*compiler, Words{word, "main.o"}, files, false);
      EXPECT_THAT(words, Contains("/opt/redflag/lib/libredflag-static.a"));
      EXPECT_THAT(words, Not(Contains("/opt/redflag/lib/libredflag.a")));
      EXPECT_THAT(words, Contains("-L/cache/libc"));
      EXPECT_THAT(words, Contains("-Wl,--wrap=__cxa_end_catch"));
      EXPECT_THAT(words, Contains("-Wl,-u,_ZSt17__throw_bad_allocv"));
      EXPECT_THAT(words, Not(Contains(HasSubstr("dynamic"))));
      EXPECT_THAT(words, Not(Contains("-Wl,-u,redflag_openmp_originals")));
    }
  }
  // A C program has no C++ library to ask for.
  const Compiler c{{"/usr/bin/gcc"}, Family::kGcc};
  EXPECT_THAT(*wrapped_command(c, Words{"-static", "main.o"}, files, false),
              Not(Contains(HasSubstr("bad_alloc"))));
  const RuntimeFiles both{"/opt/redflag/lib", {"/cache/libc", "/cache/libgomp"}};
  const Words openmp = *wrapped_command(c, Words{"-static", "-fopenmp", "main.o"}, both, false);
  EXPECT_THAT(openmp, Contains("-L/cache/libgomp"));
  EXPECT_THAT(openmp, Contains("-Wl,-u,redflag_openmp_originals"));
}

// gcc refuses its own flag together with -static.
TEST(Wrap, GccIsToldOfStaticProgramsBySpecs) {
  const RuntimeFiles files{"/opt/redflag/lib", {"/cache/libc"}};
  const std::string specs = "-specs=/opt/redflag/lib/redflag/gcc/static.specs";
  for (const char* input : {"a.cpp", "a.o"}) {
    const Words words =
        *wrapped_command(kGcc, Words{"-static", "-fsanitize=thread", input}, files, false);
    EXPECT_EQ(words[1], specs);
    const auto asked = std::find(words.begin(), words.end(), "-fsanitize=thread");
    ASSERT_NE(asked, words.end()) << "none of the user's words is lost";
    EXPECT_NE(std::find(asked, words.end(), "-fno-sanitize=thread"), words.end());
  }
  EXPECT_THAT(wrapped(kGcc, {"-static", "-c", "a.cpp"}), Contains("-fsanitize=thread"));
  const Words flags = link_flags(kGcc, files, Runtime::kForStatic);
  EXPECT_THAT(flags, Contains("-static"));
  EXPECT_THAT(flags, Contains(specs));
  EXPECT_THAT(flags, Not(Contains("-fsanitize=thread")));
  EXPECT_THAT(link_flags(kClang, files, Runtime::kForStatic),
              Contains("-fno-sanitize-link-runtime"));
}

TEST(Wrap, StaticProgramsThatCannotBeChecked) {
  const auto said = [](const Compiler& compiler, const Words& words, bool shared_runtime = false) {
    const Result<Words> command = wrapped_command(compiler, words, kFiles, shared_runtime);
    return command ? std::string() : command.error().message;
  };
  EXPECT_THAT(said(kGcc, {"-static", "-shared", "a.o"}), HasSubstr("found: -shared with -static"));
  EXPECT_THAT(said(kGcc, {"-static", "a.o"}, true), HasSubstr("leave out --shared-runtime"));
  EXPECT_THAT(said(kClang, {"-static", "-fopenmp", "a.o"}), HasSubstr("--compiler=g++"));
  EXPECT_EQ(said(kClang, {"-static", "-fopenmp-simd", "a.o"}), "");
  EXPECT_EQ(said(kClang, {"-static", "-fopenmp", "-fno-openmp", "a.o"}), "");
  EXPECT_EQ(said(kGcc, {"-static", "-fopenmp", "a.o"}), "");
}

TEST(Wrap, WhatCannotBeCheckedIsRefused) {
  const Words ubsan{"-fsanitize=undefined", "a.c"};
  EXPECT_FALSE(wrapped_command(kClang, ubsan, kFiles, false));
  EXPECT_TRUE(wrapped_command(kGcc, ubsan, kFiles, false));
  const Words objects = wrapped(kClang, {"-fsanitize=undefined", "a.o"});
  EXPECT_THAT(objects, Contains("-fno-sanitize=thread"));
  EXPECT_THAT(objects, Not(Contains("-fno-sanitize-link-runtime")));
}

TEST(Compilers, AreFoundByNameAndToldApart) {
  const Result<Compiler> gcc = find_compiler(Language::kCxx, "g++");
  ASSERT_TRUE(gcc) << gcc.error().message;
  EXPECT_EQ(gcc->family, Family::kGcc);
  EXPECT_THAT(gcc->command, ElementsAre(HasSubstr("/g++")));
  const Result<Compiler> launched = find_compiler(Language::kC, "env gcc");
  ASSERT_TRUE(launched) << launched.error().message;
  EXPECT_THAT(launched->command, ElementsAre(HasSubstr("/env"), HasSubstr("/gcc")));
  const Result<Compiler> none = find_compiler(Language::kC, "no-such-compiler-1");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no program 'no-such-compiler-1'"));
  if (!find_program("clang++-19").empty()) {
    EXPECT_EQ(find_compiler(Language::kCxx, "clang++-19")->family, Family::kClang);
  }
}

}  // namespace
}  // namespace redflag::cli
