// Copies and fills as what they read and write.
//
// Rows that lie one behind the other are one step. Of memory of the host only what kernels can reach
// matters, and detectors know which that is by the allocations. Arrays have the addresses that are told of them
// (image_objects.h).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

// Rows of bytes: `width` of each, `pitch` from one to the next, `slice` from slice to slice.
struct Box {
  std::uint64_t address = 0;  // 0: not memory that kernels reach by an address
  std::uint64_t pitch = 0, slice = 0;
};
struct Size {
  std::uint64_t width = 0, height = 1, depth = 1;
};

using Steps = std::vector<gpu::HostStep>;
void add_steps(Steps& to, gpu::HostKind kind, const Box& box, const Size& size);

// Where an array is; of one that is not told of the address is 0.
using BoxOf = std::function<Box(CUarray array)>;
Steps steps_of(const CUDA_MEMCPY2D& copy, const BoxOf& box_of);
Steps steps_of(const CUDA_MEMCPY3D& copy, const BoxOf& box_of);
Steps steps_of(const CUDA_MEMSET_NODE_PARAMS& fill);

}  // namespace redflag::inject
