// Regular expressions are made and used in several threads: the library caches characters without a lock.
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "order.h"

int main() {
  const std::regex pairs("([a-z]+)=([0-9]+)");
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; k++) {
    threads.emplace_back([&pairs, k] {
      for (int i = 0; i < 3; i++) {
        const std::string text = "abc=" + std::to_string(i * k);
        std::smatch found;
        if (!std::regex_match(text, found, pairs)) std::terminate();
        const std::regex own("x[[:digit:]]*y", std::regex::icase);
        if (!std::regex_search("aX12Yb", own)) std::terminate();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
