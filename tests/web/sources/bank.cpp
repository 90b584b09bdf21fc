// A small bank with one mistake: audit() reads the balance without the lock.
#include <mutex>
#include <thread>

std::mutex accounts;
std::mutex journal;
long balance = 0;
long transfers = 0;

void deposit(long amount) {
  std::lock_guard hold(accounts);
  balance += amount;
}

void audit() {
  std::lock_guard hold(journal);
  if (balance < 0) transfers = -1;
}

void reset() {
  balance = 0;
  transfers = 0;
}

void teller(int customers) {
  for (int i = 0; i < customers; ++i) deposit(i);
}

int main() {
  std::thread first(teller, 100);
  std::thread second(audit);
  reset();
  first.join();
  second.join();
}
