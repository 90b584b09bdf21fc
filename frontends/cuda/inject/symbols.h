// What a module has by name, as the driver says: kernels and variables.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/cuda/inject/modules.h"

namespace redflag::inject {

// Another kernel of the kernel's module, with a handle that is what the kernel's is: a function, or a kernel
// of a library. nullptr: there is none.
CUfunction find_beside(const Kernel& kernel, const std::string& name);

struct FoundVariable {
  std::uint64_t address = 0, size = 0;  // 0: there is none
};
// In the current context.
FoundVariable find_variable(const Module& module, const std::string& name);

}  // namespace redflag::inject
