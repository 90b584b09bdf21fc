#include "frontends/cuda/cudart/images.h"

#include <gtest/gtest.h>

namespace redflag::cudart {
namespace {

constexpr ChannelFormat kInts{32, 0, 0, 0, 0};

class Images : public ::testing::Test {
 protected:
  Error array(const ChannelFormat& format, const Extent& extent, unsigned flags = 0) {
    return images.make_array(format, extent, flags, last);
  }
  Error texture(const ResourceDesc& resource, const TextureDesc& how = {}) {
    return images.make_texture(resource, how, handle);
  }
  ResourceDesc of_array(const Array* of) {
    ResourceDesc made{};
    made.array = const_cast<Array*>(of);
    return made;
  }
  ResourceDesc of_memory(std::uint64_t address, const ChannelFormat& format, std::size_t bytes) {
    ResourceDesc made{};
    made.type = ResourceType::kLinear;
    made.linear = {reinterpret_cast<void*>(address), format, bytes};
    return made;
  }

  cuda::Device device{{}};
  MemoryTable memory{device};
  ImageTable images{device, memory};
  Array* last = nullptr;
  unsigned long long handle = 0;
};

TEST_F(Images, FormatsThatThereAre) {
  const Extent extent{8, 8, 0};
  for (const ChannelFormat& good :
       {kInts, ChannelFormat{8, 8, 0, 0, 1}, ChannelFormat{16, 16, 16, 16, 2}}) {
    EXPECT_EQ(array(good, extent), Error::kSuccess);
  }
  for (const ChannelFormat& bad : {ChannelFormat{24, 0, 0, 0, 0}, ChannelFormat{8, 16, 0, 0, 0},
                                   ChannelFormat{32, 32, 32, 0, 2}, ChannelFormat{8, 0, 0, 0, 2},
                                   ChannelFormat{64, 0, 0, 0, 0}, ChannelFormat{0, 0, 0, 0, 0},
                                   ChannelFormat{0, 32, 0, 0, 0}, ChannelFormat{32, 0, 0, 0, 3}}) {
    EXPECT_EQ(array(bad, extent), Error::kInvalidChannelDescriptor);
  }
}

TEST_F(Images, ShapesAsOnADevice) {
  const struct {
    Extent extent;
    unsigned flags;
    bool good;
  } cases[] = {
      {{8, 0, 0}, 0, true},  {{0, 8, 0}, 0, false},      {{8, 8, 4}, 0, true},
      {{8, 0, 3}, 0, false}, {{200000, 0, 0}, 0, false}, {{8, 200000, 0}, 0, false},
      {{8, 8, 5}, 4, false}, {{8, 8, 6}, 4, true},       {{8, 7, 6}, 4, false},
      {{8, 8, 7}, 5, false}, {{8, 8, 12}, 5, true},      {{8, 0, 3}, 1, true},
      {{8, 8, 0}, 1, false}, {{8, 8, 4}, 8, false},      {{8, 0, 0}, 8, false},
      {{8, 8, 0}, 8, true},  {{8, 8, 0}, 2, true},       {{8, 8, 0}, 32, false},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(array(kInts, each.extent, each.flags),
              each.good ? Error::kSuccess : Error::kInvalidValue)
        << each.extent.width << "x" << each.extent.height << "x" << each.extent.depth << " "
        << each.flags;
  }
}

TEST_F(Images, BoxesInArrays) {
  ASSERT_EQ(array(kInts, {8, 4, 0}), Error::kSuccess);
  EXPECT_EQ(last->bytes(), 8U * 4 * 4);
  EXPECT_TRUE(last->holds(Pos{1, 0, 0}, Extent{7, 4, 1}));
  EXPECT_FALSE(last->holds(Pos{2, 0, 0}, Extent{7, 4, 1}));
  EXPECT_FALSE(last->holds(Pos{0, 0, 0}, Extent{8, 4, 2}));
  EXPECT_TRUE(last->holds(4, 1, 28, 3));
  EXPECT_FALSE(last->holds(8, 1, 28, 3));
  EXPECT_FALSE(last->holds(0, ~std::size_t{0}, 4, 2));
}

TEST_F(Images, ArraysComeAndGo) {
  const std::uint64_t before = memory.device_bytes();
  ASSERT_EQ(array(kInts, {8, 8, 0}), Error::kSuccess);
  EXPECT_EQ(images.find(last), last);
  EXPECT_EQ(memory.device_bytes(), before + 256);
  ASSERT_EQ(texture(of_array(last)), Error::kSuccess);
  images.drop(last);
  EXPECT_EQ(images.find(last), nullptr);
  EXPECT_EQ(memory.device_bytes(), before);
  EXPECT_EQ(texture(of_array(last)), Error::kInvalidResourceHandle);
}

TEST_F(Images, ObjectsKeepTheirDescriptions) {
  ASSERT_EQ(array(kInts, {8, 8, 0}), Error::kSuccess);
  TextureDesc how{};
  how.normalized = 1;
  ASSERT_EQ(texture(of_array(last), how), Error::kSuccess);
  ASSERT_NE(images.object(handle, false), nullptr);
  EXPECT_EQ(images.object(handle, false)->texture.normalized, 1);
  EXPECT_EQ(images.object(handle, true), nullptr);
  images.drop(handle, true);  // not a surface: stays
  EXPECT_NE(images.object(handle, false), nullptr);
  images.drop(handle, false);
  EXPECT_EQ(images.object(handle, false), nullptr);
  ASSERT_EQ(images.make_surface(of_array(last), handle), Error::kSuccess);
  EXPECT_NE(images.object(handle, true), nullptr);
}

TEST_F(Images, SettingsThatContradict) {
  ASSERT_EQ(array(kInts, {8, 8, 0}), Error::kSuccess);
  TextureDesc how{};
  how.filter_mode = 1;
  EXPECT_EQ(texture(of_array(last), how), Error::kInvalidFilterSetting);
  how.read_mode = 1;
  EXPECT_EQ(texture(of_array(last), how), Error::kInvalidFilterSetting);
  how.filter_mode = 0;
  EXPECT_EQ(texture(of_array(last), how), Error::kInvalidNormSetting);
  how = {};
  how.address_mode[0] = 9;
  EXPECT_EQ(texture(of_array(last), how), Error::kInvalidValue);
  how = {};
  how.srgb = 1;
  EXPECT_EQ(texture(of_array(last), how), Error::kSuccess);  // of no effect
  ResourceDesc levels = of_array(last);
  levels.type = ResourceType::kMipmappedArray;
  EXPECT_EQ(texture(levels), Error::kNotSupported);
  how = {};
  how.filter_mode = 5;
  EXPECT_EQ(texture(of_array(last), how), Error::kInvalidValue);
}

TEST_F(Images, PlainMemory) {
  const Result<Block> block = memory.allocate(65536 + 512, Where::kDevice, 0);
  ASSERT_TRUE(block);
  const std::uint64_t at = (block->address + 511) / 512 * 512;
  EXPECT_EQ(texture(of_memory(at, kInts, 256)), Error::kSuccess);
  EXPECT_EQ(texture(of_memory(at + 256, kInts, 256)), Error::kInvalidValue);
  EXPECT_EQ(texture(of_memory(at, kInts, 0)), Error::kSuccess);
  EXPECT_EQ(texture(of_memory(0, kInts, 256)), Error::kInvalidValue);
  EXPECT_EQ(texture(of_memory(at, {0, 32, 0, 0, 0}, 256)), Error::kInvalidChannelDescriptor);
  ResourceDesc plane{};
  plane.type = ResourceType::kPitch2D;
  plane.plane = {reinterpret_cast<void*>(at), kInts, 8, 8, 512};
  EXPECT_EQ(texture(plane), Error::kSuccess);
  plane.plane.pitch = 36;
  EXPECT_EQ(texture(plane), Error::kInvalidValue);
  plane.plane.pitch = 0;
  EXPECT_EQ(texture(plane), Error::kInvalidValue);
  EXPECT_EQ(images.make_surface(plane, handle), Error::kInvalidValue);
  plane.type = static_cast<ResourceType>(7);
  EXPECT_EQ(texture(plane), Error::kInvalidValue);
}

}  // namespace
}  // namespace redflag::cudart
