// Shape: the bytes of a datatype as few ranges or combs of ranges, which is what the board has room for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "frontends/cpu/wire/hold.h"
#include "frontends/pgas/track/record.h"

namespace redflag::pgas::hold {

// Pieces from `base` on; of more than kMostShapes the last ones are left out.
inline constexpr std::size_t kMostShapes = 8;
std::vector<wire::HoldMemory> shapes(std::uint64_t base, std::span<const Piece> pieces);

}  // namespace redflag::pgas::hold
