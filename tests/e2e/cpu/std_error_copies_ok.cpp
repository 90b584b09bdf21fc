// Copies of an exception share their text and paths; the last one gives them back.
// STD: c++17
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "order.h"

int main() {
  for (int i = 0; i < 20; i++) {
    const std::runtime_error plain(std::string(60, 'r'));
    const std::filesystem::filesystem_error paths("cannot", "/a/long/path/to/somewhere/else",
                                                  std::make_error_code(std::errc::io_error));
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++) {
      threads.emplace_back([plain, paths] {
        if (std::strlen(plain.what()) != 60 || std::strlen(paths.what()) < 6) std::terminate();
        if (paths.path1().string().size() != 30) std::terminate();
      });
    }
    for (std::thread& thread : threads) thread.detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}
