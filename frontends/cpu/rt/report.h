// From a race that the detector found to what the reporter is told (wire/wire.h).
//
// Gathers while the racing thread waits: both stacks (the earlier one from the other thread's log),
// locks held, the threads and where they were made, whose memory it is. The same pair of places is
// sent only a few times: a racy loop must not cost a message each turn.
#pragma once

#include <cstdint>

#include "core/model/event.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

void report_race(live::Thread& t, const live::LiveRace& race);
// `detail` goes with the finding as its size; `held`: a set of locks (live::Detector::lockset).
void report_misuse(Thread& t, Misuse what, std::uint64_t object, std::uint32_t detail = 1,
                   std::uint32_t held = 0);
// Two threads met (hold.h): this one's half. `side`: 2 * pair, or 1 more.
void report_met(Thread& t, std::uint32_t side, std::uint64_t addr, std::uint64_t size,
                EventKind kind, std::uint64_t pc);
// The stack of the calling thread, printed by the reporter.
void print_stack(Thread& t);
// Called before the program ends because of a race; nullptr: nothing is.
void set_death_callback(void (*callback)());
// Is this thread in __tsan_on_report()? Then it holds g_report_lock, and the last message is its report.
bool is_reporting();
// Threads that ended and nobody joined.
void report_leaks();

}  // namespace redflag::rt
