#include "core/report/own_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/sample_report.h"
#include "core/report/words.h"

namespace redflag {
namespace {

using ::testing::ElementsAre;

CodeFrame frame(std::string function, std::string file = "", std::string module = "/home/me/app") {
  CodeFrame one(std::move(function), std::move(file), 0, 0);
  one.line = one.file.empty() ? 0 : 7;
  one.module = std::move(module);
  return one;
}

std::vector<std::string> shown(const Stack& stack) {
  std::vector<std::string> lines;
  for (const FoldedRun& run : folded(stack)) {
    lines.push_back(run.label.empty() ? stack[run.begin].function : run.label);
  }
  return lines;
}

TEST(OwnCode, TheFileDecidesThenTheNameThenTheBinary) {
  const char* kStl = "/usr/include/c++/12/bits/stl_vector.h";
  EXPECT_EQ(library_of(frame("std::vector<int>::push_back(int&&)", kStl)), "libstdc++");
  EXPECT_EQ(library_of(frame("push_back", kStl)), "libstdc++") << "without a linkage name";
  EXPECT_EQ(library_of(frame("f", "/usr/lib/llvm-19/include/c++/v1/vector")), "libc++");
  EXPECT_EQ(library_of(frame("std::hash<Job>::operator()(Job const&) const", "job.h")), "")
      << "the program's own specialisation";
  EXPECT_EQ(library_of(frame("std::thread::join()", "/opt/toolchain/include/bits/std_thread.h")),
            "libstdc++");
  EXPECT_EQ(library_of(frame("std::vector<Job>::size() const")), "libstdc++");
  EXPECT_EQ(library_of(frame("void std::__invoke_impl<void, main::{lambda()#1}>(int)")),
            "libstdc++");
  EXPECT_EQ(library_of(frame("std::__1::thread::join()")), "libc++");
  EXPECT_EQ(library_of(frame("cuda::std::__4::atomic<int>::load()")), "libcu++");
  EXPECT_EQ(library_of(frame("", "", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30")),
            "libstdc++");
  EXPECT_EQ(library_of(frame("memcpy", "", "/usr/lib/libredflag.so.0")), "libc");
  EXPECT_EQ(library_of(frame("start_thread")), "libc") << "a program with its own libc";
  EXPECT_EQ(library_of(frame("take(std::vector<int>&)")), "") << "a parameter is not the function";
  EXPECT_EQ(library_of(frame("stdio_worker()")), "");
  CodeFrame called = frame("pthread_create");
  called.line_state = LineState::kCalled;
  EXPECT_EQ(library_of(called), "libc") << "linked into the program";
}

TEST(OwnCode, TheOwnFrameIsBelowLibrariesThatHaveFiles) {
  const Finding f = sample::in_library();
  EXPECT_EQ(own_frame(f.first.stack), &f.first.stack[2]);
  EXPECT_EQ(own_frame(f.second.stack), &f.second.stack[1]);
  const Stack only{f.first.stack[0], f.first.stack[1]};
  EXPECT_EQ(own_frame(only), &only[0]) << "better than nothing";
  EXPECT_EQ(own_frame({}), nullptr);
}

TEST(OwnCode, TheFunctionIsNoTemplateWhereThereIsAnother) {
  const Stack stack{frame("memcpy", "", ""), frame("void fill<int>(int*)", "a.h"),
                    frame("reset()", "a.cpp"), frame("main", "a.cpp")};
  EXPECT_EQ(own_function(stack), &stack[2]);
  const Stack templates{frame("void fill<int>(int*)", "a.h")};
  EXPECT_EQ(own_function(templates), &templates[0]);
  const Stack lambda{frame("operator()", "a.cpp"), frame("main", "a.cpp")};
  EXPECT_EQ(own_function(lambda), &lambda[1]) << "that would be any lambda";
  const Stack nameless{frame("", "", "/home/me/app")};
  EXPECT_EQ(own_function(nameless), nullptr);
  const Stack without_files{frame("work"), frame("main")};
  EXPECT_EQ(own_function(without_files), &without_files[0]);
  CodeFrame system = frame("deflate", "", "/usr/lib/libz.so.1");
  system.line_state = LineState::kSystemLibrary;
  const Stack through{system, frame("pack()", "a.cpp")};
  EXPECT_EQ(own_function(through), &through[1]);
}

TEST(OwnCode, LibrariesBetweenTheProgramsOwnFramesAreFolded) {
  const char* kStl = "/usr/include/c++/12/bits/invoke.h";
  EXPECT_THAT(
      shown({frame("construct", kStl), frame("push_back", kStl), frame("work", "a.cpp"),
             frame("invoke", kStl), frame("_M_run", kStl), frame("", "", "/usr/lib/libstdc++.so.6"),
             frame("start_thread")}),
      ElementsAre("1 frame of libstdc++", "push_back", "work", "4 frames of libstdc++ and libc"));
  EXPECT_THAT(shown({frame("compare", "a.cpp"), frame("qsort", "", "/lib/libc.so.6"),
                     frame("sort_all", "a.cpp")}),
              ElementsAre("compare", "qsort", "sort_all"))
      << "what calls back tells something";
  EXPECT_THAT(shown({frame("memcpy", "", "/usr/lib/libredflag.so"), frame("work", "a.cpp")}),
              ElementsAre("memcpy", "work"));
  EXPECT_THAT(shown({frame("append", kStl), frame("", "", "/usr/lib/libstdc++.so.6")}),
              ElementsAre("append", "1 frame of libstdc++"));
  EXPECT_THAT(shown({}), ElementsAre());
}

TEST(OwnCode, EveryFrameIsInOneRun) {
  for (const Finding& finding : sample::hard_to_name()) {
    for (const Side* side : {&finding.first, &finding.second}) {
      std::size_t next = 0;
      for (const FoldedRun& run : folded(side->stack)) {
        EXPECT_EQ(run.begin, next);
        EXPECT_GT(run.count, 0U);
        EXPECT_EQ(run.label.empty() ? run.count : 1, 1U);
        next += run.count;
      }
      EXPECT_EQ(next, side->stack.size());
    }
  }
}

}  // namespace
}  // namespace redflag
