// TSAN_OPTIONS, as far as the runtime acts on it: the flags of wire/tsan_flags.inc that are the program's.
//
// ThreadSanitizer's order holds: what the program says in __tsan_default_options() first, then the
// environment, whose flags win. REDFLAG_OPTIONS comes after both. A flag that does not exist and a
// value that cannot be read give one line each; under `redflag run` that command prints them.
#pragma once

namespace redflag::rt {

// `origin` is what messages call the text; `is_said`: there are messages.
void parse_tsan_options(const char* text, const char* origin, bool is_said);

}  // namespace redflag::rt
