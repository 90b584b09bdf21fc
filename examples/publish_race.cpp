// A message announced by a flag without release and acquire: the reader may see the flag and not
// the message. Repaired in publish_ok.cpp.
#include <atomic>
#include <cstdio>
#include <thread>

int message = 0;
std::atomic<bool> ready{false};

void producer() {
  message = 42;  // RACE: first
  ready.store(true, std::memory_order_relaxed);
}

void consumer() {
  while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::printf("message %d\n", message);  // RACE: second
}

int main() {
  std::thread sender(producer);
  std::thread receiver(consumer);
  sender.join();
  receiver.join();
}
