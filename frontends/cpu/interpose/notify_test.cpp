// Callbacks in threads of libc, over a runtime that writes down what it is told.
#include <aio.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <semaphore.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "frontends/cpu/interpose/notice.h"
#include "frontends/cpu/interpose/testing.h"

namespace redflag::interpose {
namespace {

using testing::Recording;

sem_t called;
int value_seen = 0;

void callback(sigval value) {
  value_seen = value.sival_int;
  sem_post(&called);
}

sigevent thread_event(int value) {
  sem_init(&called, 0, 0);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = &callback;
  event.sigev_value.sival_int = value;
  return event;
}

void wait_for_callback() {
  while (sem_wait(&called) != 0) {
  }
}

TEST(Notify, AThreadOfATimerAppears) {
  const Recording r;
  sigevent event = thread_event(7);
  timer_t timer{};
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  EXPECT_EQ(event.sigev_notify_function, &callback) << "the program's own event stays as it is";
  const itimerspec soon{{0, 0}, {0, 1000}};
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(timer_settime(timer, 0, &soon, nullptr), 0);
    wait_for_callback();
    EXPECT_EQ(value_seen, 7);
    EXPECT_EQ(r.count("appeared"), i);
  }
  EXPECT_EQ(timer_delete(timer), 0);
  EXPECT_EQ(timer_delete(timer), -1);
}

TEST(Notify, EventsWithoutAThreadAreLeftAlone) {
  const Recording r;
  sigevent event{};
  event.sigev_notify = SIGEV_NONE;
  timer_t timer{};
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  EXPECT_EQ(timer_delete(timer), 0);
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, nullptr, &timer), 0);
  EXPECT_EQ(timer_delete(timer), 0);
  EXPECT_EQ(r.count("appeared"), 0);
}

TEST(Notify, ANoticeRestsBeforeItIsUsedAgain) {
  const rt::LibraryCall call(nullptr, nullptr);
  const sigevent event = thread_event(1);
  Notice* const first = make_notice(call, &event, true);
  ASSERT_NE(first, nullptr);
  give_back(first);
  bool again = false;
  for (int i = 0; i < 1000; ++i) {
    Notice* const next = make_notice(call, &event, true);
    again = again || next == first;
    give_back(next);
  }
  EXPECT_FALSE(again);
  for (int i = 0; i < 20000 && !again; ++i) {
    Notice* const next = make_notice(call, &event, true);
    again = next == first;
    give_back(next);
  }
  EXPECT_TRUE(again) << "but it is used again";
}

TEST(Notify, AsManyKeysAsThereAreRequests) {
  const rt::LibraryCall call(nullptr, nullptr);
  const sigevent event = thread_event(1);
  Notice* const notice = make_notice(call, &event, true);
  ASSERT_NE(notice, nullptr);
  for (rt::SyncKey key = 1; key <= 100; ++key) acquire_also(*notice, key);
  ASSERT_EQ(notice->also_count, 100U);
  for (rt::SyncKey key = 1; key <= 100; ++key) EXPECT_EQ(notice->more[key - 1], key);
  give_back(notice);
}

class Aio : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::tmpfile();
    ASSERT_NE(file_, nullptr);
    block_.aio_fildes = fileno(file_);
    block_.aio_buf = buffer_;
    block_.aio_nbytes = sizeof buffer_;
  }
  void TearDown() override { std::fclose(file_); }
  void wait_for_end() {
    while (aio_error(&block_) == EINPROGRESS) {
    }
  }

  std::FILE* file_ = nullptr;
  char buffer_[16] = {};
  aiocb block_{};
};

TEST_F(Aio, AnAgentHasTheBufferUntilTheEndIsSeen) {
  const Recording r;
  ASSERT_EQ(aio_write(&block_), 0);
  EXPECT_EQ(r.about(buffer_), "read:16");
  wait_for_end();
  EXPECT_EQ(aio_return(&block_), 16);
  ASSERT_EQ(aio_read(&block_), 0);
  EXPECT_EQ(r.about(buffer_), "read:16 write:16");
  wait_for_end();
  EXPECT_EQ(aio_return(&block_), 16);
  EXPECT_LE(r.count("fiber"), 1) << "the same agent serves again";
}

TEST_F(Aio, TwoRequestsUnderWayHaveTwoAgents) {
  const Recording r;
  aiocb other = block_;
  ASSERT_EQ(aio_write(&block_), 0);
  ASSERT_EQ(aio_write(&other), 0);
  EXPECT_GE(r.count("fiber"), 1);
  const aiocb* const both[] = {&block_, &other};
  for (const aiocb* one : both) {
    while (aio_suspend(&one, 1, nullptr) != 0) {
    }
  }
  EXPECT_EQ(aio_return(&block_), 16);
  EXPECT_EQ(aio_return(&other), 16);
}

TEST_F(Aio, TheProgramsEventIsInItsControlBlockAgain) {
  block_.aio_sigevent = thread_event(9);
  for (int i = 0; i < 5; ++i) {
    const Recording r;
    ASSERT_EQ(aio_write(&block_), 0);
    wait_for_callback();
    EXPECT_EQ(value_seen, 9);
    EXPECT_EQ(block_.aio_sigevent.sigev_notify_function, &callback);
    EXPECT_EQ(block_.aio_sigevent.sigev_value.sival_int, 9);
    EXPECT_EQ(r.count("appeared"), 1);
    wait_for_end();
    EXPECT_EQ(aio_return(&block_), 16);
  }
}

TEST_F(Aio, ARefusedRequestLeavesNothingBehind) {
  block_.aio_sigevent = thread_event(9);
  block_.aio_reqprio = -1;
  EXPECT_EQ(aio_write(&block_), -1);
  EXPECT_EQ(block_.aio_sigevent.sigev_notify_function, &callback);
}

TEST(Notify, ALookUpCallsBack) {
  const Recording r;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  gaicb request{};
  request.ar_name = "127.0.0.1";
  request.ar_request = &hints;
  gaicb* list[] = {&request};
  sigevent event = thread_event(3);
  ASSERT_EQ(getaddrinfo_a(GAI_NOWAIT, list, 1, &event), 0);
  wait_for_callback();
  EXPECT_EQ(value_seen, 3);
  EXPECT_EQ(r.count("appeared"), 1);
  freeaddrinfo(request.ar_result);
}

}  // namespace
}  // namespace redflag::interpose
