// Stops that follow each other as closely as they can: everybody else still gets on.
#include "core/live/world.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

void a_while() {
  for (int k = 0; k < 20; ++k) os_nap(1'000'000);
}

// Stops the world twice in a row, while `f` waits since the first; how often f had its way in between. A
// busy machine may keep f off the processor for long, but not often.
constexpr int kTimes = 10;
template <typename F>
int between_two_stops(World& world, Thread& stopper, F&& f) {
  int times = 0;
  for (int k = 0; k < kTimes; ++k) {
    std::atomic<bool> done{false};
    world.stop(&stopper);
    std::thread other([&] { f(done); });
    a_while();
    world.resume(&stopper);
    world.stop(&stopper);
    times += done.load() ? 1 : 0;
    world.resume(&stopper);
    other.join();
  }
  return times;
}

TEST(World, WhoWasKeptOutComesInBeforeTheNextStop) {
  Rig rig;
  World& world = rig->world;
  Thread& t = rig.thread(1);
  EXPECT_GT(between_two_stops(world, rig.thread(0),
                              [&](std::atomic<bool>& done) {
                                world.enter(t);
                                done = true;
                                world.leave(t);
                              }),
            kTimes / 2);
}

TEST(World, StopsTakeTurns) {
  Rig rig;
  World& world = rig->world;
  EXPECT_GT(between_two_stops(world, rig.thread(0),
                              [&](std::atomic<bool>& done) {
                                world.stop(nullptr);
                                done = true;
                                world.resume(nullptr);
                              }),
            kTimes / 2);
}

// The child of a fork has the turn of the thread that forked; those who waited for theirs are gone.
TEST(World, AChildWaitsForNoTurnOfAnother) {
  Rig rig;
  World& world = rig->world;
  Thread& t = rig.thread(0);
  world.stop(&t);
  std::thread waiter([&] { world.stop(nullptr), world.resume(nullptr); });
  a_while();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    world.forget_turns();
    world.resume(&t);
    world.stop(&t);
    world.resume(&t);
    _exit(0);
  }
  world.resume(&t);
  waiter.join();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "it waited for a thread that is not there";
}

}  // namespace
}  // namespace redflag::live
