// The options that the runtime itself heeds, from REDFLAG_OPTIONS ("key=value" separated by blanks or
// colons) and TSAN_OPTIONS (tsan_options.h). Keys that are not in the table are the reporter's. A
// wrong value is reported once and the default kept.
#pragma once

#include <cstdint>

#include "frontends/cpu/rt/sampling.h"

namespace redflag::rt {

enum class OnRace : std::uint8_t { kReport, kAbort, kStop };

struct Options {
  OnRace on_race = OnRace::kReport;
  std::uint32_t history = 1U << 14;  // entries of each thread's log; a power of two
  std::uint32_t exit_status = 66;    // when races were reported
  bool thread_leaks = false;
  bool lock_misuse = true;
  bool signal_misuse = true;
  bool tsan_format = false;
  Sampling sampling;

  // Of TSAN_OPTIONS alone (wire/tsan_flags.inc says what they do).
  bool reports = true;
  bool reports_destroyed_locks = true;
  bool reports_mutex_bugs = true;
  bool reports_unsafe_calls = true;
  bool reports_atomic_races = true;
  bool annotations = true;
  bool strong_atomics = false;
  bool abort_signal = false;
  bool stop_on_start = false;
  bool on_valgrind = false;
  std::uint32_t exit_sleep_ms = 0;
  std::uint32_t io_sync = 1;
  std::uint32_t verbosity = 0;
};

extern Options g_options;
void parse_options(const char* text);

}  // namespace redflag::rt
