#include "frontends/cuda/texture/surface.h"

#include <gtest/gtest.h>

namespace redflag::cuda {
namespace {

// 8 by 4 by 2 texels of 4 bytes.
Image box() {
  Image made;
  made.address = 0x1000;
  made.width = 8, made.height = 4, made.depth = 2;
  made.pitch = 32, made.slice = 128;
  return made;
}

TEST(Surface, IsAccessedByBytesOrByElements) {
  EXPECT_EQ(surface_place(box(), false, Boundary::kTrap, 8, 16, 3, 1).address,
            0x1000U + 128 + 96 + 16);
  const SurfacePlace element = surface_place(box(), true, Boundary::kTrap, 0, 5, 0, 0);
  EXPECT_EQ(element.address, 0x1000U + 20);
  EXPECT_EQ(element.bytes, 4U);
  EXPECT_EQ(element.x, 20U);
}

TEST(Surface, HasABoundary) {
  EXPECT_FALSE(surface_place(box(), false, Boundary::kTrap, 4, 32, 0, 0).is_inside);
  EXPECT_EQ(surface_place(box(), false, Boundary::kZero, 4, -4, 0, 0).address, 0U);
  EXPECT_EQ(surface_place(box(), false, Boundary::kZero, 4, 0, 4, 0).address, 0U);
  EXPECT_EQ(surface_place(box(), false, Boundary::kClamp, 4, 400, -1, 7).address,
            0x1000U + 128 + 28);
}

}  // namespace
}  // namespace redflag::cuda
