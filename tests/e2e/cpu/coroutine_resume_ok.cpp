// A coroutine is started in one thread and finished in another after a join.
// STD: c++20
#include <coroutine>
#include <thread>

#include "order.h"

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

static int shared;

static Task work(int amount) {
  shared += amount;
  co_await std::suspend_always{};
  USE(amount);
}

int main() {
  Task first = work(1);
  std::thread other([&] {
    first.handle.resume();
    order_reached(1);
  });
  other.join();
  first.handle.resume();
  first.handle.destroy();
}
