// Textures and surfaces: what an object refers to, and what a fetch from it gives.
//
// An image lies in device memory row by row, whatever a real device would do: so a texel has an address,
// and an access of it can be told to a detector like any other. A fetch is two steps. footprint() turns
// coordinates into at most eight texels with weights of 1/256; combine() reads them and makes the result.
// In between the machine checks the texels' memory and tells it. Texels of weight 0 are not part of it.
//
// Coordinates, weights and rounding are those of an H200, measured (tests/cuda/textures/confirm.cu):
// normalised coordinates have 21 bits behind the point; fractions have 8, rounded to nearest; the weight
// of a slice is split along x, then along y, each time rounded to 1/256; sums of integers have 16 bits.
// Left out: mipmaps, anisotropy, sRGB, seamless cubes (a filter stays on its face).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace redflag::cuda {

enum class ImageShape : std::uint8_t { k1d, k2d, k3d, k1dLayered, k2dLayered, kCube, kCubeLayered };
constexpr bool is_layered(ImageShape shape) {
  return shape == ImageShape::k1dLayered || shape == ImageShape::k2dLayered ||
         shape == ImageShape::kCubeLayered;
}
constexpr bool is_cube(ImageShape shape) {
  return shape == ImageShape::kCube || shape == ImageShape::kCubeLayered;
}
// Coordinates besides the layer.
constexpr unsigned axes_of(ImageShape shape) {
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

  std::uint32_t element() const { return std::uint32_t{channels} * bits / 8; }
  std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return address + z * slice + y * pitch + x * element();
  }
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

// Objects by handle. Handles are never used again, so that one that was destroyed is known as such.
class TextureTable {
 public:
  std::uint64_t add(const Texture& texture);
  void remove(std::uint64_t handle);
  const Texture* find(std::uint64_t handle) const;  // nullptr: none, or no more

 private:
  std::vector<std::unique_ptr<Texture>> objects_;
};

struct Coordinates {
  std::array<float, 3> at{};
  std::array<std::int32_t, 3> whole{};
  bool is_whole = false;
  std::uint32_t layer = 0;
};

struct Tap {
  std::uint64_t address = 0;  // 0: outside, the border's colour
  std::uint32_t weight = 0;   // of 256
};
struct Footprint {
  std::array<Tap, 8> taps;
  unsigned count = 0;
  bool filters = false;
};
Footprint footprint(const Texture& texture, const Coordinates& coordinates);
// The four texels that linear filtering would take, counter-clockwise from the lower left.
Footprint gather_footprint(const Texture& texture, const Coordinates& coordinates);

// Four words: bits of floats, or integers; channels that the image has not are 0.
using TexelWords = std::array<std::uint32_t, 4>;
TexelWords combine(const Texture& texture, const Footprint& footprint);
// One channel of each of the four.
TexelWords gather(const Texture& texture, const Footprint& footprint, unsigned channel);

// sust.p: words to the image's own format; integers saturate, floats are cut off to f16.
void pack_texel(const Image& image, const TexelWords& words, std::byte* to);

}  // namespace redflag::cuda
