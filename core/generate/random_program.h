// Random concurrent programs, run under a random schedule: small well-formed traces for
// differential tests.
//
// A program is a handful of threads, each doing short actions: bare accesses of any size and
// alignment, locked sections, reader sections, message passing by atomics or fences,
// read-modify-writes, barriers, heap blocks, forks and joins. The schedule interleaves them at
// random, respecting locks, barriers and joins. A style says how careful the program is: careful
// ones keep each variable to one means of protection (and are mostly race-free), careless ones
// break the rule now and then, chaotic ones have none.
//
// The same seed gives the same trace everywhere. Memory is a few cache lines, so that conflicts are
// likely.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/event.h"

namespace redflag {

enum class ProgramStyle : std::uint8_t { kCareful, kCareless, kChaotic };

struct ProgramShape {
  ProgramStyle style = ProgramStyle::kChaotic;
  std::uint32_t max_threads = 5;  // alive at a time; more in all
  std::uint32_t steps = 80;       // about so many events
  bool join_all = false;          // thread 0 joins, at the end, all that nobody joined
};

std::vector<Event> random_program(std::uint64_t seed, const ProgramShape& shape);

// The shape that differential tests use for a seed: styles and sizes in turn.
ProgramShape shape_of_seed(std::uint64_t seed);

}  // namespace redflag
