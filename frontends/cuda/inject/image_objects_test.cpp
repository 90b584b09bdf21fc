#include "frontends/cuda/inject/image_objects.h"

#include <gtest/gtest.h>

#include <vector>

#include "frontends/cuda/inject/copy_steps.h"

namespace redflag::inject {
namespace {

using cuda::ImageShape;

class ImageObjectsTest : public ::testing::Test {
 protected:
  CUarray make(const CUDA_ARRAY3D_DESCRIPTOR& what) {
    auto* const handle = reinterpret_cast<CUarray>(0x1000 + 16 * arrays.size());
    arrays[handle] = what;
    return handle;
  }
  static CUDA_RESOURCE_DESC of(CUarray array) {
    CUDA_RESOURCE_DESC made{};
    made.res.array.hArray = array;
    return made;
  }

  std::map<CUarray, CUDA_ARRAY3D_DESCRIPTOR> arrays;  // of the driver
  std::vector<std::uint64_t> begun, ended;
  ImageObjects images{
      [this](CUarray array, CUDA_ARRAY3D_DESCRIPTOR& to) {
        const auto at = arrays.find(array);
        if (at != arrays.end()) to = at->second;
        return at != arrays.end();
      },
      {[](std::uint64_t) { return std::uint64_t{1} << 40; }, [](std::uint64_t, std::uint64_t) {}},
      [this](const cuda::Image& array) { begun.push_back(array.address); },
      [this](std::uint64_t address) { ended.push_back(address); }};
};

TEST_F(ImageObjectsTest, ArraysHaveAddressesRowByRow) {
  CUarray const plane = make({64, 8, 0, kFormatFloat, 4, kArraySurface});
  const cuda::Image* const image = images.array(plane);
  ASSERT_NE(image, nullptr);
  EXPECT_EQ(image->shape, ImageShape::k2d);
  EXPECT_EQ(image->pitch, 64U * 16);
  EXPECT_EQ(image->bytes(), 64U * 16 * 8);
  EXPECT_EQ(images.array(plane)->address, image->address);
  EXPECT_EQ(begun.size(), 1U);
  images.array_ends(plane);
  EXPECT_EQ(ended, begun);
  images.array_ends(plane);
  EXPECT_EQ(ended.size(), 1U);
}

TEST_F(ImageObjectsTest, ShapesAreThoseOfTheDescription) {
  const auto shape = [&](const CUDA_ARRAY3D_DESCRIPTOR& what) {
    return images.array(make(what))->shape;
  };
  EXPECT_EQ(shape({64, 0, 0, kFormatU8, 1, 0}), ImageShape::k1d);
  EXPECT_EQ(shape({64, 8, 4, kFormatU16, 2, 0}), ImageShape::k3d);
  EXPECT_EQ(shape({64, 0, 4, kFormatS32, 1, kArrayLayered}), ImageShape::k1dLayered);
  EXPECT_EQ(shape({64, 8, 4, kFormatHalf, 1, kArrayLayered}), ImageShape::k2dLayered);
  EXPECT_EQ(shape({8, 8, 6, kFormatS8, 1, kArrayCube}), ImageShape::kCube);
  EXPECT_EQ(shape({8, 8, 12, kFormatS16, 1, kArrayCube | kArrayLayered}), ImageShape::kCubeLayered);
}

TEST_F(ImageObjectsTest, AnArrayWhoseEndNobodySawIsAnotherOne) {
  CUarray const array = make({64, 8, 0, kFormatFloat, 1, 0});
  (void)images.array(array);
  arrays[array].Width = 32;
  EXPECT_EQ(images.array(array)->width, 32U);
  EXPECT_EQ(begun.size(), 2U);
  EXPECT_EQ(ended.size(), 1U);
}

TEST_F(ImageObjectsTest, AreOverArraysAndMemory) {
  CUarray const stack = make({16, 4, 8, kFormatFloat, 1, kArrayLayered});
  CUDA_TEXTURE_DESC how{};
  how.addressMode[0] = 3;
  how.filterMode = kFilterLinear;
  how.flags = kNormalizedCoordinates;
  const cuda::Texture* texture = images.add({nullptr, 1, false}, of(stack), &how, nullptr);
  ASSERT_NE(texture, nullptr);
  EXPECT_EQ(texture->image.address, images.array(stack)->address);
  EXPECT_TRUE(texture->sampler.filters && texture->sampler.normalized);
  EXPECT_EQ(texture->sampler.mode[0], cuda::AddressMode::kBorder);
  EXPECT_TRUE(images.add({nullptr, 1, true}, of(stack), nullptr, nullptr)->is_surface);
  EXPECT_EQ(images.all().size(), 2U);

  CUDA_RESOURCE_VIEW_DESC view{};
  view.firstLayer = 2, view.lastLayer = 3;
  texture = images.add({nullptr, 2, false}, of(stack), &how, &view);
  EXPECT_EQ(texture->image.address, images.array(stack)->address + 512);
  EXPECT_EQ(texture->image.depth, 2U);

  CUDA_RESOURCE_DESC memory{};
  memory.resType = kResourceLinear;
  memory.res.linear = {0x5000, kFormatS32, 2, 256};
  texture = images.add({nullptr, 3, false}, memory, &how, nullptr);
  EXPECT_TRUE(texture->image.linear);
  EXPECT_EQ(texture->image.width, 32U);
  memory.resType = kResourcePitch;
  memory.res.pitch2D = {0x5000, kFormatU8, 1, 100, 10, 128};
  texture = images.add({nullptr, 4, false}, memory, &how, nullptr);
  EXPECT_EQ(texture->image.at(5, 2, 0), 0x5000U + 2 * 128 + 5);
  EXPECT_EQ(images.untold(), 0U);
}

TEST_F(ImageObjectsTest, SomeAreNotToldOf) {
  CUDA_RESOURCE_DESC levels{};
  levels.resType = kResourceMipmapped;
  const CUDA_TEXTURE_DESC how{};
  EXPECT_EQ(images.add({nullptr, 1, false}, levels, &how, nullptr), nullptr);
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = kFirstCompressedView;
  CUarray const array = make({16, 4, 0, kFormatU32, 2, 0});
  EXPECT_EQ(images.add({nullptr, 2, false}, of(array), &how, &view), nullptr);
  EXPECT_EQ(images.array(make({16, 4, 0, 0xb0, 3, 0})), nullptr);
  EXPECT_EQ(images.untold(), 2U);
}

TEST_F(ImageObjectsTest, CopiesOfArraysAreSteps) {
  CUarray const plane = make({64, 8, 0, kFormatU8, 1, 0});
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = kMemoryDevice;
  copy.srcDevice = 0x9000;
  copy.srcPitch = 64;
  copy.dstMemoryType = kMemoryArray;
  copy.dstArray = plane;
  copy.dstY = 2, copy.dstXInBytes = 8;
  copy.WidthInBytes = 16, copy.Height = 2;
  const Steps steps = steps_of(copy, [&](CUarray array) {
    const cuda::Image* const image = images.array(array);
    return image == nullptr ? Box{} : Box{image->address, image->pitch, image->slice};
  });
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[2].kind, gpu::HostKind::kWrite);
  EXPECT_EQ(steps[2].address, images.array(plane)->address + 136);
  EXPECT_EQ(steps[3].address, images.array(plane)->address + 200);
}

}  // namespace
}  // namespace redflag::inject
