#include "frontends/pgas/hold/combs.h"

#include <algorithm>

namespace redflag::pgas::hold {
namespace {

// Does the piece go on with the comb?
bool extend(wire::HoldMemory& comb, std::uint64_t begin, std::uint64_t size) {
  if (comb.count == 1 && begin == comb.begin + comb.size) {
    comb.size += size;
    return true;
  }
  if (size != comb.size) return false;
  const std::uint64_t last = comb.begin + (comb.count - 1) * comb.step;
  if (comb.count > 1 && begin - last != comb.step) return false;
  if (begin < last + size) return begin == last;  // the same again, or they overlap
  comb.step = begin - last;
  ++comb.count;
  return true;
}

}  // namespace

std::vector<wire::HoldMemory> combs(std::uint64_t base, std::span<const Piece> pieces) {
  std::vector<Piece> sorted(pieces.begin(), pieces.end());
  // Offsets may be below 0: then they are very large numbers here, and right when added.
  std::sort(sorted.begin(), sorted.end(),
            [&](const Piece& a, const Piece& b) { return base + a.offset < base + b.offset; });
  std::vector<wire::HoldMemory> made;
  for (const Piece& piece : sorted) {
    if (piece.size == 0) continue;
    const std::uint64_t begin = base + piece.offset;
    if (!made.empty() && extend(made.back(), begin, piece.size)) continue;
    if (made.size() == kMostCombs) break;
    made.push_back({begin, 0, 1, piece.size});
  }
  return made;
}

}  // namespace redflag::pgas::hold
