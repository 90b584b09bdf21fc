// Texels as kernels compute them, on the emulated device, against the same header on the host.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/cuda/device/images.h"
#include "frontends/cuda/device/testing.h"
#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/texture/footprint.h"

namespace redflag::device {

std::string_view image_texels_test_ptx(std::uint32_t sm);  // by redflag_device_runtime

namespace {

using cuda::ImageShape;

constexpr std::uint32_t kThreads = 64;

cuda::Texture random_texture(std::mt19937& random, std::uint64_t number) {
  const auto upto = [&](unsigned most) { return random() % (most + 1); };
  cuda::Texture made;
  cuda::Image& image = made.image;
  image.address = number << 24;
  image.shape = static_cast<ImageShape>(upto(6));
  image.linear = image.shape == ImageShape::k1d && upto(1) == 0;
  image.width = 1 + upto(40);
  image.height = axes_of(image.shape) > 1 ? 1 + upto(20) : 1;
  if (is_cube(image.shape)) image.height = image.width;
  const unsigned layers = 1 + upto(5);
  image.depth = image.shape == ImageShape::kCube                            ? 6
                : image.shape == ImageShape::kCubeLayered                   ? 6 * layers
                : is_layered(image.shape) || image.shape == ImageShape::k3d ? layers
                                                                            : 1;
  image.channels = static_cast<std::uint8_t>(1U << upto(2));
  image.bits = static_cast<std::uint8_t>(8U << upto(2));
  image.pitch = image.width * image.element() + 32 * upto(1);
  image.slice = image.pitch * image.height;
  for (cuda::AddressMode& mode : made.sampler.mode) mode = static_cast<cuda::AddressMode>(upto(3));
  made.sampler.filters = upto(1) == 0;
  made.sampler.normalized = is_cube(image.shape) || upto(1) == 0;
  return made;
}

float random_coordinate(std::mt19937& random) {
  constexpr float kOdd[] = {0, -0.0F, 1, 0.5F, -1, 1e30F, -1e30F, INFINITY, NAN};
  if (random() % 8 == 0) return kOdd[random() % std::size(kOdd)];
  const bool is_small = random() % 2 == 0;
  const float value = static_cast<float>(static_cast<int>(random() % 4096) - 1024);
  return value / (is_small ? 1024.0F : 64.0F);
}

using Texels = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
Texels expected(const cuda::Texture& texture, ImageHow how, const std::uint32_t (&words)[3],
                std::uint32_t layer) {
  cuda::Coordinates at;
  at.is_whole = how.is_whole;
  at.layer = layer;
  for (unsigned i = 0; i < 3; ++i) {
    at.at[i] = std::bit_cast<float>(words[i]);
    at.whole[i] = static_cast<std::int32_t>(words[i]);
  }
  const cuda::Footprint all =
      how.gathers ? cuda::gather_footprint(texture, at) : cuda::footprint(texture, at);
  Texels made;
  for (unsigned i = 0; i < all.count; ++i) {
    if (all.taps[i].address == 0 || all.is_repeated(i)) continue;
    made.emplace_back(all.taps[i].address, texture.image.element());
  }
  return made;
}

class ImageTexels : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ImageTexels, AreThoseOfTheHost) {
  cuda::testing::Gpu gpu{std::string(image_texels_test_ptx(GetParam())), {.seed = 3}};
  testing::EmulatedMemory memory(gpu.device);
  const std::uint64_t where = *memory.allocate(8);
  Images images(memory);
  images.begin(where);
  std::mt19937 random(GetParam());
  std::vector<cuda::Texture> textures;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    textures.push_back(random_texture(random, i));
    images.add(i, textures.back());
  }
  auto* const in = gpu.array<std::uint64_t>(std::size_t{8} * kThreads);
  auto* const out = gpu.array<std::uint64_t>(std::size_t{32} * kThreads);
  std::size_t most = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const std::uint64_t first = random() % 200;
    const bool is_one = random() % 2 == 0;  // object for all lanes
    for (std::size_t i = 0; i < kThreads; ++i) {
      const std::uint64_t which = is_one ? first : random() % 200;
      const cuda::Texture& texture = textures[which];
      ImageHow how;
      how.shape = texture.image.shape;
      how.is_whole = !is_cube(how.shape) && random() % 4 == 0;
      how.gathers = !how.is_whole && !texture.image.linear &&
                    (how.shape == ImageShape::k2d || how.shape == ImageShape::k2dLayered) &&
                    random() % 4 == 0;
      in[8 * i] = which + 1;
      in[8 * i + 1] = how.packed();
      for (std::size_t k = 2; k < 5; ++k) {
        in[8 * i + k] = how.is_whole
                            ? static_cast<std::uint32_t>(static_cast<int>(random() % 64) - 8)
                            : std::bit_cast<std::uint32_t>(random_coordinate(random));
      }
      in[8 * i + 5] = random() % 8;
    }
    const auto table = *reinterpret_cast<const std::uint64_t*>(where);
    ASSERT_EQ(gpu.launch("texels", {.block = {kThreads}}, table, in, out).text, "");
    for (std::size_t i = 0; i < kThreads; ++i) {
      const std::uint64_t* const a = in + 8 * i;
      const std::uint32_t words[3] = {static_cast<std::uint32_t>(a[2]),
                                      static_cast<std::uint32_t>(a[3]),
                                      static_cast<std::uint32_t>(a[4])};
      Texels told;
      for (std::uint64_t k = 0; k < out[32 * i]; ++k) {
        told.emplace_back(out[32 * i + 1 + 2 * k], out[32 * i + 2 + 2 * k]);
      }
      most = std::max(most, told.size());
      EXPECT_EQ(told, expected(textures[a[0] - 1], ImageHow::of(static_cast<std::uint32_t>(a[1])),
                               words, static_cast<std::uint32_t>(a[5])))
          << "object " << a[0] << ", thread " << i << ", turn " << turn;
    }
  }
  EXPECT_EQ(most, 8U);
}

INSTANTIATE_TEST_SUITE_P(Targets, ImageTexels, ::testing::Values(75U, 90U));

}  // namespace
}  // namespace redflag::device
