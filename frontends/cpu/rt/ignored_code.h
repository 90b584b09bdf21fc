// Code whose calls of library functions are not looked at, or only in part.
//
// Three things ask for it. An OpenMP library's calls are its own business (leave_alone, runtime.h).
// A suppression `called_from_lib:NAME` means the same for the libraries that it names. The flag
// ignore_noninstrumented_modules leaves the order that such calls make and drops the accesses that
// they make for their caller; ignore_interceptors_accesses does that for all calls.
//
// A caller is found by its address in a table of the loaded modules. The table is made when it is
// first asked for, and again when a library was loaded since or closed; until somebody asks for
// any of this, nothing is looked up. Code that belongs to no module (made at run time) counts as a
// module without instrumentation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace redflag::rt {

enum class CallsOf : std::uint8_t { kAll, kPlainModules };

// Some accesses of library functions are ignored: is_access_ignored() says which.
[[gnu::visibility("hidden")]] extern std::atomic<bool> g_ignores_code;

void ignore_accesses_of(CallsOf calls, bool ignored);
bool is_access_ignored(const void* caller);

// A pattern as suppression files have it: `*` stands for anything, `^` and `$` for the ends.
void ignore_calls_from(const char* pattern, std::size_t size);
// The patterns `called_from_lib:` of a file, or of a text: one suppression a line.
void read_suppressions(const char* path, std::size_t size);
void read_suppression_lines(const char* text, std::size_t size);

}  // namespace redflag::rt
