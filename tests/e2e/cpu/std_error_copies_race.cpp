// A copy of an exception says what another thread does not wait for: the buffer that it is written to.
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "order.h"

static char said[64];

int main() {
  const std::runtime_error error(std::string(40, 'r'));
  std::thread first([error] {
    std::strcpy(said, error.what());  // RACE
    order_reached(1);
  });
  std::thread second([error] {
    order_await(1);
    USE(said[3]);  // RACE
  });
  first.join();
  second.join();
}
