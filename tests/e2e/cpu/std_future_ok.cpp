// A promise and its future hand data over; a shared_future to several threads.
#include <future>
#include <thread>

#include "order.h"

static int data;

int main() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread producer([&] {
    data = 1;
    promise.set_value(2);
    order_reached(1);
  });
  std::thread other([future] { USE(future.get()); });
  USE(future.get());
  USE(data);
  other.join();
  producer.join();
}
