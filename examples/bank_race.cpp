// A bank whose reset forgets the lock that every deposit takes. Repaired in bank_ok.cpp.
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex accounts;
long balance = 0;

void deposit(long amount) {
  std::lock_guard<std::mutex> hold(accounts);
  balance += amount;  // RACE: first
}

void reset() {
  balance = 0;  // RACE: second
}

int main() {
  std::thread teller([] {
    for (int i = 0; i < 3; ++i) deposit(100);
  });
  reset();
  teller.join();
  std::printf("balance %ld\n", balance);
}
