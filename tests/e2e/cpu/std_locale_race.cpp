// Streams of two threads share a facet that counts its uses.
#include <locale>
#include <sstream>
#include <thread>

#include "order.h"

struct Grouping : std::numpunct<char> {
  mutable int uses = 0;
  std::string do_grouping() const override {
    uses++;  // RACE RACE
    return "\3";
  }
};

static void use(const std::locale& shared) {
  (void)std::use_facet<std::numpunct<char>>(shared).grouping();
}

int main() {
  const std::locale shared(std::locale::classic(), new Grouping);
  std::thread first([shared] {
    use(shared);
    order_reached(1);
    order_await(2);
  });
  std::thread second([shared] {
    order_await(1);
    use(shared);
    order_reached(2);
  });
  first.join();
  second.join();
}
