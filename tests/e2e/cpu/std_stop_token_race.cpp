// The worker polls a plain flag instead of its stop token.
// STD: c++20
#include <sched.h>

#include <stop_token>
#include <thread>

#include "order.h"

static bool stop;
static int rounds;

int main() {
  {
    std::jthread worker([] {
      rounds++;
      order_await(1);
      if (stop) rounds++;  // RACE
    });
    stop = true;  // RACE
    order_reached(1);
  }
  return rounds > 0 ? 0 : 1;
}
