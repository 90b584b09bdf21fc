// Whether there is an NVIDIA GPU that programs can use, asked of its driver.
//
// Devices in /dev say little: a container may have them and no driver, or the driver may be of another
// version. So the driver is loaded and asked, in a process of its own: what it starts there stays out
// of this one, and a driver that hangs is left after a while.
#pragma once

#include <cstdint>
#include <string>

namespace redflag::cli {

class Arguments;

struct GpuFound {
  bool present = false;
  std::string what;  // its name; or why there is none
};
GpuFound find_gpu();

// Where the kernels of a program run.
enum class Kernels : std::uint8_t {
  kEmulated,   // on the emulated GPU
  kOnGpu,      // on the machine's, rewritten as they are loaded
  kUnchecked,  // wherever CUDA's own library runs them
};
// By --emulate, and whether there is a GPU.
Kernels where_kernels_run(const Arguments& arguments);

}  // namespace redflag::cli
