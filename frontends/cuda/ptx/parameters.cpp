#include "frontends/cuda/ptx/parameters.h"

#include <algorithm>

namespace redflag::ptx {

std::vector<Place> parameter_places(const Function& function) {
  std::vector<Place> places;
  std::uint32_t end = 0;
  for (const Variable& each : function.parameters()) {
    const std::uint32_t align = std::max<std::uint32_t>(each.alignment(), 1);
    const std::uint32_t begin = (end + align - 1) / align * align;
    places.push_back({begin, static_cast<std::uint32_t>(each.bytes())});
    end = places.back().end();
  }
  return places;
}

}  // namespace redflag::ptx
