// Sizes that a kernel's directives name: .maxntid, .reqntid, .reqnctapercluster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/model/gpu.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::cuda {

// What is left out is 1.
inline gpu::Dim dim_of(const ptx::Directive& from) {
  gpu::Dim dim;
  std::uint32_t* const parts[] = {&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < std::min<std::size_t>(from.values.size(), 3); ++i) {
    *parts[i] = static_cast<std::uint32_t>(from.values[i]);
  }
  return dim;
}

}  // namespace redflag::cuda
