// Insertion and search of intervals: the measurements of UPC-Thrille's figures 2 and 3 (section 3.3).
//
//   intervals_bench RANGES
//
// Ranges come one by one, at random places or side by side as in the paper ([0, 10), [10, 20), ...), and
// then each place is looked up. The two implementations take turns, five rounds, and the best time of each
// counts: noise of a shared machine only ever adds. Prints one line of JSON, nanoseconds for each
// insertion and search; bench/run pgas-intervals makes the table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/detect/pgas/intervals.h"
#include "core/detect/pgas/skip_intervals.h"

namespace redflag::pgas {
namespace {

constexpr int kRounds = 5;
constexpr std::uint64_t kBytes = 10;  // of a range, as the paper's

struct Times {
  double insert = 1e18;
  double search = 1e18;
};

double nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

template <typename Intervals>
void measure(const std::vector<std::uint64_t>& begins, Times& best) {
  Intervals intervals;
  const auto n = static_cast<double>(begins.size());
  auto start = std::chrono::steady_clock::now();
  for (const std::uint64_t begin : begins) {
    intervals.visit(begin, begin + kBytes, [](auto, auto, std::uint64_t& visits) { ++visits; });
  }
  best.insert = std::min(best.insert, nanoseconds_since(start) / n);
  std::uint64_t found = 0;
  start = std::chrono::steady_clock::now();
  for (const std::uint64_t begin : begins) {
    intervals.look(begin, begin + 1, [&](std::uint64_t visits) { found += visits; });
  }
  best.search = std::min(best.search, nanoseconds_since(start) / n);
  if (found < begins.size()) std::abort();  // something was not found
}

void print(const char* name, const std::vector<std::uint64_t>& begins, const char* behind) {
  Times ordered;
  Times skip;
  for (int round = 0; round < kRounds; ++round) {
    measure<OrderedIntervals<std::uint64_t>>(begins, ordered);
    measure<SkipIntervals<std::uint64_t>>(begins, skip);
  }
  std::printf("\"%s\": {\"ordered\": [%.1f, %.1f], \"skip\": [%.1f, %.1f]}%s", name, ordered.insert,
              ordered.search, skip.insert, skip.search, behind);
}

}  // namespace
}  // namespace redflag::pgas

int main(int argc, char** argv) {
  const std::size_t n = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (n == 0) {
    std::fprintf(stderr, "usage: intervals_bench RANGES\n");
    return 2;
  }
  std::vector<std::uint64_t> random(n);
  std::vector<std::uint64_t> sequential(n);
  std::mt19937_64 numbers(1);
  for (std::size_t i = 0; i < n; ++i) {
    random[i] = numbers() % (n * 100);
    sequential[i] = i * redflag::pgas::kBytes;
  }
  std::printf("{");
  redflag::pgas::print("random", random, ", ");
  redflag::pgas::print("sequential", sequential, "}\n");
  return 0;
}
