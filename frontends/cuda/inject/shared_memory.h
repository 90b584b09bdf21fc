// Shared memory of launches: what a kernel has, and leave to use more of it.
#pragma once

#include <cstdint>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

// Static, of a block. `handle` may stand for a function or for a kernel of a library.
std::uint64_t static_shared(CUfunction handle);
// Dynamic, of a block: how much a launch may ask for.
int dynamic_shared_limit(CUfunction handle);
// That blocks of the kernel may have this much dynamic shared memory. False: the GPU has less.
bool allow_dynamic_shared(CUfunction handle, std::uint64_t fixed, std::uint64_t dynamic);

}  // namespace redflag::inject
