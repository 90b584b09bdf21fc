#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "frontends/cpu/interpose/testing.h"

namespace redflag::interpose {
namespace {

using testing::Recording;

timespec soon(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += 20'000'000;
  if (t.tv_nsec >= 1'000'000'000) {
    t.tv_nsec -= 1'000'000'000;
    ++t.tv_sec;
  }
  return t;
}

TEST(Mutex, EveryWayToLock) {
  const Recording r;
  pthread_mutex_t m;
  pthread_mutex_init(&m, nullptr);
  pthread_mutex_lock(&m);
  EXPECT_EQ(pthread_mutex_trylock(&m), EBUSY);
  const timespec wall = soon(CLOCK_REALTIME);
  EXPECT_EQ(pthread_mutex_timedlock(&m, &wall), ETIMEDOUT);
  pthread_mutex_unlock(&m);
  const timespec steady = soon(CLOCK_MONOTONIC);
  EXPECT_EQ(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &steady), 0);
  pthread_mutex_unlock(&m);
  EXPECT_EQ(pthread_mutex_trylock(&m), 0);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
  EXPECT_EQ(r.about(&m), "created lock unlock lock unlock lock unlock destroyed");
}

TEST(Mutex, RecursiveAndRobust) {
  const Recording r;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_t recursive;
  pthread_mutex_init(&recursive, &a);
  EXPECT_EQ(r.about(&recursive), "created-reentrant");
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_NORMAL);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_t robust;
  pthread_mutex_init(&robust, &a);
  std::thread([&] { pthread_mutex_lock(&robust); }).join();
  EXPECT_EQ(pthread_mutex_lock(&robust), EOWNERDEAD);
  pthread_mutex_consistent(&robust);
  pthread_mutex_unlock(&robust);
  EXPECT_EQ(r.about(&robust), "created lock inherited unlock");
}

TEST(RwLock, BothModes) {
  const Recording r;
  pthread_rwlock_t l;
  pthread_rwlock_init(&l, nullptr);
  pthread_rwlock_rdlock(&l);
  EXPECT_EQ(pthread_rwlock_tryrdlock(&l), 0);
  EXPECT_EQ(pthread_rwlock_trywrlock(&l), EBUSY);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_unlock(&l);
  const timespec t = soon(CLOCK_MONOTONIC);
  EXPECT_EQ(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t), 0);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_destroy(&l);
  EXPECT_EQ(r.about(&l),
            "created-rw lock-shared lock-shared unlock-any unlock-any lock unlock-any destroyed");
}

TEST(Spin, LockAndUnlock) {
  const Recording r;
  pthread_spinlock_t s;
  pthread_spin_init(&s, 0);
  pthread_spin_lock(&s);
  EXPECT_EQ(pthread_spin_trylock(&s), EBUSY);
  pthread_spin_unlock(&s);
  pthread_spin_destroy(&s);
  EXPECT_EQ(r.about(const_cast<int*>(&s)), "created lock unlock destroyed");
}

struct Waited {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool waiting = false;
};

TEST(Condition, WaitGivesTheMutexUpAndTakesItBack) {
  Waited w;
  const Recording r;
  const timespec t = soon(CLOCK_REALTIME);
  pthread_mutex_lock(&w.m);
  EXPECT_EQ(pthread_cond_timedwait(&w.c, &w.m, &t), ETIMEDOUT);
  const timespec s = soon(CLOCK_MONOTONIC);
  testing::set_lock_depth(2);
  EXPECT_EQ(pthread_cond_clockwait(&w.c, &w.m, CLOCK_MONOTONIC, &s), ETIMEDOUT);
  testing::set_lock_depth(1);
  pthread_mutex_unlock(&w.m);
  EXPECT_EQ(r.about(&w.m), "lock unlock-fully lock unlock-fully lock-deep unlock");
}

TEST(Condition, CancelledWaiterHoldsTheMutexInItsCleanup) {
  Waited w;
  const Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void* p) -> void* {
        auto* const it = static_cast<Waited*>(p);
        struct Unlock {
          pthread_mutex_t* m;
          ~Unlock() { pthread_mutex_unlock(m); }
        };
        pthread_mutex_lock(&it->m);
        const Unlock unlock{&it->m};
        it->waiting = true;
        for (;;) pthread_cond_wait(&it->c, &it->m);
      },
      &w);
  for (bool waiting = false; !waiting;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pthread_mutex_lock(&w.m);
    waiting = w.waiting;
    pthread_mutex_unlock(&w.m);
  }
  pthread_cancel(t);
  void* result = nullptr;
  pthread_join(t, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  // The main thread's turns come in anywhere before; then the waiter's end.
  EXPECT_EQ(r.count("unlock-fully"), 1);
  const std::string all = r.about(&w.m);
  const std::string end = " lock unlock";
  ASSERT_GE(all.size(), end.size());
  EXPECT_EQ(all.substr(all.size() - end.size()), end);
  EXPECT_EQ(r.count("lock"), r.count("unlock") + r.count("unlock-fully"));
}

TEST(Semaphore, PostReleasesAndWaitAcquires) {
  sem_t s;
  const Recording r;
  sem_init(&s, 0, 0);
  EXPECT_EQ(sem_trywait(&s), -1);
  sem_post(&s);
  sem_wait(&s);
  EXPECT_EQ(r.about(&s), "release-store release acquire");
}

TEST(Barrier, EnterAndExit) {
  pthread_barrier_t b;
  const Recording r;
  pthread_barrier_init(&b, nullptr, 1);
  EXPECT_EQ(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
  pthread_barrier_destroy(&b);
  EXPECT_EQ(r.about(&b), "write:8 read:8 enter exit write:8");
}

TEST(Once, ReleasesOnceAndAcquiresAlways) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const Recording r;
  for (int i = 0; i < 2; ++i) pthread_once(&once, [] {});
  EXPECT_EQ(r.about(&once), "acquire release acquire acquire");
}

TEST(Once, ThrowingRoutineIsRunAgain) {
  static std::once_flag flag;
  const std::size_t before = testing::depth();
  const Recording r;
  EXPECT_THROW(std::call_once(flag, [] { throw 1; }), int);
  EXPECT_EQ(testing::depth(), before);
  EXPECT_EQ(r.about(&flag), "acquire release") << "what it did until it threw is not lost";
  bool ran = false;
  std::call_once(flag, [&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(r.about(&flag), "acquire release acquire release acquire");
}

int make_value() {
  std::this_thread::yield();
  return 5;
}

TEST(Once, GuardOfALocalStatic) {
  const Recording r;
  std::thread threads[4];
  for (std::thread& t : threads) {
    t = std::thread([] {
      static const int value = make_value();
      ASSERT_EQ(value, 5);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(r.count("release-store"), 1);
}

TEST(C11, ThreadsMutexesConditions) {
  static mtx_t m;
  static cnd_t c;
  static bool ready;
  const Recording r;
  ASSERT_EQ(mtx_init(&m, mtx_plain | mtx_recursive), thrd_success);
  cnd_init(&c);
  thrd_t t;
  ASSERT_EQ(thrd_create(
                &t,
                [](void*) {
                  mtx_lock(&m);
                  ready = true;
                  cnd_signal(&c);
                  mtx_unlock(&m);
                  return -7;
                },
                nullptr),
            thrd_success);
  mtx_lock(&m);
  while (!ready) cnd_wait(&c, &m);
  mtx_unlock(&m);
  int result = 0;
  EXPECT_EQ(thrd_join(t, &result), thrd_success);
  EXPECT_EQ(result, -7);
  mtx_destroy(&m);
  EXPECT_EQ(r.count("joined"), 1);
  EXPECT_EQ(r.about(&m).find("created-reentrant"), 0u);
}

TEST(Descriptor, PipeEndsShareOneOrder) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int copy = dup(ends[0]);
  const Recording r;
  char c = 'x';
  EXPECT_EQ(write(ends[1], &c, 1), 1);
  EXPECT_EQ(read(copy, &c, 1), 1);
  EXPECT_EQ(r.about(&c), "read:1 write:1");
  EXPECT_EQ(r.order(), "release acquire");
  close(copy);
  close(ends[0]);
  close(ends[1]);
}

TEST(Descriptor, UnknownOnesOrderNothing) {
  const Recording r;
  EXPECT_EQ(write(STDOUT_FILENO, "", 0), 0);
  EXPECT_EQ(r.order(), "");
}

TEST(Descriptor, WatchedByEpoll) {
  const int event = eventfd(0, 0);
  const int poll = epoll_create1(0);
  epoll_event e{};
  e.events = EPOLLIN;
  epoll_ctl(poll, EPOLL_CTL_ADD, event, &e);
  const Recording r;
  const std::uint64_t one = 1;
  EXPECT_EQ(write(event, &one, sizeof one), 8);
  EXPECT_EQ(epoll_wait(poll, &e, 1, -1), 1);
  EXPECT_EQ(r.order(), "release release acquire") << "the write counts for both";
  close(event);
  close(poll);
}

}  // namespace
}  // namespace redflag::interpose
