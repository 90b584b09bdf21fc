#include "sim/mem/gpu/port.h"

#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

TEST(Port, ServesOneAfterTheOther) {
  Port port;
  EXPECT_EQ(port.reserve(10, 4), 10U);
  EXPECT_EQ(port.reserve(11, 2), 14U);
  EXPECT_EQ(port.reserve(100, 1), 100U);
  EXPECT_EQ(port.free_at(), 101U);
}

TEST(Port, AdmitsWhoFindsRoomBeforeIt) {
  Port port;
  (void)port.reserve(0, 50);
  EXPECT_EQ(port.admit(0, 50), 0U);
  EXPECT_EQ(port.admit(0, 20), 30U);  // when 20 cycles of work are left
  port.block_until(90);
  EXPECT_EQ(port.admit(40, 20), 70U);
}

TEST(BoundedQueue, HasSoManyPlaces) {
  BoundedQueue queue(2);
  EXPECT_EQ(queue.admit(5), 5U);
  queue.leave(40);
  EXPECT_EQ(queue.admit(6), 6U);
  queue.leave(50);
  EXPECT_EQ(queue.admit(7), 40U);  // when the first has left
  queue.leave(60);
  EXPECT_EQ(queue.admit(8), 50U);
}

TEST(BoundedQueue, LeavesInOrder) {
  BoundedQueue queue(1);
  queue.leave(40);
  queue.leave(30);
  EXPECT_EQ(queue.admit(0), 40U);
}

}  // namespace
}  // namespace redflag::sim
