// A cache that takes its lock exclusively to remember the last key. The racy twin is
// reader_race.cpp.
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex cache_lock;
int cache[4] = {10, 20, 30, 40};
int last_key = 0;

int look_up(int key) {
  std::unique_lock<std::shared_mutex> hold(cache_lock);
  last_key = key;
  return cache[key];
}

int most_recent() {
  std::shared_lock<std::shared_mutex> hold(cache_lock);
  return last_key;
}

int main() {
  std::thread user([] { look_up(2); });
  const int key = most_recent();
  user.join();
  std::printf("last key %d\n", key);
}
