// A cache that remembers the last key while it holds its lock only for reading, as other readers
// may at the same time. Repaired in reader_ok.cpp.
#include <cstdio>
#include <shared_mutex>
#include <thread>

std::shared_mutex cache_lock;
int cache[4] = {10, 20, 30, 40};
int last_key = 0;

int look_up(int key) {
  std::shared_lock<std::shared_mutex> hold(cache_lock);
  last_key = key;  // RACE: first
  return cache[key];
}

int most_recent() {
  std::shared_lock<std::shared_mutex> hold(cache_lock);
  return last_key;  // RACE: second
}

int main() {
  std::thread user([] { look_up(2); });
  const int key = most_recent();
  user.join();
  std::printf("last key %d\n", key);
}
