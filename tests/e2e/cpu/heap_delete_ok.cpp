// An object is deleted by the thread that was told that nobody reads it any more.
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
    USE(settings->second);
    order_reached(1);
    sem_post(&finished);
  });
  sem_wait(&finished);
  delete settings;
  reader.join();
}
