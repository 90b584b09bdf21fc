// What the fake driver and the fake runtime library of CUDA 11 know of each other, and nobody else.
#pragma once

#include "frontends/cuda/inject/driver.h"

namespace redflag::fake {

using namespace redflag::inject;

struct Table {
  CUresult (*load)(CUmodule* made, const void* wrapper);  // of a fat binary: its newest PTX
  CUresult (*function)(CUfunction* made, CUmodule module, const char* name);
};

}  // namespace redflag::fake
