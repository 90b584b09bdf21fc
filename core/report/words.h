// The words of all printers: the names of accesses, places and memory are made here only.
//
// Text, SARIF, JUnit and the page use the same name for the same thing, so that a finding in a
// terminal can be found in the page. Results are raw: the program's names may contain any bytes,
// and the printer makes them safe for its own format (clean.h). The name tables of the enums are
// also the words of the JSON form. Pure functions.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/finding.h"

namespace redflag {

inline constexpr std::array<std::string_view, kMissingCount> kMissingNames{
    "any-order",     "lock-on-one-side", "common-lock",       "exclusive-lock", "release-order",
    "acquire-order", "atomic-access",    "join-before-reuse", "correct-use",    "wider-scope",
    "fence",         "barrier",          "host-sync",         "completion"};
inline constexpr std::array<std::string_view, 3> kBaselineNames{"none", "new", "known"};
inline constexpr std::array<std::string_view, kVerdictCount> kVerdictNames{
    "confirmed", "not-reproduced", "not-tried"};
inline constexpr std::array<std::string_view, kRegionKindCount> kRegionKindNames{
    "unknown", "global", "heap", "stack", "thread-local", "shared", "device", "window"};
inline constexpr std::array<std::string_view, 3> kStepRoleNames{"sync", "first", "second"};
inline constexpr std::array<std::string_view, 3> kThreadStateNames{"unknown", "running",
                                                                   "finished"};

inline constexpr std::array<std::string_view, kLineStateCount> kLineStateNames{
    "as-given", "nearest", "no-debug-info", "stripped", "system-library", "called"};
inline constexpr std::array<std::string_view, kUncheckedKindCount> kUncheckedKindNames{
    "library", "thread", "kernel", "unsupported-kernel"};

inline constexpr std::string_view kUnknownFunction = "(unknown function)";

std::string hex(std::uint64_t value);               // 0x1f
std::string bytes(std::uint64_t count);             // 1 byte, 4 bytes
std::string with_separators(std::uint64_t number);  // 12,345
// 1 race, 2 races
std::string plural(std::uint64_t count, std::string_view one, std::string_view many);

// Counts in a hand-made report may have any value; a sum that overflows would hide them.
std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b);

// Memory, short: counter, table+16, 0x1000; and long, with all that is known about it.
std::string memory_label(const Finding& finding);
std::string memory_text(const Finding& finding);
// Whether the memory's stack is only where a variable is declared, which memory_text() says.
bool is_declaration(const Stack& stack);

std::string access_verb(const Access& access);  // write, atomic load, volatile read
std::string access_text(const Access& access);  // atomic load of 8 bytes (acquire)
// The same with what GPUs add: atomic load of 4 bytes (acquire, block scope)
std::string access_text(const Side& side);
std::string thread_text(const Side& side);  // T3 (worker), or T3 where it has no name
// The same by number: T3 (worker) where the finding knows its name.
std::string thread_text(const Finding& finding, ThreadId thread);
std::string lock_text(const HeldLock& lock);        // m, or m (shared)
std::string locks_text(const Side& side);           // none, or a, b, and 3 more
std::string place_text(const Frame& frame);         // src/a.cpp:12:3, or empty
std::string_view base_name(std::string_view path);  // a.cpp

bool is_known(const Frame& frame);         // has a function or a file
const Frame* top_frame(const Side& side);  // the innermost known frame at the top; nullptr: unknown
std::string top_function(const Side& side);  // never empty

// "deposit(long) bank.cpp:12:11", or what is known of it; never empty.
std::string frame_text(const CodeFrame& frame);
// The two halves of it: "deposit(long)", in its short form, and "bank.cpp:12:11" or why there is no
// line. The first is never empty but for a declaration, which has only a place.
std::string function_text(const CodeFrame& frame);
std::string where_text(const CodeFrame& frame);

// Whether the side is an access of memory; of most misuse it is only a place.
bool has_access(const Finding& finding, const Side& side);
// What a side did: "write of 4 bytes by T1 (worker)"; of misuse, who was there.
std::string side_text(const Finding& finding, const Side& side);
// What a finding tells besides its two sides, each with the stack where it happened: who freed the
// memory, where threads, locks and kernels come from.
struct Note {
  std::string_view label;  // freed, thread, lock, launched, verdict, met
  std::string text;
  const Stack* stack;  // may be empty
};
std::vector<Note> notes(const Finding& finding);

// "not looked at: 2 libraries without instrumentation (libz.so.1, libfoo.so)"; empty: no omission
// is known.
std::string unchecked_text(const Report& report);

// "confirmed in run 3 of 20", "not reproduced in 20 runs", "not tried: ..."
std::string confirmation_text(const Confirmation& confirmation);

// "data race: write against write on 'counter'"; "double lock of a mutex: 'm'"
std::string headline(const Finding& finding);
// What the headline is about: the memory, the lock, the thread, the function.
std::string subject(const Finding& finding);
// The function of the program's own code that a side is at, below libraries; never empty.
std::string own_function_text(const Side& side);
// "deposit(int) and audit()"
std::string both_functions(const Finding& finding);
// error for what happened and is wrong, warning for what only costs, note for predictions: SARIF's
// words.
std::string_view severity(Rule rule);

}  // namespace redflag
