// Where a function's parameters lie: one after the other in a block of bytes, each at its alignment.
//
// So the driver takes a kernel's parameters (CU_LAUNCH_PARAM_BUFFER_POINTER), and so ld.param finds them.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/cuda/ptx/ir.h"

namespace redflag::ptx {

struct Place {
  std::uint32_t offset = 0, bytes = 0;
  std::uint32_t end() const { return offset + bytes; }
  friend bool operator==(const Place&, const Place&) = default;
};

// By parameter, in their order. Beyond 2^30 bytes all places are at the end of that.
std::vector<Place> parameter_places(const Function& function);

}  // namespace redflag::ptx
