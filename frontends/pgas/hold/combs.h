// Combs: the bytes of a datatype as few ranges or combs of ranges, which is what the board has room for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontends/cpu/wire/hold.h"
#include "frontends/pgas/track/record.h"

namespace redflag::pgas::hold {

// Pieces from `base` on; of more than kMostCombs the last ones are left out.
inline constexpr std::size_t kMostCombs = 8;
std::vector<wire::HoldMemory> combs(std::uint64_t base, std::span<const Piece> pieces);

}  // namespace redflag::pgas::hold
