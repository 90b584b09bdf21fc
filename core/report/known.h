// Known: races inside the headers of libstdc++ that its authors know and users cannot change.
//
// The headers of libstdc++ are compiled into the program and checked with it. In two places they
// have races by the C++ standard, but are correct on every machine that they support. A row of the
// table names the library's function; a finding is known when both accesses are plain and made by
// that function, directly or through other functions of namespace std. A free, or an access of the
// program's own code, is never left out.
#pragma once

#include <array>
#include <string_view>

#include "core/model/finding.h"

namespace redflag {

struct KnownRace {
  std::string_view function;  // what its name begins with
  std::string_view why;
};

inline constexpr auto kKnownRaces = std::to_array<KnownRace>({
    {"std::ctype<char>::narrow(",
     "a cache of what a character becomes: every thread writes the same byte (libstdc++ 77704)"},
    {"std::_Sp_atomic<",
     "std::atomic<std::shared_ptr>::load() reads the pointer under a lock of its own, and gives "
     "the lock up with a relaxed store (GCC 12)"},
});

// nullptr: the finding is not in the table.
const KnownRace* known_race(const Finding& finding);

}  // namespace redflag
