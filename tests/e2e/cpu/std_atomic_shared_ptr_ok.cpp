// std::atomic<std::shared_ptr>: the library's own lock in it orders what the pointer leads to.
// STD: c++20
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "order.h"

static std::atomic<std::shared_ptr<std::string>> current(std::make_shared<std::string>(40, 'a'));

int main() {
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; k++) {
    threads.emplace_back([k] {
      for (int i = 0; i < 100; i++) current.store(std::make_shared<std::string>(40 + i, 'a' + k));
    });
    threads.emplace_back([] {
      for (int i = 0; i < 100; i++) {
        const std::shared_ptr<std::string> mine = current.load();
        if (mine->size() < 40) std::terminate();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
