#include "frontends/cuda/ptx/parameters.h"

#include <algorithm>

namespace redflag::ptx {

std::vector<Place> parameter_places(const Function& function) {
  // No GPU takes nearly as much; text that says more does not make numbers wrap around.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  std::vector<Place> places;
  std::uint64_t end = 0;
  for (const Variable& each : function.parameters()) {
    const std::uint64_t align = std::max<std::uint64_t>(each.alignment(), 1);
    const std::uint64_t begin = std::min((end + align - 1) / align * align, kMost);
    const std::uint64_t bytes = std::min(each.bytes(), kMost);
    places.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(bytes)});
    end = begin + bytes;
  }
  return places;
}

}  // namespace redflag::ptx
