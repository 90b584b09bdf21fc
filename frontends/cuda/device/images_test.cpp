// The table of textures and surfaces as kernels read it.
#include "frontends/cuda/device/images.h"

#include <gtest/gtest.h>

#include "frontends/cuda/device/testing.h"

namespace redflag::device {
namespace {

class ImagesTest : public ::testing::Test {
 protected:
  ImagesTest() { images.begin(where); }

  cuda::Texture texture(std::uint64_t address, bool is_surface = false) const {
    cuda::Texture made;
    made.image.address = address;
    made.image.width = 16;
    made.image.pitch = made.image.slice = 64;
    made.is_surface = is_surface;
    return made;
  }
  // As hooks do; 0: there is none.
  std::uint64_t find(std::uint64_t handle, bool is_surface = false) const {
    const auto table = *reinterpret_cast<const std::uint64_t*>(where);
    if (table == 0) return 0;
    const auto* const head = reinterpret_cast<const ImageTableHead*>(table);
    const auto* const entries = reinterpret_cast<const ImageEntry*>(head + 1);
    for (std::uint64_t slot = image_slot(handle);; ++slot) {
      const ImageEntry& entry = entries[slot & head->mask];
      if (is_image(entry, handle, is_surface)) return entry.object.image.address;
      if (entry.handle == 0) return 0;
    }
  }

  cuda::Device device{{}};
  testing::EmulatedMemory all{device};
  testing::LimitedMemory memory{all};
  std::uint64_t where = *all.allocate(8);
  Images images{memory};
};

TEST_F(ImagesTest, AreFoundByHandle) {
  EXPECT_EQ(find(1), 0U);
  images.add(1, texture(100));
  images.add(1, texture(200, true));
  EXPECT_EQ(find(1), 100U);
  EXPECT_EQ(find(1, true), 200U);
  images.remove(1, false);
  EXPECT_EQ(find(1), 0U);
  EXPECT_EQ(find(1, true), 200U);
  images.add(1, texture(300));
  EXPECT_EQ(find(1), 300U);
}

TEST_F(ImagesTest, GrowAndForget) {
  for (std::uint64_t i = 1; i <= 1000; ++i) images.add(i << 20, texture(i));
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_EQ(find(i << 20), i);
  // Whoever makes and destroys one after the other needs no more and more memory.
  for (std::uint64_t i = 1; i <= 1000; ++i) images.remove(i << 20, false);
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    images.add(i, texture(i));
    images.remove(i, false);
  }
  EXPECT_EQ(find(5 << 20), 0U);
  EXPECT_EQ(images.lost(), 0U);
}

TEST_F(ImagesTest, KnowWhatMemoryTexturesRead) {
  images.add(1, texture(1000));
  images.add(2, texture(2000, true));
  EXPECT_TRUE(images.reads(900, 1001));
  EXPECT_TRUE(images.reads(1063, 1100));
  EXPECT_FALSE(images.reads(1064, 1100));
  EXPECT_FALSE(images.reads(2000, 2064));
  images.remove(1, false);
  EXPECT_FALSE(images.reads(900, 1001));
}

TEST_F(ImagesTest, WithoutMemoryAreCounted) {
  memory.leave(0);
  images.add(1, texture(100));
  EXPECT_EQ(find(1), 0U);
  EXPECT_EQ(images.lost(), 1U);
}

}  // namespace
}  // namespace redflag::device
