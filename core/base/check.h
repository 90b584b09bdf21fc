// CHECK: an invariant of our own that must hold in every build; breaking it is a fault of the tool.
//
// It stays on in release builds: a wrong race report costs a user more than the compare. It uses
// only write(2) and _exit, so that runtimes may call it under any lock, and ends with the exit
// status that the command documents for a fault of the tool itself (70). DCHECK is for hot paths,
// debug builds only.
#pragma once

namespace redflag {

[[noreturn, gnu::cold]] void check_failed(const char* file, int line, const char* what);

// The memory for `what` cannot be had: not a fault of ours, nor one that work can go on after. Says
// so, with what helps, and ends with status 2.
[[noreturn, gnu::cold]] void out_of_memory(const char* what);

}  // namespace redflag

#define REDFLAG_CHECK(condition)                                                               \
  (__builtin_expect(!(condition), 0) ? ::redflag::check_failed(__FILE__, __LINE__, #condition) \
                                     : (void)0)

#ifdef NDEBUG
#define REDFLAG_DCHECK(condition) ((void)0)
#else
#define REDFLAG_DCHECK(condition) REDFLAG_CHECK(condition)
#endif
