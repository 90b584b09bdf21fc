// A promise's value becomes ready when its thread ends; the thread that waits uses it and destroys the state.
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "order.h"

static int side;

static int round_of(bool wait_first) {
  auto promise = std::make_unique<std::promise<std::string>>();
  std::future<std::string> answer = promise->get_future();
  std::thread worker([own = std::move(promise)] {
    side++;
    own->set_value_at_thread_exit(std::string(40, 'x'));
    side++;
  });
  if (!wait_first) worker.join();
  const std::string text = answer.get();
  if (wait_first) worker.detach();
  side++;
  return static_cast<int>(text.size());
}

int main() {
  int sum = 0;
  for (int i = 0; i < 40; i++) sum += round_of(i % 4 != 0);
  return sum == 1600 && side == 120 ? 0 : 1;
}
