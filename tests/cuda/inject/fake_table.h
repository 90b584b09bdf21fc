// What the fake driver and the fake runtime library of CUDA 11 know of each other beside what is documented:
// the table that cuGetExportTable hands out, laid out as the runtime library of CUDA 11.8 uses it.
#pragma once

#include "frontends/cuda/inject/driver.h"

namespace redflag::fake {

using namespace redflag::inject;

inline constexpr unsigned char kTableId[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                               0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
struct Table {
  std::size_t size;
  CUresult (*load)(CUmodule* made, const void* wrapper);
  CUresult (*context)(CUcontext* context, CUdevice device);
  void (*unknown[3])();
  // `first`, `second`: of managed variables, `count` of them.
  CUresult (*load_managed)(CUmodule* made, const void* wrapper, void** first, void** second,
                           unsigned count);
  CUresult (*forget)(const void* wrapper);
};
static_assert(sizeof(Table) == 8 * sizeof(void*));

}  // namespace redflag::fake
