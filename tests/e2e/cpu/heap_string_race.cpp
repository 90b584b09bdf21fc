// Assigning to a std::string while another thread reads its characters.
#include <string>
#include <thread>

#include "order.h"

static std::string name = "a name that is too long for the small buffer";

int main() {
  std::thread reader([] {
    USE(name[7]);  // RACE
    order_reached(1);
  });
  order_await(1);
  name[7] = 'x';  // RACE
  reader.join();
}
