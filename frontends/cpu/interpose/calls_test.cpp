#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "frontends/cpu/interpose/testing.h"

namespace redflag::interpose {
namespace {

using testing::Recording;

// Calls through these are not replaced by the compiler's own code.
template <class F>
F* hidden(F* f) {
  F* volatile p = f;
  return p;
}

// --- Threads ------------------------------------------------------------------------------------
struct SaysGoodbye {
  void* key;
  ~SaysGoodbye() { sem(); }
  void sem() const { rt::release(*rt::self(), reinterpret_cast<rt::SyncKey>(key)); }
};

TEST(Thread, EndsAfterItsThreadLocalObjects) {
  static char key;
  const Recording r;
  std::thread([] {
    thread_local SaysGoodbye last{&key};
    (void)&last;
  }).join();
  EXPECT_EQ(r.about(&key), "release");
  const std::string order = r.order();
  EXPECT_LT(order.find("release"), order.find("end"));
  EXPECT_LT(order.find("end"), order.find("joined"));
}

TEST(Thread, ExitResultAndDetach) {
  const Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr, [](void*) -> void* { pthread_exit(reinterpret_cast<void*>(9)); }, nullptr);
  void* result = nullptr;
  EXPECT_EQ(pthread_join(t, &result), 0);
  EXPECT_EQ(result, reinterpret_cast<void*>(9));
  pthread_create(&t, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  EXPECT_EQ(pthread_detach(t), 0);
  EXPECT_EQ(r.count("joined"), 1);
  EXPECT_EQ(r.count("detached"), 1);
}

TEST(Thread, FailedJoinKeepsTheThreadJoinable) {
  const Recording r;
  static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&gate);
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&gate);
        pthread_mutex_unlock(&gate);
        return nullptr;
      },
      nullptr);
  EXPECT_EQ(pthread_tryjoin_np(t, nullptr), EBUSY);
  EXPECT_EQ(r.count("joined"), 0);
  pthread_mutex_unlock(&gate);
  EXPECT_EQ(pthread_join(t, nullptr), 0);
  EXPECT_EQ(r.count("joined"), 1);
}

TEST(Thread, ManyShortOnes) {
  const Recording r;
  for (int round = 0; round < 20; ++round) {
    std::thread threads[50];
    for (std::thread& t : threads) t = std::thread([] {});
    for (std::thread& t : threads) t.join();
  }
  EXPECT_EQ(r.count("joined"), 1000);
  EXPECT_GE(r.count("end"), 1000);  // a detached thread of an earlier test may end now
}

// --- Memory and strings -----------------------------------------------------------------------------
TEST(Memory, CopiesReadAndWrite) {
  char from[64] = "some text";
  char to[64] = "";
  {
    const Recording r;
    hidden (&memcpy)(to, from, 10);
    hidden (&memset)(to, 0, 64);
    EXPECT_EQ(r.about(from), "read:10");
    EXPECT_EQ(r.about(to), "write:10 write:64");
  }
  {
    const Recording r;
    hidden (&strcpy)(to, from);
    hidden (&strcat)(to, "!");
    EXPECT_EQ(r.about(from), "read:10");
    EXPECT_EQ(r.about(to), "write:10 read:9");
    EXPECT_EQ(r.about(to + 9), "write:2");
    EXPECT_STREQ(to, "some text!");
  }
}

TEST(Memory, ComparisonsStopAtTheDifference) {
  const char a[] = "abcdef";
  const char b[] = "abXdef";
  const Recording r;
  EXPECT_NE(hidden(&memcmp)(a, b, 6), 0);
  EXPECT_NE(hidden(&strcmp)(a, b), 0);
  EXPECT_EQ(hidden(&strncmp)(a, b, 2), 0);
  EXPECT_EQ(r.about(a), "read:3 read:3 read:2");
  EXPECT_EQ(r.about(b), "read:3 read:3 read:2");
}

TEST(Format, StringsAreReadAndTargetsWritten) {
  const char word[] = "word";
  char to[32];
  int n = 0;
  double d = 0;
  char s[8];
  const Recording r;
  hidden (&snprintf)(to, sizeof to, "%5d %.2f %s %.*s|%c", 1, 2.0, word, 2, word, 'c');
  EXPECT_EQ(r.about(word), "read:5 read:2");
  EXPECT_EQ(r.about(to), "write:21");
  EXPECT_STREQ(to, "    1 2.00 word wo|c");
  EXPECT_EQ(std::sscanf("12 3.5 abc", "%d %lf %7[a-z] %d", &n, &d, s, &n), 3);
  EXPECT_EQ(r.about(&n), "write:4");
  EXPECT_EQ(r.about(&d), "write:8");
  EXPECT_EQ(r.about(s), "write:4");
}

TEST(Map, NewAddressSpaceHasNoPast) {
  const Recording r;
  void* const p = mmap(nullptr, 5'000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(p, 5'000);
  EXPECT_EQ(r.about(p), "replaced:8192 replaced:8192");
  auto* const q = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, 4'096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(q, MAP_FAILED);
  void* const moved = mremap(q, 4'096, 1 << 20, MREMAP_MAYMOVE);
  ASSERT_NE(moved, MAP_FAILED);
  EXPECT_EQ(r.count("moved-from"), 1);
  EXPECT_EQ(r.count("moved-to"), 1);
  munmap(moved, 1 << 20);
}

TEST(Map, WhatOthersMayMapIsNamed) {
  const Recording r;
  const int file = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(file, 8'192), 0);
  void* const shared = mmap(nullptr, 5'000, PROT_READ, MAP_SHARED, file, 4'096);
  EXPECT_EQ(r.about(shared), "replaced:8192 is-file:8192");
  void* const own = mmap(nullptr, 5'000, PROT_READ, MAP_PRIVATE, file, 0);
  EXPECT_EQ(r.about(own), "replaced:8192");
  munmap(shared, 5'000);
  munmap(own, 5'000);
  close(file);
}

// --- Jumps and signals ------------------------------------------------------------------------------
TEST(Jump, DepthOfCallsIsRestored) {
  static std::jmp_buf buffer;
  const std::size_t before = testing::depth();
  volatile int jumped = 0;
  if (setjmp(buffer) == 0) {
    const rt::LibraryCall deeper(nullptr, nullptr);
    EXPECT_EQ(testing::depth(), before + 1);
    std::longjmp(buffer, 3);
  } else {
    jumped = 1;
  }
  EXPECT_EQ(jumped, 1);
  EXPECT_EQ(testing::depth(), before);
}

volatile int handled = 0;
sigjmp_buf out_of_handler;

TEST(Signal, RunsAtOnceOrWhenTheRuntimeIsReady) {
  const auto before = std::signal(SIGUSR1, [](int) { handled = handled + 1; });
  handled = 0;
  std::raise(SIGUSR1);
  EXPECT_EQ(handled, 1);
  testing::set_busy(true);
  std::raise(SIGUSR1);
  std::raise(SIGUSR1);
  const int while_busy = handled;
  testing::set_busy(false);
  EXPECT_EQ(while_busy, 1);
  EXPECT_EQ(handled, 2) << "two that wait are one, as in the kernel";
  std::signal(SIGUSR1, before);
}

TEST(Signal, HandlerIsReportedAsTheProgramSetIt) {
  struct sigaction mine{};
  mine.sa_handler = [](int) {};
  mine.sa_flags = SA_RESTART;
  struct sigaction old{};
  ASSERT_EQ(sigaction(SIGUSR2, &mine, &old), 0);
  EXPECT_EQ(old.sa_handler, SIG_DFL);
  ASSERT_EQ(sigaction(SIGUSR2, nullptr, &old), 0);
  EXPECT_EQ(old.sa_handler, mine.sa_handler);
  EXPECT_EQ(old.sa_flags & SA_SIGINFO, 0);
  EXPECT_NE(old.sa_flags & SA_RESTART, 0);
  mine.sa_handler = SIG_DFL;
  ASSERT_EQ(sigaction(SIGUSR2, &mine, nullptr), 0);
}

TEST(Signal, ErrnoAndMallocInAHandlerAreFindings) {
  const Recording r;
  std::signal(SIGUSR1, [](int) {
    const rt::LibraryCall frame(nullptr, nullptr);  // as an instrumented function leaves one
    std::free(hidden(&std::malloc)(8));
    errno = 5;
  });
  errno = 3;
  std::raise(SIGUSR1);
  EXPECT_EQ(errno, 3);
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(r.count("signal-unsafe"), 2);
  EXPECT_EQ(r.count("errno-in-signal"), 1);
}

TEST(Signal, AHandlerWithoutAFunctionOfTheProgramIsALibrarys) {
  const Recording r;
  std::signal(SIGUSR1, [](int) { std::free(hidden(&std::malloc)(8)); });
  {
    const rt::LibraryCall interrupted(nullptr, nullptr);
    std::raise(SIGUSR1);
  }
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(r.count("signal-unsafe"), 0);
}

TEST(Signal, JumpOutOfAHandlerLeavesIt) {
  std::signal(SIGSEGV, [](int) { siglongjmp(out_of_handler, 1); });
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(out_of_handler, 1) == 0) {
      int* volatile nowhere = nullptr;
      *nowhere = 1;
    }
  }
  std::signal(SIGSEGV, SIG_DFL);
  const Recording r;
  std::free(hidden(&std::malloc)(8));
  EXPECT_EQ(r.count("signal-unsafe"), 0);
}

// --- Processes ------------------------------------------------------------------------------------
TEST(Process, ForkTellsTheRuntimeOnBothSides) {
  const Recording r;
  const pid_t child = fork();
  if (child == 0) _exit(r.order() == "fork-before fork-child" ? 4 : 5);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(r.order(), "fork-before fork-parent waited");
}

const Recording* in_child = nullptr;

TEST(Process, CallbacksOfExitComeAfterTheirRegistration) {
  const pid_t child = fork();
  if (child == 0) {
    in_child = new Recording;
    // Run in reverse: this one comes last.
    std::atexit([] {
      _exit(in_child->order() == "release-store release-store acquire unwind acquire" ? 6 : 7);
    });
    std::atexit([] {});
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 6);
}

}  // namespace
}  // namespace redflag::interpose
