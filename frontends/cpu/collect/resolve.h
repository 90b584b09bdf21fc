// resolve: a decoded message as a Finding, with names for its numbers.
//
// Program counters become frames, cut to what the user wrote: the library function that was called
// stays on top by its name alone, frames of the runtime go, and so does what lies below main or a
// thread's first function. The memory is what the runtime says (it knows heap blocks, stacks and
// descriptors) or the global variable at the address, with the member that it is. Locks that are
// global variables, or parts of them, have their names; others have a number, and where in which
// heap block they are. Pure but for the files the symbolizer reads.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/finding.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cpu/wire/decode.h"

namespace redflag::collect {

Finding resolve(const wire::RaceMessage& message, const symbolize::ProcessMap& map,
                symbolize::Symbolizer& symbolizer);

// One frame of a stack before it is cut. `entry`: a library function that the program called.
struct RawFrame {
  CodeFrame frame;
  bool entry = false;
};
Stack cut(std::vector<RawFrame> frames);

}  // namespace redflag::collect
