// What a match came to is written by one thread and read by another.
#include <regex>
#include <thread>

#include "order.h"

int matches;

int main() {
  const std::regex word("[a-z]+");
  std::thread first([&word] {
    matches = std::regex_match("abc", word);  // RACE
    order_reached(1);
  });
  std::thread second([] {
    order_await(1);
    USE(matches);  // RACE
  });
  first.join();
  second.join();
}
