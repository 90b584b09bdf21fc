// The driver's compiler: PTX to machine code for the GPU that is current.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/inject/links.h"

namespace redflag::inject {

struct Gpu {
  std::uint32_t sm = 0;  // compute capability times ten; 0: there is none
  std::string name;      // capability and driver, for names of files
};
// The GPU of the current context, else the first.
Gpu current_gpu();

// Machine code that is linked from all of them, for the GPU that is current.
Result<std::string> link(const std::vector<Input>& inputs);

// Machine code for it, or what the compiler says. Empty: the GPUs here differ, and the driver shall
// compile for each when it loads.
Result<std::string> compile(const std::string& ptx);

}  // namespace redflag::inject
