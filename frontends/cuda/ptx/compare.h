// Whether two modules say the same: what the round trip through text is tested by.
//
// Registers, labels, tables and symbols are compared by number and by name. Layout, comments, lines of
// the text, the writing of numbers, and the source text itself do not count.
#pragma once

#include <string>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

// The first difference, in words; empty: none.
std::string difference(const Module& a, const Module& b);

}  // namespace redflag::ptx
