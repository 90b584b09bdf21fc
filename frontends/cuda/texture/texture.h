// Textures and surfaces: what an object refers to.
//
// An image lies in memory row by row, whatever a device does: so a texel has an address, and an access of it can be
// told to a detector like any other. For plain memory under a texture that is its own address. A CUDA
// array has none that programs know: who runs its kernels gives it one (the emulated device its memory, on a GPU a
// range that nobody else can have). Which texels a fetch reads is in footprint.h, where surfaces are accessed in surface.h.
// Compiles for host and device: plain structs and constexpr functions only.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::cuda {

enum class ImageShape : std::uint8_t { k1d, k2d, k3d, k1dLayered, k2dLayered, kCube, kCubeLayered };
REDFLAG_HD constexpr bool is_layered(ImageShape shape) {
  return shape == ImageShape::k1dLayered || shape == ImageShape::k2dLayered ||
         shape == ImageShape::kCubeLayered;
}
REDFLAG_HD constexpr bool is_cube(ImageShape shape) {
  return shape == ImageShape::kCube || shape == ImageShape::kCubeLayered;
}
// Coordinates besides the layer.
REDFLAG_HD constexpr unsigned axes_of(ImageShape shape) {
  return shape == ImageShape::k1d || shape == ImageShape::k1dLayered   ? 1
         : shape == ImageShape::k2d || shape == ImageShape::k2dLayered ? 2
                                                                       : 3;
}

enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };  // as cudaChannelFormatKind
enum class AddressMode : std::uint8_t { kWrap, kClamp, kMirror, kBorder };

struct Image {
  std::uint64_t address = 0;
  std::uint64_t width = 0, height = 1,
                depth = 1;             // depth: or layers; six of them are a cube's faces
  std::uint64_t pitch = 0, slice = 0;  // bytes from row to row, from slice to slice
  ImageShape shape = ImageShape::k1d;
  ChannelKind kind = ChannelKind::kFloat;
  std::uint8_t channels = 1;  // 1, 2, 4
  std::uint8_t bits = 32;     // 8, 16, 32: of each
  bool linear = false;        // plain memory: fetched by index, zero outside

  REDFLAG_HD constexpr std::uint32_t element() const { return std::uint32_t{channels} * bits / 8; }
  REDFLAG_HD constexpr std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return address + z * slice + y * pitch + x * element();
  }
  REDFLAG_HD constexpr std::uint64_t bytes() const { return slice * depth; }
};

struct Sampler {
  AddressMode mode[3] = {AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool filters = false;     // linear; else the nearest texel
  bool normalized = false;  // coordinates from 0 to 1
  bool as_float = false;    // integers become floats from 0 or -1 to 1
  float border[4] = {};
};

struct Texture {
  Image image;
  Sampler sampler;
  bool is_surface = false;
};

struct Coordinates {
  float at[3] = {};
  std::int32_t whole[3] = {};
  bool is_whole = false;
  std::uint32_t layer = 0;
};

// What an instruction says of coordinates outside of a surface.
enum class Boundary : std::uint8_t { kTrap, kClamp, kZero };

}  // namespace redflag::cuda
