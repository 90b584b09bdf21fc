// A cache refreshed in the background: the flag is published without release order.
#include <atomic>
#include <string>
#include <thread>
// clang-format off: the tabs are there for the column under the caret
struct Entry {
  std::string name;
	int hits = 0;
};

Entry* shared_entry = nullptr;
std::atomic<bool> ready{false};

void refresh() {
  shared_entry = new Entry{"größe", 1};
  ready.store(true, std::memory_order_relaxed);
}

int lookup() {
  while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
	return shared_entry->hits;
}

void evict() {
  delete shared_entry;
}
