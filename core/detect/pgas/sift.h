// Sift: of some accesses, those that may race with another.
//
// A phase may have hundreds of thousands, of which few are worth comparing (races.h). Left out are, in
// this order: those that conflict with nothing in the same memory (all read, or all are atomic alike); a
// rank's own loads and stores where no operation was under way, by address and by the time of their
// thread; strided operations that nothing overlaps between their gaps; operations that nothing overlaps.
// Nothing that races is left out.
//
// Cost: a few nanoseconds for each access, and the logarithm of how many operations there are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/pgas/races.h"

namespace redflag::pgas {

using Some = std::vector<std::uint32_t>;  // numbers of items

void sift(const History& history, Some& items);

// All loads and stores are of one rank: none of them races with another.
bool is_one_rank(const History& history, const Some& items);

}  // namespace redflag::pgas
