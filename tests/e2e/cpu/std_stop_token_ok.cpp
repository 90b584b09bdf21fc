// A jthread is told to stop through its stop token, and joined by its destructor.
// STD: c++20
#include <sched.h>

#include <stop_token>
#include <thread>

#include "order.h"

static int rounds;

int main() {
  {
    std::jthread worker([](std::stop_token token) {
      while (!token.stop_requested()) {
        rounds++;
        order_reached(1);
        sched_yield();
      }
    });
    order_await(1);
    worker.request_stop();
  }
  return rounds > 0 ? 0 : 1;
}
