// A getter without the lock that the setter takes.
#include <mutex>
#include <thread>

#include "order.h"

class Account {
 public:
  void deposit(long amount) {
    std::lock_guard<std::mutex> hold(lock_);
    balance_ += amount;  // RACE
  }
  long balance() const {
    return balance_;  // RACE
  }

 private:
  mutable std::mutex lock_;
  long balance_ = 0;
};

static Account account;

int main() {
  std::thread payer([] {
    account.deposit(5);
    order_reached(1);
  });
  order_await(1);
  USE(account.balance());
  payer.join();
}
