// Numbers: what a launch's numbers can be.
//
// Terms have their values; numbers of threads and blocks are as large as the launch says, and less where guards hold;
// turns of loops are as many as their bounds allow. Everything is an interval, computed so that it is never too small: a
// bound or a guard that may have wrapped around narrows nothing, and a number that is too large to compute with is
// not known. Made once for a launch; asking changes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/cuda/prove/proof.h"

namespace redflag::prove {

inline constexpr Variable kVariables = kFirstLoop;  // of threads and blocks

struct Interval {
  std::int64_t least = 0, most = 0;
  bool is_empty() const { return least > most; }
};
struct Box {
  Interval of[kVariables];
  bool is_empty() const {
    return std::any_of(std::begin(of), std::end(of),
                       [](const Interval& x) { return x.is_empty(); });
  }
};

// Numbers of the kernel are right modulo 2^64.
constexpr std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// A form with its values.
struct Sum {
  bool is_exact = false;
  std::int64_t constant = 0;
  std::vector<std::pair<Variable, std::int64_t>> parts;

  void add(Variable variable, std::int64_t factor) {
    for (auto& [which, has] : parts) {
      if (which != variable) continue;
      has = wrapped_sum(has, factor);
      return;
    }
    parts.emplace_back(variable, factor);
  }
  std::int64_t by(Variable variable) const {
    for (const auto& [which, factor] : parts) {
      if (which == variable) return factor;
    }
    return 0;
  }
};

class Numbers {
 public:
  Numbers(const Proof& proof, const Facts& facts);

  std::optional<std::int64_t> value(TermId id) const { return values_[id]; }
  // All threads of the launch. If forms speak of rows and lanes, the number in x is told by these alone.
  const Box& all() const { return all_; }
  // How often each loop was gone round.
  const std::vector<Interval>& turns() const { return turns_; }
  // Of an access: its address, and the threads that do it.
  Sum address_of(const Access& access) const;
  Box box_of(const Access& access) const;

 private:
  Sum sum_of(const Form& form) const;
  Sum unchecked_sum_of(const Form& form) const;  // as if all its checks held
  Interval range_of(Variable variable, const Box& box) const;
  // What the sum can be; nullopt: too large, or not known.
  std::optional<Interval> range_of(const Sum& sum, const Box& box) const;
  bool holds(const Check& check) const;
  void look_at_checks();
  bool hold(const std::vector<std::uint32_t>& checks) const;
  // The turn after the last one that the bound allows, if none of its numbers wraps around; kMostTurns: it says
  // nothing.
  std::int64_t most_turns(const Bound& bound) const;
  void bound_turns(std::size_t loop);
  // Makes the box narrower by what must hold in it.
  void narrow(const Comparison& guard, Box& box) const;

  const Proof& proof_;
  std::vector<std::optional<std::int64_t>> values_;  // of terms
  bool has_rows_ = false;
  Box all_;
  std::vector<Interval> turns_;  // of loops
  std::vector<bool> holds_;      // by check
};

}  // namespace redflag::prove
