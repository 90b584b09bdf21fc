// A bank where deposits and the reset take the same lock. The racy twin is bank_race.cpp.
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex accounts;
long balance = 0;

void deposit(long amount) {
  std::lock_guard<std::mutex> hold(accounts);
  balance += amount;
}

void reset() {
  std::lock_guard<std::mutex> hold(accounts);
  balance = 0;
}

int main() {
  std::thread teller([] {
    for (int i = 0; i < 3; ++i) deposit(100);
  });
  reset();
  teller.join();
  std::printf("balance %ld\n", balance);
}
