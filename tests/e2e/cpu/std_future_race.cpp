// The data is written after the promise is kept.
#include <future>
#include <thread>

#include "order.h"

static int data;

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread producer([&] {
    promise.set_value(2);
    data = 1;  // RACE
    order_reached(1);
  });
  std::thread other([future] { USE(future.get()); });
  USE(future.get());
  order_await(1);
  USE(data);  // RACE
  other.join();
  producer.join();
}
