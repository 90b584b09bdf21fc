// An exception_ptr is rethrown in another thread while the first still writes to the object.
#include <semaphore.h>

#include <exception>
#include <thread>

#include "order.h"

struct Failure {
  int code;
};
static std::exception_ptr carried;
static sem_t ready;

int main() {
  sem_init(&ready, 0, 0);
  std::thread thrower([] {
    try {
      throw Failure{3};
    } catch (Failure& failure) {
      failure.code = 4;
      carried = std::current_exception();
      sem_post(&ready);
      order_await(1);
      failure.code = 5;  // RACE
    }
  });
  sem_wait(&ready);
  try {
    std::rethrow_exception(carried);
  } catch (Failure& failure) {
    USE(failure.code);  // RACE
    order_reached(1);
    thrower.join();
  }
}
