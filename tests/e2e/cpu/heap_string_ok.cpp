// Each thread has a std::string of its own.
#include <string>
#include <thread>

#include "order.h"

static std::string name = "a name that is too long for the small buffer";

int main() {
  std::thread reader([copy = name] {
    USE(copy[7]);
    order_reached(1);
  });
  order_await(1);
  name = "another name that is too long for the small buffer";
  name += name;
  reader.join();
}
