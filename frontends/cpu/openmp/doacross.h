// Loops with ordered(n) and depend(source), depend(sink: ...): iteration to iteration.
//
// Every iteration has a key of its own, so a sink is ordered after exactly the iterations it names.
// The keys are addresses in a range of address space that is reserved without memory behind it and
// given back when the last thread leaves the loop. Loops of more than 16 Mi iterations share keys
// between iterations that far apart. The threads of a team meet the loops in the same order, so the
// n-th loop of one thread is the n-th of all.
#pragma once

#include "frontends/cpu/openmp/model.h"

namespace redflag::openmp {

struct Dimension {
  long long lower;
  long long upper;  // included
  long long step;
};

constexpr unsigned kDimensions = 16;

void begin_doacross(Task& task, unsigned dimensions, const Dimension* dimension);
void post_doacross(Task& task, const long long* iteration);
// An iteration outside the loop is not waited for.
void waited_doacross(Task& task, const long long* iteration);
void end_doacross(Task& task);
unsigned doacross_dimensions(const Task& task);  // 0: not in such a loop

}  // namespace redflag::openmp
