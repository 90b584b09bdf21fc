#include <thread>

#include "counter.h"

int main() {
  std::thread other(visit);
  visit();
  other.join();
}
