// Locality: memory that only its thread reaches, as far as anyone can tell; the heuristic "A" of sampling.
//
// Park et al. (UPC-Thrille, section 4.1): what a statement was found to access, private or common
// memory, it goes on to. So a check that found private memory need not be asked again; until memory becomes common,
// when all that were found private are. Private is a thread's own stack and thread-local storage,
// and in a rank of a job that has one thread all memory, but for windows and buffers of operations.
//
// A thread starts its own count-downs again when it next comes back from a call of the job's library.
#pragma once

#include <cstdint>

namespace redflag::rt {

// Of the calling thread.
bool is_private(std::uint64_t address);
// A check's count-down, to be started again; false: it cannot be, and must not be given up.
bool found_private(std::int32_t* slot);

// Others than its thread may access it from now on.
void memory_becomes_common(std::uint64_t begin, std::uint64_t end);
// A second thread begins.
void all_memory_becomes_common();

extern thread_local constinit std::uint64_t g_locality_seen;
std::uint64_t locality_version();
void ask_again();
// Where a thread comes back to the program.
inline void look_at_locality() {
  if (locality_version() != g_locality_seen) [[unlikely]]
    ask_again();
}

}  // namespace redflag::rt
