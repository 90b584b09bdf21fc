// An exception_ptr carries an exception from one thread to another.
#include <exception>
#include <thread>

#include "order.h"

struct Failure {
  int code;
};
static std::exception_ptr carried;

int main() {
  std::thread thrower([] {
    try {
      throw Failure{3};
    } catch (Failure& failure) {
      failure.code = 4;
      carried = std::current_exception();
    }
  });
  thrower.join();
  try {
    std::rethrow_exception(carried);
  } catch (Failure& failure) {
    return failure.code == 4 ? 0 : 1;
  }
}
