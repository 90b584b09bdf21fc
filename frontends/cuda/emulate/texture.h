// Textures and surfaces of the emulated device: objects by handle, and what a fetch gives.
//
// A fetch is two steps. footprint() turns coordinates into at most eight texels with weights of 1/256
// (frontends/cuda/texture/footprint.h); combine() reads them and makes the result. In between the machine checks the texels'
// memory and tells it. Sums of integers have 16 bits, as on an H200 (tests/cuda/textures/confirm.cu). Left out: mipmaps,
// anisotropy, sRGB, seamless cubes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/cuda/texture/footprint.h"

namespace redflag::cuda {

// Objects by handle. Handles are never used again, so that one that was destroyed is known as such.
class TextureTable {
 public:
  std::uint64_t add(const Texture& texture);
  void remove(std::uint64_t handle);
  const Texture* find(std::uint64_t handle) const;  // nullptr: none, or no more

 private:
  std::vector<std::unique_ptr<Texture>> objects_;
};

// Four words: bits of floats, or integers; channels that the image has not are 0.
using TexelWords = std::array<std::uint32_t, 4>;
TexelWords combine(const Texture& texture, const Footprint& footprint);
// One channel of each of the four.
TexelWords gather(const Texture& texture, const Footprint& footprint, unsigned channel);

// sust.p: words to the image's own format; integers saturate, floats are cut off to f16.
void pack_texel(const Image& image, const TexelWords& words, std::byte* to);

}  // namespace redflag::cuda
