// Textures and surfaces that the program has, by handle: how hooks find the memory behind one.
//
// A table in the device's memory with open addressing; the host writes it, kernels read it. Objects are added in
// place while kernels run: one that knows a handle was launched when its entry was there. What is destroyed leaves
// a mark over which others are still found. When half of it is used a larger one takes its place, and the old one stays
// until the end, since kernels may still read there. Handles of textures and of surfaces are numbers of
// their own. One thread at a time.
#pragma once

#include <cstdint>

#include "frontends/cuda/texture/texture.h"

namespace redflag::device {

struct ImageEntry {
  std::uint64_t handle = 0;  // 0: unused; kGoneImage: not any more
  cuda::Texture object;
};
static_assert(sizeof(ImageEntry) == 96);
inline constexpr std::uint64_t kGoneImage = ~std::uint64_t{0};
struct ImageTableHead {  // entries are behind it
  std::uint64_t mask = 0;
  std::uint64_t unused = 0;
};

REDFLAG_HD constexpr std::uint64_t image_slot(std::uint64_t handle) {
  return handle * 0x9e3779b97f4a7c15ULL >> 32;
}
REDFLAG_HD constexpr bool is_image(const ImageEntry& entry, std::uint64_t handle, bool is_surface) {
  return entry.handle == handle && entry.object.is_surface == is_surface;
}

}  // namespace redflag::device
