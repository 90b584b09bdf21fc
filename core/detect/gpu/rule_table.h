// Rules of a paper's detector as a table: every rule has a letter or number in the paper, a name,
// the paper's condition, and a counter. Documentation, statistics and tests read the rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/finding.h"

namespace redflag::gpu {

enum class RuleKind : std::uint8_t {
  kSafe,   // the access cannot race: nothing more is looked at
  kRacy,   // a race is declared
  kSilent  // neither: ordered as far as the detector knows
};

template <typename Rule>
struct RuleRow {
  Rule rule;
  RuleKind kind;
  std::string_view label;      // the paper's: "(a)", "P1"
  std::string_view name;       //
  std::string_view condition;  // as the paper prints it
  std::string_view reading;    // what its text adds or leaves open, and how it is read here
};

// Rows stand in the order of the enumeration, which is the order of evaluation.
template <typename Rule, std::size_t N>
consteval bool in_order(const std::array<RuleRow<Rule>, N>& rows) {
  for (std::size_t i = 0; i < N; ++i) {
    if (static_cast<std::size_t>(rows[i].rule) != i) return false;
  }
  return true;
}

// How often each rule decided.
template <typename Rule, std::size_t N>
class RuleCounts {
 public:
  void add(Rule rule) { ++counts_[static_cast<std::size_t>(rule)]; }
  std::uint64_t of(Rule rule) const { return counts_[static_cast<std::size_t>(rule)]; }
  void put(const std::array<RuleRow<Rule>, N>& rows, std::vector<Counter>& to) const {
    for (const RuleRow<Rule>& row : rows) {
      std::string name(row.label);
      if (!name.empty()) name += ' ';
      to.push_back({name + std::string(row.name), static_cast<double>(of(row.rule)), ""});
    }
  }

 private:
  std::array<std::uint64_t, N> counts_{};
};

}  // namespace redflag::gpu
