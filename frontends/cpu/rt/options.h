// The options that the runtime itself heeds, from REDFLAG_OPTIONS ("key=value" separated by blanks or
// colons). Keys that are not in the table are the reporter's. A wrong value is reported once and
// the default kept.
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
};

extern Options g_options;
void parse_options(const char* text);

}  // namespace redflag::rt
