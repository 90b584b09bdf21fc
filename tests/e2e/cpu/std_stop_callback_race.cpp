// A stop callback runs in the thread that asks to stop, at the same time as the worker.
// STD: c++20
#include <stop_token>
#include <thread>

#include "order.h"

static int reason;

int main() {
  std::stop_source source;
  std::jthread worker([&source] {
    std::stop_callback callback(source.get_token(), [] { USE(reason); });
    reason = 1;  // RACE
    order_reached(1);
    order_await(2);
  });
  order_await(1);
  reason = 2;  // RACE
  source.request_stop();
  order_reached(2);
}
