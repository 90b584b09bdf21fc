// suld, sust and sured in kernels: bytes, boundaries, what is told, faults.
#include <gtest/gtest.h>

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::Gpu;
using testing::Keeper;
using testing::kernel;

Texture surface(const void* memory, ImageShape shape, std::uint64_t width, std::uint64_t height,
                std::uint64_t depth) {
  Texture made;
  made.is_surface = true;
  made.image.address = testing::address(memory);
  made.image.width = width;
  made.image.height = height;
  made.image.depth = depth;
  made.image.pitch = width * 4;
  made.image.slice = made.image.pitch * height;
  made.image.shape = shape;
  made.image.kind = ChannelKind::kSigned;
  return made;
}

TEST(Surface, StoresAndLoadsBytes) {
  Keeper keeper;
  Gpu gpu(kernel("shl.b32 %r1, %t, 2; mov.u32 %r2, 1; add.u32 %r3, %t, 100;\n"
                 "sust.b.2d.b32.trap [%in, {%r1, %r2}], {%r3};\n"
                 "suld.b.2d.v4.b8.trap {%h1, %h2, %h3, %h4}, [%in, {%r1, %r2}];\n"
                 "mul.wide.u32 %l1, %t, 2; add.s64 %l1, %out, %l1; st.global.u16 [%l1], %h1;\n"),
          {.sink = &keeper});
  int* const image = gpu.array<int>(8);
  auto* const out = gpu.array<std::uint16_t>(4);
  const std::uint64_t handle = gpu.device.add_texture(surface(image, ImageShape::k2d, 4, 2, 1));
  const Fault fault = gpu.launch("k", {.block = {4}}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(image[4 + i], 100 + i);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], 100 + i);
  const auto writes = keeper.of(gpu::StepKind::kWrite);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].addresses[3], testing::address(image + 7));
  EXPECT_EQ(writes[0].values[3], 103U);
  EXPECT_EQ(writes[0].size, 4);
  ASSERT_EQ(keeper.of(gpu::StepKind::kRead).size(), 1U);
}

TEST(Surface, BoundariesAsOnADevice) {
  Gpu gpu(
      kernel("mov.s32 %r1, -4; mov.s32 %r2, 9; mov.u32 %r3, 7;\n"
             "suld.b.2d.b32.clamp {%r4}, [%in, {%r1, %r2}];\n"
             "suld.b.2d.b32.zero {%r5}, [%in, {%r1, %r2}];\n"
             "sust.b.2d.b32.zero [%in, {%r1, %r2}], {%r3};\n"
             "mov.s32 %r1, 400; sust.b.2d.b32.clamp [%in, {%r1, %r2}], {%r3};\n"
             "st.global.v2.b32 [%out], {%r4, %r5};\n"));
  int* const image = gpu.array<int>(4);
  int* const out = gpu.array<int>(2);
  for (int i = 0; i < 4; ++i) image[i] = i + 1;
  const std::uint64_t handle = gpu.device.add_texture(surface(image, ImageShape::k2d, 2, 2, 1));
  const Fault fault = gpu.launch("k", {}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(image[2], 3);
  EXPECT_EQ(image[3], 7);
}

TEST(Surface, TrapsOutsideAndMisaligned) {
  Gpu gpu(kernel("mov.u32 %r2, 0; sust.b.2d.b32.trap [%in, {%n, %r2}], {%r2};\n"));
  int* const image = gpu.array<int>(4);
  const std::uint64_t handle = gpu.device.add_texture(surface(image, ImageShape::k2d, 2, 2, 1));
  EXPECT_EQ(gpu.launch("k", {}, std::uint64_t{0}, handle, 4U).kind, FaultKind::kNone);
  const Fault outside = gpu.launch("k", {}, std::uint64_t{0}, handle, 8U);
  EXPECT_EQ(outside.kind, FaultKind::kOutOfBounds);
  EXPECT_TRUE(outside.wrote);
  EXPECT_EQ(gpu.launch("k", {}, std::uint64_t{0}, handle, 2U).kind, FaultKind::kMisaligned);
}

TEST(Surface, LayersAndFaces) {
  Gpu gpu(
      kernel("mov.u32 %r1, 2; mov.u32 %r2, 4; mov.u32 %r3, 1; mov.u32 %r4, 55;\n"
             "sust.b.a2d.b32.trap [%in, {%r1, %r2, %r3, %r3}], {%r4};\n"));
  int* const image = gpu.array<int>(24);
  const std::uint64_t layers =
      gpu.device.add_texture(surface(image, ImageShape::k2dLayered, 2, 2, 3));
  EXPECT_EQ(gpu.launch("k", {}, std::uint64_t{0}, layers, 0U).kind, FaultKind::kNone);
  EXPECT_EQ(image[11], 55);
  image[11] = 0;
  const std::uint64_t cube = gpu.device.add_texture(surface(image, ImageShape::kCube, 2, 2, 6));
  EXPECT_EQ(gpu.launch("k", {}, std::uint64_t{0}, cube, 0U).kind, FaultKind::kNone);
  EXPECT_EQ(image[11], 55);
}

TEST(Surface, FormattedStoresSaturate) {
  Gpu gpu(
      kernel("mov.u32 %r1, 1; mov.u32 %r2, 300; mov.s32 %r3, -7; mov.u32 %r4, 5;\n"
             "sust.p.1d.v4.b32.trap [%in, {%r1}], {%r2, %r3, %r4, %r2};\n"));
  auto* const image = gpu.array<std::uint8_t>(8);
  Texture made = surface(image, ImageShape::k1d, 2, 1, 1);
  made.image.channels = 4;
  made.image.bits = 8;
  made.image.kind = ChannelKind::kUnsigned;
  const auto run = [&] {
    return gpu.launch("k", {}, std::uint64_t{0}, gpu.device.add_texture(made), 0U);
  };
  EXPECT_EQ(run().kind, FaultKind::kNone);
  EXPECT_EQ(image[4], 255);
  EXPECT_EQ(image[5], 255);
  EXPECT_EQ(image[6], 5);
  made.image.kind = ChannelKind::kSigned;
  EXPECT_EQ(run().kind, FaultKind::kNone);
  EXPECT_EQ(image[4], 127);
  EXPECT_EQ(image[5], 0xf9);
}

TEST(Surface, ReductionsAreAtomic) {
  Keeper keeper;
  Gpu gpu(kernel("mov.u32 %r1, 4; mov.u32 %r2, 1; mov.s32 %r3, -5; mov.u32 %r4, 0;\n"
                 "sured.b.add.1d.u32.trap [%in, {%r1}], %r2;\n"
                 "sured.p.add.1d.b32.trap [%in, {%r2}], %r2;\n"
                 "sured.b.min.1d.s32.trap [%in, {%r4}], %r3;\n"),
          {.sink = &keeper});
  int* const image = gpu.array<int>(2);
  const std::uint64_t handle = gpu.device.add_texture(surface(image, ImageShape::k1d, 2, 1, 1));
  const Fault fault = gpu.launch("k", {.block = {32}}, std::uint64_t{0}, handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(image[0], -5);
  EXPECT_EQ(image[1], 64);
  const auto steps = keeper.of(gpu::StepKind::kAtomicRmw);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].wrote, ~gpu::Lanes{0});
  EXPECT_EQ(steps[0].scope, Scope::kDevice);
}

}  // namespace
}  // namespace redflag::cuda
