#include "core/report/tsan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text(const Finding& finding) {
  const auto build_id = [](const std::string& path) {
    return path == "/home/user/bank" ? "c0ffee" : "";
  };
  return write_tsan(finding, {.pid = 42, .build_id = build_id});
}

TEST(Tsan, GoldenRace) {
  EXPECT_EQ(text(sample::live()),
            R"(==================
WARNING: ThreadSanitizer: data race (pid=42)
  Write of size 8 at 0x0055d0c1a040 by main thread:
    #0 reset() bank.cpp:21:11 (bank+0x1200) (BuildId: c0ffee)
    #1 main bank.cpp:32:3 (bank+0x1290) (BuildId: c0ffee)

  Previous write of size 8 at 0x0055d0c1a040 by thread T1 (mutexes: write M0):
    #0 deposit(long) bank.cpp:12:11 (bank+0x1180) (BuildId: c0ffee)
    #1 teller(int) bank.cpp:26:39 (bank+0x11c0) (BuildId: c0ffee)

  Location is global 'balance' of size 8 at 0x0055d0c1a040 (bank+0x4040)

  Mutex M0 (0x0055d0c1a080) created at:
    #0 pthread_mutex_lock <null> (libredflag.so.0+0x52000)
    #1 deposit(long) bank.cpp:11:19 (bank+0x1150) (BuildId: c0ffee)

  Thread T1 'teller' (tid=4101, finished) created by main thread at:
    #0 pthread_create <null> (libredflag.so.0+0x51000)
    #1 main bank.cpp:30:15 (bank+0x1250) (BuildId: c0ffee)

SUMMARY: ThreadSanitizer: data race bank.cpp:21:11 in reset()
==================
)");
}

TEST(Tsan, GoldenUseAfterFreeWithALostStack) {
  EXPECT_EQ(text(sample::live_freed()),
            R"(==================
WARNING: ThreadSanitizer: heap-use-after-free (virtual call vs free) (pid=42)
  Read of size 4 at 0x602000000030 by main thread:
    #0 memcpy <null> (libredflag.so.0+0x53000)
    #1 lookup() cache.cpp:21:23 (bank+0x1300) (BuildId: c0ffee)

  Previous write of size 8 at 0x602000000010 by thread T1:
    [failed to restore the stack]

  Location is heap block of size 40 at 0x602000000010 allocated by main thread:
    #0 operator new(unsigned long) <null> (libredflag.so.0+0x50000)
    #1 refresh() cache.cpp:15:18 (bank+0x1340) (BuildId: c0ffee)

  Thread T1 'teller' (tid=4101, finished) created by main thread at:
    #0 pthread_create <null> (libredflag.so.0+0x51000)
    #1 main bank.cpp:30:15 (bank+0x1250) (BuildId: c0ffee)

SUMMARY: ThreadSanitizer: heap-use-after-free (virtual call vs free) cache.cpp:21:23 in lookup()
==================
)");
}

TEST(Tsan, GoldenMisuse) {
  EXPECT_EQ(text(sample::destroy_locked()),
            R"(==================
WARNING: ThreadSanitizer: destroy of a locked mutex (pid=42)
    #0 pthread_mutex_destroy <null> (libredflag.so.0+0x52100)
    #1 main bank.cpp:33:3 (bank+0x12a0) (BuildId: c0ffee)

  and:
    #0 pthread_mutex_lock <null> (libredflag.so.0+0x52000)
    #1 deposit(long) bank.cpp:11:19 (bank+0x1150) (BuildId: c0ffee)

  Location is global 'accounts' of size 40 at 0x0055d0c1a080 (bank+0x4080)

  Mutex M0 (0x0055d0c1a080) created at:
    #0 pthread_mutex_lock <null> (libredflag.so.0+0x52000)
    #1 deposit(long) bank.cpp:11:19 (bank+0x1150) (BuildId: c0ffee)

SUMMARY: ThreadSanitizer: destroy of a locked mutex bank.cpp:33:3 in main
==================
)");
  EXPECT_EQ(text(sample::thread_leak()),
            R"(==================
WARNING: ThreadSanitizer: thread leak (pid=42)
  Thread T1 'teller' (tid=4101, finished) created by main thread at:
    #0 pthread_create <null> (libredflag.so.0+0x51000)
    #1 main bank.cpp:30:15 (bank+0x1250) (BuildId: c0ffee)

  And 2 more similar thread leaks.

SUMMARY: ThreadSanitizer: thread leak bank.cpp:30:15 in main
==================
)");
}

TEST(Tsan, Accesses) {
  Finding f = sample::live();
  f.second.access.kind = EventKind::kAtomicRmw;
  f.first.access.kind = EventKind::kAtomicLoad;
  EXPECT_THAT(text(f), HasSubstr("  Atomic write of size 8 at"));
  EXPECT_THAT(text(f), HasSubstr("  Previous atomic read of size 8 at"));
  f.second.access.kind = EventKind::kRead;
  f.second.access.size = 100;
  f.second.access.addr = Addr{raw(f.addr) - 40};
  EXPECT_THAT(text(f), HasSubstr("  Read of size 8 at 0x0055d0c1a040 by main thread:\n"));
  f.second.access.addr = Addr{raw(f.addr) + 5};
  f.second.access.size = 4;
  EXPECT_THAT(text(f), HasSubstr("  Read of size 3 at 0x0055d0c1a045 by main thread:\n"));
  f.first.locks.push_back({"other", true, 7, {}});
  f.locks.push_back({7, "other", Addr{0x10}, true, false, {}});
  EXPECT_THAT(text(f), HasSubstr("by thread T1 (mutexes: write M0, read M1):\n"));
}

TEST(Tsan, Locations) {
  Finding f = sample::live();
  f.origin = {};
  f.origin.thread = ThreadId{1};
  f.memory.kind = RegionKind::kStack;
  EXPECT_THAT(text(f), HasSubstr("  Location is stack of thread T1.\n\n"));
  f.memory.kind = RegionKind::kThreadLocal;
  EXPECT_THAT(text(f), HasSubstr("  Location is TLS of thread T1.\n\n"));
  f.origin.descriptor = 3;
  EXPECT_THAT(text(f),
              HasSubstr("  Location is file descriptor 3 created by thread T1 at:\n    #0 "));
  f.memory = {};
  f.origin = {};
  EXPECT_THAT(text(f), Not(HasSubstr("Location")));
}

TEST(Tsan, VptrIsTheLaterAccess) {
  Finding f = sample::live();
  f.rule = Rule::kVptr;
  f.first.is_vptr = true;
  EXPECT_THAT(text(f), HasSubstr("ThreadSanitizer: data race (pid"));
  f.second.is_vptr = true;
  EXPECT_THAT(text(f),
              HasSubstr("ThreadSanitizer: data race on vptr (ctor/dtor vs virtual call) ("));
}

TEST(Tsan, TheSignalIsTheSize) {
  Finding f = sample::signal_unsafe();
  f.rule = Rule::kErrnoInSignal;
  EXPECT_THAT(text(f), Not(HasSubstr("handler invoked")));
  f.size = 10;
  EXPECT_THAT(text(f), HasSubstr("errno (pid=42)\n  Signal 10 handler invoked at:\n    #0 "));
}

TEST(Tsan, TheSummaryNamesTheProgram) {
  Finding f = sample::live();
  f.second.stack.insert(f.second.stack.begin(), CodeFrame("std::vector<int>::push_back(int)",
                                                          "/usr/include/c++/12/bits/v.h", 1, 2));
  EXPECT_THAT(text(f), HasSubstr("SUMMARY: ThreadSanitizer: data race bank.cpp:21:11 in reset()"));
  f.second.stack = {CodeFrame("memcpy", "", 0, 0)};
  f.second.stack[0].module = "/usr/lib/libx.so";
  f.second.stack[0].offset = 16;
  EXPECT_THAT(text(f), HasSubstr("data race (/usr/lib/libx.so+0x10) in memcpy\n"));
}

TEST(Tsan, HostileNamesStayOnTheirLine) {
  for (const Finding& finding : sample::hostile().findings) {
    const std::string shown = text(finding);
    EXPECT_TRUE(std::all_of(shown.begin(), shown.end(),
                            [](unsigned char c) { return c == '\n' || (c >= 0x20 && c != 0x7f); }));
  }
}

TEST(Tsan, PrefixesOfPathsAreStripped) {
  Finding finding = sample::live();
  finding.second.stack.front().file = "/build/src/./bank.cpp";
  TsanOptions options;
  options.strip_path_prefix = "/src/";
  EXPECT_THAT(write_tsan(finding, options), HasSubstr("#0 reset() bank.cpp:21:11 "));
  options.strip_path_prefix = "/other/";
  EXPECT_THAT(write_tsan(finding, options), HasSubstr("#0 reset() /build/src/./bank.cpp:21:11 "));
}

TEST(Tsan, ThreadsThatMadeTheRacingOnes) {
  Finding finding = sample::live();
  ThreadOrigin parent = finding.threads.back();
  parent.thread = ThreadId{9};
  parent.parent = kMainThread;
  for (ThreadOrigin& one : finding.threads) {
    if (one.thread == finding.first.access.thread) one.parent = parent.thread;
  }
  finding.threads.push_back(parent);
  TsanOptions options;
  EXPECT_THAT(write_tsan(finding, options), Not(HasSubstr("  Thread T9 ")));
  options.all_threads = true;
  EXPECT_THAT(write_tsan(finding, options), HasSubstr("  Thread T9 "));
}

TEST(Tsan, AStackAlone) {
  EXPECT_THAT(write_tsan_stack(sample::live().second.stack),
              ::testing::StartsWith("    #0 reset() bank.cpp:21:11 (bank+0x1200)\n    #1 main "));
}

TEST(Tsan, LastLine) {
  EXPECT_EQ(tsan_last_line(0), "");
  EXPECT_EQ(tsan_last_line(3), "ThreadSanitizer: reported 3 warnings\n");
}

}  // namespace
}  // namespace redflag
