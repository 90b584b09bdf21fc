#include "frontends/cuda/prove/equation.h"

#include <algorithm>
#include <numeric>

namespace redflag::prove {
namespace {

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t whole = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? whole - 1 : whole;
}
std::int64_t ceiling_of(std::int64_t a, std::int64_t b) {
  return -floor_of(-a, b);
}

class Search {
 public:
  explicit Search(std::vector<Unknown> unknowns) : unknowns_(std::move(unknowns)) {
    const std::size_t count = unknowns_.size();
    rest_.resize(count + 1);
    for (std::size_t i = count; i-- > 0;) {
      const Unknown& x = unknowns_[i];
      const std::int64_t a = x.by * x.least, b = x.by * x.most;
      const Rest& next = rest_[i + 1];
      const bool is_multiple = next.divisor != 0 && x.by % next.divisor == 0;
      rest_[i] = {next.least + std::min(a, b), next.most + std::max(a, b),
                  is_multiple ? next.divisor : std::gcd(next.divisor, x.by)};
    }
  }
  // The rest, from `at` on, can be in [low, high].
  bool reaches(std::size_t at, std::int64_t low, std::int64_t high) {
    if (high < rest_[at].least || low > rest_[at].most) return false;
    if (at == unknowns_.size()) return true;
    const std::int64_t by = rest_[at].divisor;
    if (by != 0 && floor_of(high, by) * by < low) return false;
    if (++steps_ > kMostSteps) return true;
    const Unknown& x = unknowns_[at];
    const std::int64_t from = low - rest_[at + 1].most, to = high - rest_[at + 1].least;
    const std::int64_t a = x.by > 0 ? ceiling_of(from, x.by) : ceiling_of(to, x.by);
    const std::int64_t b = x.by > 0 ? floor_of(to, x.by) : floor_of(from, x.by);
    for (std::int64_t v = std::max(a, x.least); v <= std::min(b, x.most); ++v) {
      if (++tries_ > kMostTries) return true;
      if (reaches(at + 1, low - x.by * v, high - x.by * v)) return true;
    }
    return false;
  }

 private:
  std::vector<Unknown> unknowns_;
  struct Rest {
    std::int64_t least = 0, most = 0, divisor = 0;
  };
  std::vector<Rest> rest_;  // what the unknowns from there on can be
  int steps_ = 0, tries_ = 0;
};

// What Search would say at once, without its tables: so it is with most questions.
bool is_out_of_reach(const std::vector<Unknown>& unknowns, std::int64_t low, std::int64_t high) {
  std::int64_t least = 0, most = 0;
  for (const Unknown& x : unknowns) {
    const std::int64_t a = x.by * x.least, b = x.by * x.most;
    least += std::min(a, b);
    most += std::max(a, b);
  }
  return high < least || low > most;
}

// Two unknowns with one factor are one: their sum can be any number from the least to the most. So are turns of a loop
// that two threads have made, however many: only their difference counts.
void unite(std::vector<Unknown>& unknowns) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < unknowns.size(); ++i) {
    Unknown& last = unknowns[kept];
    const Unknown& x = unknowns[i];
    if (magnitude(last.by) != magnitude(x.by)) {
      unknowns[++kept] = x;
      continue;
    }
    const bool is_same = last.by == x.by;
    last.least += is_same ? x.least : -x.most;
    last.most += is_same ? x.most : -x.least;
  }
  if (!unknowns.empty()) unknowns.resize(kept + 1);
}

}  // namespace

bool can_be(std::vector<Unknown> unknowns, std::int64_t constant, std::int64_t low,
            std::int64_t high) {
  for (const Unknown& x : unknowns) {
    if (x.least > x.most) return false;
  }
  std::erase_if(unknowns,
                [](const Unknown& x) { return x.by == 0 || (x.least == 0 && x.most == 0); });
  for (const Unknown& x : unknowns) {
    if (is_too_large(x.by, std::max(magnitude(x.least), magnitude(x.most)))) return true;
  }
  if (is_too_large(constant, 1)) return true;
  if (is_out_of_reach(unknowns, low - constant, high - constant)) return false;
  std::sort(unknowns.begin(), unknowns.end(),
            [](const Unknown& a, const Unknown& b) { return magnitude(a.by) > magnitude(b.by); });
  unite(unknowns);
  return Search(std::move(unknowns)).reaches(0, low - constant, high - constant);
}

}  // namespace redflag::prove
