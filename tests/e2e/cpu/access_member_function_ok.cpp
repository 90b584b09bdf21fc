// Getter and setter take the same lock.
#include <mutex>
#include <thread>

#include "order.h"

class Account {
 public:
  void deposit(long amount) {
    std::lock_guard<std::mutex> hold(lock_);
    balance_ += amount;
  }
  long balance() const {
    std::lock_guard<std::mutex> hold(lock_);
    return balance_;
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
