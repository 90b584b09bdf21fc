// Footprints by hand. What they are on an H200 is in frontends/cuda/emulate/texture_test.cpp, with the values.
#include "frontends/cuda/texture/footprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace redflag::cuda {
namespace {

constexpr std::uint64_t kBase = 0x10000;

Texture texture_of(ImageShape shape, std::uint64_t width, std::uint64_t height = 1,
                   std::uint64_t depth = 1) {
  Texture made;
  made.image.address = kBase;
  made.image.shape = shape;
  made.image.width = width;
  made.image.height = height;
  made.image.depth = depth;
  made.image.pitch = width * made.image.element();
  made.image.slice = made.image.pitch * height;
  return made;
}

// Numbers of texels, -1 for the border.
std::vector<int> texels(const Texture& texture, const Footprint& footprint) {
  std::vector<int> out;
  for (unsigned i = 0; i < footprint.count; ++i) {
    const std::uint64_t at = footprint.taps[i].address;
    out.push_back(at == 0 ? -1 : static_cast<int>((at - kBase) / texture.image.element()));
  }
  return out;
}
std::vector<int> fetched(const Texture& texture, float x, float y = 0, float z = 0,
                         std::uint32_t layer = 0) {
  Coordinates at;
  at.at[0] = x, at.at[1] = y, at.at[2] = z;
  at.layer = layer;
  return texels(texture, footprint(texture, at));
}

using Texels = std::vector<int>;

TEST(Footprint, IsTheTexelThatHoldsTheCoordinate) {
  const Texture row = texture_of(ImageShape::k1d, 16);
  EXPECT_EQ(fetched(row, 3.99F), (Texels{3}));
  EXPECT_EQ(fetched(row, -5), (Texels{0}));
  EXPECT_EQ(fetched(row, 1e30F), (Texels{15}));
  EXPECT_EQ(fetched(row, std::nanf("")), (Texels{0}));
  EXPECT_EQ(fetched(texture_of(ImageShape::k2d, 16, 4), 2, 3), (Texels{3 * 16 + 2}));
}

TEST(Footprint, OfWholeCoordinatesIsOneTexelWhateverTheFilter) {
  Texture plane = texture_of(ImageShape::k2d, 16, 4);
  plane.sampler.filters = plane.sampler.normalized = true;
  Coordinates at;
  at.is_whole = true;
  at.whole[0] = 5, at.whole[1] = 2;
  EXPECT_EQ(texels(plane, footprint(plane, at)), (Texels{2 * 16 + 5}));
}

TEST(Footprint, OfAFilterHasTheTexelsWithAWeight) {
  Texture row = texture_of(ImageShape::k1d, 16);
  row.sampler.filters = true;
  EXPECT_EQ(fetched(row, 4.5F), (Texels{4}));
  EXPECT_EQ(fetched(row, 4.75F), (Texels{4, 5}));
  EXPECT_EQ(fetched(row, 4.25F), (Texels{3, 4}));
  EXPECT_EQ(fetched(row, 16), (Texels{15}));
  Texture plane = texture_of(ImageShape::k2d, 16, 4);
  plane.sampler.filters = true;
  EXPECT_EQ(fetched(plane, 1, 1), (Texels{0, 1, 16, 17}));
  Texture box = texture_of(ImageShape::k3d, 4, 4, 4);
  box.sampler.filters = true;
  EXPECT_EQ(fetched(box, 1, 1, 1), (Texels{0, 1, 4, 5, 16, 17, 20, 21}));
}

TEST(Footprint, GoesAroundOrOutAsTheModeSays) {
  Texture row = texture_of(ImageShape::k1d, 16);
  row.sampler.filters = row.sampler.normalized = true;
  row.sampler.mode[0] = AddressMode::kWrap;
  EXPECT_EQ(fetched(row, 1), (Texels{15, 0}));
  row.sampler.mode[0] = AddressMode::kMirror;
  const Footprint both = [&] {
    Coordinates at;
    at.at[0] = 1;
    return footprint(row, at);
  }();
  EXPECT_EQ(texels(row, both), (Texels{15, 15}));
  EXPECT_TRUE(both.is_repeated(1));
  EXPECT_FALSE(both.is_repeated(0));
  row.sampler.filters = false;
  row.sampler.mode[0] = AddressMode::kBorder;
  EXPECT_EQ(fetched(row, 1.01F), (Texels{-1}));
}

TEST(Footprint, OfALayerStaysInIt) {
  Texture stack = texture_of(ImageShape::k2dLayered, 8, 2, 3);
  EXPECT_EQ(fetched(stack, 1, 1, 0, 2), (Texels{2 * 16 + 8 + 1}));
  EXPECT_EQ(fetched(stack, 1, 1, 0, 9), (Texels{2 * 16 + 8 + 1}));
  Texture cube = texture_of(ImageShape::kCube, 4, 4, 6);
  cube.sampler.normalized = true;
  EXPECT_EQ(fetched(cube, 1, 0, 0), (Texels{2 * 4 + 2}));            // +x
  EXPECT_EQ(fetched(cube, 0, 0, -1), (Texels{5 * 16 + 2 * 4 + 2}));  // -z
}

TEST(Footprint, OfPlainMemoryIsAnIndex) {
  Texture row = texture_of(ImageShape::k1d, 16);
  row.image.linear = true;
  Coordinates at;
  at.is_whole = true;
  at.whole[0] = 7;
  EXPECT_EQ(texels(row, footprint(row, at)), (Texels{7}));
  at.whole[0] = 16;
  EXPECT_EQ(texels(row, footprint(row, at)), (Texels{-1}));
}

TEST(Footprint, OfAGatherIsFourTexels) {
  const Texture plane = texture_of(ImageShape::k2d, 16, 4);
  Coordinates at;
  at.at[0] = at.at[1] = 1;
  EXPECT_EQ(texels(plane, gather_footprint(plane, at)), (Texels{16, 17, 1, 0}));
}

}  // namespace
}  // namespace redflag::cuda
