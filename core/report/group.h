// Group: findings with one cause under one heading.
//
// A variable without protection races at every pair of lines that use it. These findings stay
// apart (each pair of lines has a fingerprint of its own), but they have one cause, and a reader
// wants to see them together. One cause is one global variable, or one member of
// it, in all elements of an array; or memory allocated at one line of the program's own code.
// Misuse and memory without a name stand alone. The order is that of first appearance. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/model/finding.h"

namespace redflag {

struct Cause {
  std::string what;  // "'balance'", "memory allocated in refresh() cache.cpp:15:18"
  std::vector<std::size_t> findings;  // places in the list; at least one
};

std::vector<Cause> by_cause(const std::vector<Finding>& findings);

// "3 findings on 'balance'"; empty for a cause of one finding, which needs no heading.
std::string heading(const Cause& cause);

}  // namespace redflag
