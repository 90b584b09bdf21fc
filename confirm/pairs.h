// From the findings of a report to pairs of statements that threads can be held at.
//
// A live run knows where in a binary each access is: a module and an address in it. Those are used as they
// are, as long as the binary is the same build. A trace knows file, line and column; these can be
// code in several places of several modules, and all of them count as the statement. A library
// function that made the access (memcpy) is on top of the stack by its name alone: the statement is its
// call.
//
// Pure: what files say is asked of a Locator, which the command makes from the symbolizer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/model/finding.h"

namespace redflag::confirm {

// [begin, end) of a module.
struct Statement {
  std::string module;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const Statement&, const Statement&) = default;
};

struct Pair {
  std::size_t finding = 0;  // its place in the report
  std::array<std::vector<Statement>, 2> sides;
  bool by_locks = false;  // predicted: in order only by who took a lock first
};

struct Locator {
  // The module as it is now; empty: it is not the one that the report speaks of, see fault().
  std::function<std::string(const std::string& path)> module;
  // Code of a place in the source, in all modules that are known.
  std::function<std::vector<Statement>(const Frame& place)> by_line;
};

struct Pairs {
  std::vector<Pair> pairs;
  std::vector<std::string> why_not;  // for each finding of the report; empty: it is a pair
};

// Are they about the same statements, in either order?
bool is_same(const Pair& a, const Pair& b);
bool is_in_order(const Pair& a, const Pair& b);  // in this one

Pairs find_pairs(const Report& report, const Locator& locator);

}  // namespace redflag::confirm
