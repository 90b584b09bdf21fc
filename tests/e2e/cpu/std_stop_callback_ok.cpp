// What was done before asking to stop is seen by the stop callback.
// STD: c++20
#include <stop_token>
#include <thread>

#include "order.h"

static int reason;

int main() {
  std::stop_source source;
  std::jthread worker([&source] {
    std::stop_callback callback(source.get_token(), [] { USE(reason); });
    order_await(2);
  });
  reason = 2;
  source.request_stop();
  order_reached(2);
}
