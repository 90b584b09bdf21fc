// Two threads take values from one generator.
// STD: c++20
#include <coroutine>
#include <mutex>
#include <thread>

#include "order.h"

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = v;
      return {};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

static Generator count() {
  for (int i = 1; i < 1000; i++) co_yield i;
}

int main() {
  Generator numbers = count();
  std::mutex lock;
  auto take = [&](int n) {
    for (int i = 0; i < n; i++) {
      std::lock_guard<std::mutex> hold(lock);
      numbers.handle.resume();
    }
  };
  std::thread other([&] {
    take(50);
    order_reached(1);
    order_await(2);
    numbers.handle.promise().value = 7;  // RACE
    order_reached(3);
  });
  order_await(1);
  {
    std::lock_guard<std::mutex> hold(lock);
    USE(numbers.handle.promise().value);  // RACE
  }
  order_reached(2);
  order_await(3);
  other.join();
  numbers.handle.destroy();
}
