// make_cudaPitchedPtr and its like.
#pragma once

#include "driver_types.h"

static inline __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void* ptr, size_t pitch,
                                                                 size_t xsize, size_t ysize) {
  struct cudaPitchedPtr made = {ptr, pitch, xsize, ysize};
  return made;
}
static inline __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos made = {x, y, z};
  return made;
}
static inline __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height,
                                                         size_t depth) {
  struct cudaExtent made = {width, height, depth};
  return made;
}
