// Gathered walks: of accesses that most likely, but not surely, go on where the one before was.
//
// In `v[i] = x` of a vector that is a member, the loop loads the vector's address again and again, since
// LLVM could not tell that x is not stored over it; in `m[i * n + k]` it may load n, too. Such a walk is
// gathered in registers, as so many accesses from a first one on, each a step further. What was gathered
// is a range: it is checked when an access does not go on with it, and on every way out of the loop. The
// step is one that is known, or the distance of the first two. Accesses that are always as far from each
// other, as the fields of a struct, are gathered as one walk, and are a range each in the end.
//
// Sound (check.h): the ranges are exactly the accesses that were made; they are checked in the same
// stretch, since the loop is quiet, and are lost only where it never ends.
// Limits: accesses that every iteration makes once.
#pragma once

#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/quiet_loop.h"

namespace redflag::pass {

// Those of the checks whose address is such a one are gathered, and are gone. All stand where every
// iteration comes by.
bool gather(const QuietLoop& loop, llvm::ArrayRef<Check> checks);

}  // namespace redflag::pass
