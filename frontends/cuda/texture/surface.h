// Where an access of a surface goes: bytes of an image, by whole coordinates.
//
// x counts bytes, but elements where the instruction is formatted (.p). Outside of the image .trap ends the launch, .clamp
// takes the nearest place, .zero reads zeros and writes nothing. A cube is its faces, one layer each.
// Compiles for host and device.
#pragma once

#include "frontends/cuda/texture/texture.h"

namespace redflag::cuda {

struct SurfacePlace {
  std::uint64_t address = 0;  // 0: nothing is accessed
  std::uint64_t x = 0;        // in bytes, before it was brought in
  std::uint32_t bytes = 0;
  bool is_inside = true;  // of .clamp: or was brought in
};

namespace surface_detail {

// Moves a coordinate into [0, size), or says that it is outside.
REDFLAG_HD constexpr bool bring_in(std::int64_t& at, std::int64_t size, Boundary boundary) {
  if (at >= 0 && at < size) return true;
  at = at < 0 || size < 1 ? 0 : size - 1;
  return boundary == Boundary::kClamp;
}

}  // namespace surface_detail

// `bytes`: that the instruction says, 0: an element. `z`: the layer, if there are some.
REDFLAG_HD constexpr SurfacePlace surface_place(const Image& image, bool is_formatted,
                                                Boundary boundary, std::uint32_t bytes,
                                                std::int32_t x, std::int32_t y, std::int32_t z) {
  SurfacePlace made;
  made.bytes = bytes == 0 ? image.element() : bytes;
  std::int64_t at[3] = {std::int64_t{x} * (is_formatted ? image.element() : 1), y, z};
  made.x = static_cast<std::uint64_t>(at[0]);
  const auto row = static_cast<std::int64_t>(image.width * image.element());
  made.is_inside = surface_detail::bring_in(at[0], row - made.bytes + 1, boundary);
  made.is_inside &=
      surface_detail::bring_in(at[1], static_cast<std::int64_t>(image.height), boundary);
  made.is_inside &=
      surface_detail::bring_in(at[2], static_cast<std::int64_t>(image.depth), boundary);
  if (!made.is_inside) return made;
  made.address = image.address + static_cast<std::uint64_t>(at[2]) * image.slice +
                 static_cast<std::uint64_t>(at[1]) * image.pitch +
                 static_cast<std::uint64_t>(at[0]);
  return made;
}

}  // namespace redflag::cuda
