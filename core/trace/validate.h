// What every event and definition must satisfy by itself, whichever format it is written in.
//
// Readers refuse what fails here, and writers too, so that no writer makes a file that a reader
// refuses. Rules between events (locks held, threads started) are the stream checker's (check.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/event.h"
#include "core/trace/definition.h"

namespace redflag {

inline constexpr std::uint32_t kThreadLimit = 1u << 24;             // thread numbers are below it
inline constexpr std::uint32_t kMaxAccessSize = 1u << 31;           // bytes of one memory operand
inline constexpr std::size_t kMaxNameBytes = std::size_t{1} << 16;  // of one function, file or name

// What is wrong, as a phrase with the expectation in it; nullptr: nothing. No side effects.
const char* event_fault(const Event& event);
const char* definition_fault(const Definition& definition);

// The same test as event_fault's, for the common case and inline.
constexpr bool is_range_valid(std::uint64_t object, std::uint64_t size) {
  return size != 0 && size <= kMaxAccessSize && object + size > object;
}

}  // namespace redflag
