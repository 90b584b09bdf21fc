// An object is deleted while another thread reads one of its members.
#include <semaphore.h>

#include <thread>

#include "order.h"

struct Settings {
  int first = 1;
  int second = 2;
};

int main() {
  auto* settings = new Settings;
  sem_t finished;
  sem_init(&finished, 0, 0);
  std::thread reader([&finished, settings] {
    USE(settings->second);  // RACE
    order_reached(1);
  });
  order_await(1);
  delete settings;  // RACE
  reader.join();
}
