// A facet of the program belongs to a locale that several streams share; the last one destroys it.
#include <chrono>
#include <locale>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "order.h"

struct Grouping : std::numpunct<char> {
  std::string groups = "\3";
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return groups; }
  ~Grouping() override { groups.clear(); }
};

int main() {
  for (int i = 0; i < 10; i++) {
    std::locale shared(std::locale::classic(), new Grouping);
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++) {
      threads.emplace_back([shared] {
        std::ostringstream text;
        text.imbue(shared);
        text << 1234567;
        if (text.str() != "1'234'567") std::terminate();
      });
    }
    shared = std::locale::classic();
    for (std::thread& thread : threads) thread.detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}
