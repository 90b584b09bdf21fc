// Schedule: the run that confirmed a race, as text, so that it can be made again.
//
// Threads and ranks are not recorded step by step: what is repeated is what was done to them. A schedule names the
// finding by its fingerprint, and says how long to hold, at which arrivals of which threads at each of the two
// statements, and when operations are done. Everything else is left to the machine; the races of a
// schedule show again as long as the program does the same up to there.
//
//   redflag-schedule 1
//   finding 3d447108a124b5ea
//   hold 40 budget 240 seed 3 defer later
//   side 1 held yes at 65536:1
//   side 2 held no at 2147614720:12
//   end
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "confirm/plan.h"
#include "core/base/error.h"

namespace redflag::confirm {

struct Schedule {
  std::string finding;  // its fingerprint
  Trial trial;          // of this one pair; its number is that of the reader
};

// Of a trial in which the pair of that attempt met: it, at these very arrivals.
Schedule schedule_of(std::string finding, const Trial& trial, std::size_t attempt,
                     const Outcome& outcome);

std::string write_schedules(const std::vector<Schedule>& schedules);
Result<std::vector<Schedule>> read_schedules(std::string_view text);

// For people: "held 40 ms at the first statement, the 3rd time ...".
std::string schedule_text(const Schedule& schedule);

}  // namespace redflag::confirm
