// A message announced by a flag with release and acquire. The racy twin is publish_race.cpp.
#include <atomic>
#include <cstdio>
#include <thread>

int message = 0;
std::atomic<bool> ready{false};

void producer() {
  message = 42;
  ready.store(true, std::memory_order_release);
}

void consumer() {
  while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
  std::printf("message %d\n", message);
}

int main() {
  std::thread sender(producer);
  std::thread receiver(consumer);
  sender.join();
  receiver.join();
}
