#include "core/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/report/sample_report.h"
#include "core/report/words.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_with_sources(const Finding& finding) {
  SourceReader sources({.roots = {SAMPLE_SOURCES}});
  return write_text(finding, {.sources = &sources});
}

TEST(Text, GoldenWithExcerpts) {
  EXPECT_EQ(text_with_sources(sample::write_write()),
            R"(error[race-write-write]: data race: write against write on 'balance'
  memory    8 bytes at 0x55d0c1a040, in a global variable of 8 bytes, declared at bank.cpp:7:6
  first     write of 8 bytes by T1 (teller), locks held: accounts
    deposit(long)  bank.cpp:12:11
         11 |   std::lock_guard hold(accounts);
    >    12 |   balance += amount;
            |           ^
         13 | }
    teller(int)  bank.cpp:26:39
    ... 2 frames of libstdc++ and libc
  second    write of 8 bytes by T0 (main), locks held: none
    reset()  bank.cpp:21:11
         20 | void reset() {
    >    21 |   balance = 0;
            |           ^
         22 |   transfers = 0;
    main  bank.cpp:32:3
  missing   T1 (teller) held the lock accounts, T0 (main) held none.
  change    Take accounts in reset() as well, or call reset() before the threads start.
  seen      also seen 11 more times
  suppress  race_top:^deposit(long)$
)");
}

TEST(Text, GoldenWithoutAnyNames) {
  EXPECT_EQ(write_text(sample::bare()),
            R"(error[race-write-write]: data race: write against write on '0x1000'
  memory    4 bytes at 0x1000
  first     write by T4, locks held: none
    (no stack)
  second    write of 4 bytes by T5, locks held: none
    (no stack)
  missing   No synchronisation joins T4 and T5.
  change    Hold one lock around both writes, make them atomic, or order the threads (join, barrier).
  suppress  race:^0x1000$
)");
}

TEST(Text, GoldenOfALiveRun) {
  EXPECT_EQ(write_text(sample::live()),
            R"(error[race-write-write]: data race: write against write on 'balance'
  memory    8 bytes at 0x55d0c1a040, in a global variable of 8 bytes, declared at bank.cpp:7:6
  first     write of 8 bytes by T1 (teller), locks held: accounts, and 2 more
    deposit(long)  bank.cpp:12:11
    teller(int)  bank.cpp:26:39
  second    write of 8 bytes by T0 (main), locks held: none
    reset()  bank.cpp:21:11
    main  bank.cpp:32:3
  thread    T1 (teller), finished (system 4101), created by T0 (main)
    main  bank.cpp:30:15
  lock      accounts, a mutex at 0x55d0c1a080, created in deposit(long) bank.cpp:11:19, taken by T1 (teller) in deposit(long) bank.cpp:11:19
  missing   T1 (teller) held the lock accounts, T0 (main) held none.
  change    Take accounts in reset() as well, or call reset() before the threads start.
  seen      also seen 11 more times
  suppress  race_top:^deposit(long)$
)");
}

TEST(Text, FreedMemoryAndALostStack) {
  EXPECT_EQ(write_text(sample::live_freed()),
            R"(error[use-after-free]: use of freed memory on 'heap block'
  memory    40 bytes at 0x602000000010, in a heap block of 40 bytes, allocated by T0 (main)
    refresh()  cache.cpp:15:18
  first     free of 40 bytes by T1 (teller), locks held: none
    (no longer known)
  second    read of 4 bytes at 0x602000000030 by T0 (main), locks held: none
    memcpy
    lookup()  cache.cpp:21:23
  freed     by T1 (teller)
    evict()  cache.cpp:25:3
  thread    T1 (teller), finished (system 4101), created by T0 (main)
    main  bank.cpp:30:15
  missing   main uses the memory after teller has given it back.
  change    Join T2 before evict(), or hold the entry in a std::shared_ptr.
  suppress  race_top:^lookup()$
)");
}

TEST(Text, MisuseHasOnePlace) {
  EXPECT_EQ(write_text(sample::destroy_locked()),
            R"(error[mutex-destroy-locked]: destroy of a locked mutex: 'accounts'
  memory    0x55d0c1a080, in a global variable of 40 bytes
  at        by T0 (main)
    pthread_mutex_destroy
    main  bank.cpp:33:3
  held      by T1 (teller)
    pthread_mutex_lock
    deposit(long)  bank.cpp:11:19
  thread    T1 (teller), finished (system 4101), created by T0 (main)
    main  bank.cpp:30:15
  lock      accounts, a mutex at 0x55d0c1a080, created in deposit(long) bank.cpp:11:19
  change    Unlock it first, and let every thread be done with it before it is destroyed.
  suppress  mutex_top:^main$
)");
  EXPECT_EQ(write_text(sample::thread_leak()),
            R"(warning[thread-leak]: thread never joined: 'T1 (teller)'
  at        by T1 (teller)
  thread    T1 (teller), finished (system 4101), created by T0 (main)
    main  bank.cpp:30:15
  change    Join the thread, or detach it when its result is not needed.
  suppress  thread_top:^main$
)");
  EXPECT_THAT(write_text(sample::signal_unsafe()),
              HasSubstr("error[signal-unsafe-call]: unsafe call in a signal handler: 'malloc'\n"));
  EXPECT_EQ(summary(sample::live_run()), "redflag: 2 races, 3 misuses, seen 16 times; fasttrack");
}

TEST(Text, AccessesOfDifferentBytesSaySo) {
  EXPECT_THAT(write_text(sample::read_write()),
              HasSubstr("first     read of 8 bytes at 0x55d0c1a040 by T2 (auditor), "
                        "locks held: journal (shared)\n"));
}

TEST(Text, VerdictsHaveTheirEvidence) {
  const Report report = sample::confirmed();
  const std::string met = write_text(report.findings[0]);
  EXPECT_THAT(met, HasSubstr("verdict   confirmed in run 3 of 20: two threads were about to"));
  EXPECT_THAT(met, HasSubstr("\n  met       write of 8 bytes by "));
  EXPECT_THAT(write_text(report.findings[1]), HasSubstr("too weak"));
  EXPECT_THAT(write_text(report.findings[2]), HasSubstr("verdict   not reproduced in 20 runs"));
  EXPECT_THAT(write_text(report.findings[3]), HasSubstr("not reproduced in 1 run\n"));
  EXPECT_THAT(write_text(report.findings[4]), HasSubstr("not tried: it is not about two accesses"));
}

TEST(Text, APredictionIsANote) {
  EXPECT_THAT(write_text(sample::lockset()),
              HasSubstr("note[lockset]: no common lock (prediction) on 'transfers'"));
}

TEST(Text, BaselineAndSummary) {
  const std::string text = write_text(sample::usual());
  EXPECT_THAT(text, HasSubstr("on 'balance' (new)\n"));
  EXPECT_THAT(text, HasSubstr("on 'Entry+32' (known)\n"));
  EXPECT_THAT(text, HasSubstr("\n\nredflag: 6 races, 1 prediction (5 new), seen 19 times; "
                              "3 suppressed; 1 more beyond the limit, not shown; fasttrack, "
                              "1,234,567 events\n"));
  EXPECT_EQ(write_text(sample::empty()), "redflag: no races; fasttrack, 1,234,567 events\n");
  EXPECT_EQ(summary(Report{}), "redflag: no races");
}

TEST(Text, GpuThreadsByTheirCoordinates) {
  const Report report = sample::gpu_run();
  const std::string race = write_text(report.findings[0]);
  EXPECT_THAT(race,
              HasSubstr("error[gpu-scoped-fence]: GPU data race: scope of a fence too narrow"));
  EXPECT_THAT(race, HasSubstr("write of 4 bytes by thread (0,0,0) of block (0,0,0) in sum\n"));
  EXPECT_THAT(race,
              HasSubstr("atomic read-modify-write of 4 bytes (relaxed, block scope) by thread "
                        "(32,0,0) of block (1,0,0) in sum\n"));
  EXPECT_THAT(race, Not(HasSubstr("locks held")));
  const std::string barrier = write_text(report.findings[1]);
  EXPECT_THAT(barrier, HasSubstr("  elsewhere by thread (16,0,0)"));
  EXPECT_THAT(barrier, HasSubstr("  arrived   by thread (0,0,0)"));
  EXPECT_EQ(summary(report), "redflag: 11 races, 6 misuses; ptx_model");
}

TEST(Text, KernelsByWhereTheyWereLaunched) {
  Finding race = sample::gpu_run().findings[0];
  EXPECT_THAT(write_text(race),
              HasSubstr("  launched  sum(int const*, int*)\n    main  sum.cu:32\n"));
  race.second.gpu->launched = {CodeFrame("main", "sum.cu", 40, 0)};
  const std::string two = write_text(race);
  EXPECT_THAT(two,
              HasSubstr("  launched  sum(int const*, int*), the first\n    main  sum.cu:32\n"
                        "  launched  sum(int const*, int*), the second\n    main  sum.cu:40\n"));
  EXPECT_THAT(write_text(sample::gpu_run().findings[1]), Not(HasSubstr("launched")));
}

TEST(Text, KernelsThatEndEarly) {
  const Report report = sample::gpu_run();
  const auto text_of = [&](Rule rule) {
    for (const Finding& finding : report.findings) {
      if (finding.rule == rule) return write_text(finding);
    }
    return std::string();
  };
  const std::string outside = text_of(Rule::kGpuOutOfBounds);
  EXPECT_THAT(outside, HasSubstr("error[gpu-out-of-bounds]: kernel accesses memory outside of "
                                 "every allocation: 'sum(int const*, int*)'\n"));
  EXPECT_THAT(outside, HasSubstr("  at        atomic read-modify-write of 4 bytes"));
  EXPECT_THAT(outside, HasSubstr("  found     What the kernel did, in a sentence.\n"));
  EXPECT_THAT(outside, HasSubstr("  change    Check the index"));
  EXPECT_THAT(outside, HasSubstr("  suppress  gpu-out-of-bounds_top:^sum(int const\\*, int\\*)$"));
  EXPECT_THAT(outside, Not(HasSubstr("first")));
  const std::string stuck = text_of(Rule::kGpuStuck);
  EXPECT_THAT(stuck, HasSubstr("  at        by thread (32,0,0) of block (1,0,0)"));
  EXPECT_THAT(stuck, Not(HasSubstr("memory")));
}

TEST(Text, TheHostIsASideToo) {
  const std::string host = write_text(sample::gpu_run().findings[2]);
  EXPECT_THAT(host, HasSubstr("  second    read by host\n    main  sum.cu:35\n"));
  EXPECT_THAT(host, HasSubstr("in a device allocation of 64 bytes\n    main  sum.cu:30\n"));
}

TEST(Text, LongStacksAreCut) {
  Finding finding = sample::bare();
  finding.first.stack.assign(20, {"recurse", "a.cpp", 1, 0});
  const std::string text = write_text(finding, {.most_frames = 3});
  EXPECT_THAT(text, HasSubstr("    recurse  a.cpp:1\n    ... 17 more callers\n"));
}

TEST(Text, LibrariesAreFoldedAndNamesAreShort) {
  EXPECT_EQ(write_text(sample::in_library()),
            R"(error[race-write-write]: data race: write against write on 'names.first[3]'
  memory    8 bytes at 0x55d0c1a040, in a global variable of 8 bytes, declared at bank.cpp:7:6
  first     write of 8 bytes by T1 (teller), locks held: accounts, and 2 more
    ... 1 frame of libstdc++
    std::vector<std::string>::push_back(std::string const&)  c++/12/bits/stl_vector.h:1281:30
    add_name(std::string)  names.cpp:9:9
    main::{lambda()#1}() const  names.cpp:20:30
    ... 3 frames of libstdc++
  second    write of 8 bytes by T0 (main), locks held: none
    std::vector<std::string>::size() const  c++/12/bits/stl_vector.h:988:40
    main  names.cpp:24:17
  thread    T1 (teller), finished (system 4101), created by T0 (main)
    main  bank.cpp:30:15
  lock      accounts, a mutex at 0x55d0c1a080, created in deposit(long) bank.cpp:11:19, taken by T1 (teller) in deposit(long) bank.cpp:11:19
  missing   T1 (teller) held the lock accounts, T0 (main) held none.
  change    Take accounts in reset() as well, or call reset() before the threads start.
  seen      also seen 11 more times
  suppress  race_top:^add_name(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)$
)");
}

TEST(Text, AFrameWithoutALineSaysWhy) {
  Finding f = sample::live();
  CodeFrame& near = f.first.stack[0];
  near.line_state = LineState::kNearest;
  const auto lost = [](CodeFrame& frame, LineState why, std::string function) {
    frame = CodeFrame(std::move(function), "", 0, 0);
    frame.module = "/opt/lib/libbank.so";
    frame.offset = 0x1200;
    frame.line_state = why;
  };
  lost(f.first.stack[1], LineState::kNoDebugInfo, "settle(int)");
  lost(f.second.stack[0], LineState::kStripped, "");
  lost(f.second.stack[1], LineState::kSystemLibrary, "deflate");
  const std::string text = write_text(f);
  EXPECT_THAT(text, HasSubstr("    deposit(long)  near bank.cpp:12:11\n"
                              "    settle(int)  (no debug info: compile with -g)\n"));
  EXPECT_THAT(text, HasSubstr("    libbank.so+0x1200  (stripped: link without -s)\n"
                              "    deflate  (system library libbank.so)\n"));
}

TEST(Text, FindingsOfOneCauseStandTogether) {
  Report report = sample::usual();
  const std::string text = write_text(report);
  const std::size_t heading = text.find("2 findings on 'balance':\n\nerror[race-write-write]");
  ASSERT_NE(heading, std::string::npos);
  const std::size_t second = text.find("error[race-read-write]", heading);
  EXPECT_EQ(text.substr(heading, second - heading).find("Entry"), std::string::npos)
      << "nothing else in between";
  EXPECT_EQ(write_causes(report), "  2 findings on 'balance'\n");
  EXPECT_EQ(write_causes(sample::one()), "");
  const std::string one = write_findings(report, {.most_findings = 1});
  EXPECT_THAT(one, HasSubstr("... and 6 more findings (--max-findings=0 prints all)\n\n"));
}

TEST(Text, WhatWasNotLookedAtIsSaidAtTheEnd) {
  EXPECT_EQ(write_end(sample::live_run()),
            "redflag: not looked at: 2 libraries without instrumentation (libz.so.1, libfoo.so), 3 "
            "threads that the C library started\n"
            "redflag: 2 races, 3 misuses, seen 16 times; fasttrack\n");
  Report report = sample::empty();
  EXPECT_EQ(unchecked_text(report), "");
  for (int i = 0; i < 6; ++i) {
    report.unchecked.push_back({Unchecked::Kind::kKernel, "kernel" + std::to_string(i), 1});
  }
  EXPECT_EQ(unchecked_text(report),
            "not looked at: 6 kernels without PTX (kernel0, kernel1, kernel2, kernel3 and 2 more)");
  report.unchecked = {{Unchecked::Kind::kUnsupportedKernel, "gather(int*)", 1},
                      {Unchecked::Kind::kKernel, "scan", 1}};
  EXPECT_EQ(unchecked_text(report),
            "not looked at: 1 kernel without PTX (scan), 1 kernel that could not be checked "
            "(gather(int*))");
}

TEST(Text, ColourOnlyWhenAsked) {
  EXPECT_THAT(write_text(sample::usual()), Not(HasSubstr("\x1b")));
  const std::string colour = write_text(sample::usual(), {.colour = true});
  EXPECT_THAT(colour, HasSubstr("\x1b[1;31merror[race-write-write]\x1b[0m: "));
  EXPECT_THAT(colour, HasSubstr("\x1b[1;33mnote[lockset]\x1b[0m: "));
}

TEST(Text, ColourAddsNothingElse) {
  std::string colour = write_text(sample::hostile(), {.colour = true});
  for (std::size_t at = colour.find('\x1b'); at != std::string::npos; at = colour.find('\x1b')) {
    colour.erase(at, colour.find('m', at) - at + 1);
  }
  EXPECT_EQ(colour, write_text(sample::hostile()));
}

TEST(Text, HostileNamesStayOnTheirLine) {
  for (const Report& report : {sample::hostile(), sample::broken_encoding()}) {
    for (const Finding& finding : report.findings) {
      const std::string text = write_text(finding);
      EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return c == '\n' || (c >= 0x20 && c != 0x7f);
      }));
      Finding tame = finding;
      for (Side* side : {&tame.first, &tame.second}) {
        if (!side->stack.empty()) side->stack[0] = {"f", "f", 1, 1};
      }
      const std::string expected = write_text(tame);
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
                std::count(expected.begin(), expected.end(), '\n'));
    }
  }
}

}  // namespace
}  // namespace redflag
