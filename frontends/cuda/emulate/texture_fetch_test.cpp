// tex, tld4 and txq in kernels: results, what is told, faults, and what is refused.
#include <gtest/gtest.h>

#include <vector>

#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::Gpu;
using testing::Keeper;
using testing::kernel;

template <typename T>
Texture flat(const T* memory, std::uint64_t width, std::uint64_t height, ChannelKind kind) {
  Texture made;
  made.image.address = testing::address(memory);
  made.image.width = width;
  made.image.height = height;
  made.image.pitch = width * sizeof(T);
  made.image.slice = made.image.pitch * height;
  made.image.shape = height > 1 ? ImageShape::k2d : ImageShape::k1d;
  made.image.bits = sizeof(T) * 8;
  made.image.kind = kind;
  return made;
}

// out[t] of type b32 from %r20, after a fetch at (t, 1).
const std::string kFetch =
    "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, 0f3F000000; mov.f32 %f2, 0f3FC00000;\n";
const std::string kOut =
    "mul.wide.u32 %l1, %t, 4; add.s64 %l1, %out, %l1; st.global.b32 [%l1], %r20;\n";

TEST(TextureFetch, ReadsItsTexels) {
  Keeper keeper;
  Gpu gpu(
      kernel(kFetch + "tex.2d.v4.s32.f32 {%r20, %r21, %r22, %r23}, [%in, {%f1, %f2}];\n" + kOut),
      {.sink = &keeper});
  int* const image = gpu.array<int>(12);
  int* const out = gpu.array<int>(4);
  for (int i = 0; i < 12; ++i) image[i] = i * 10;
  const std::uint64_t handle = gpu.device.add_texture(flat(image, 4, 3, ChannelKind::kSigned));
  const Fault fault = gpu.launch("k", {.block = {4}}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], 40 + 10 * i);
  const auto reads = keeper.of(gpu::StepKind::kRead);
  ASSERT_EQ(reads.size(), 1U);
  EXPECT_EQ(reads[0].lanes, 0xfU);
  EXPECT_EQ(reads[0].size, 4);
  EXPECT_EQ(reads[0].addresses[2], testing::address(image + 6));
}

TEST(TextureFetch, FilteringReadsEachTexelOfWeight) {
  Keeper keeper;
  Gpu gpu(kernel("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000;\n"
                 "tex.2d.v4.f32.f32 {%r20, %r21, %r22, %r23}, [%in, {%f1, %f2}];\n" +
                 kOut),
          {.sink = &keeper});
  float* const image = gpu.array<float>(9);
  float* const out = gpu.array<float>(1);
  for (int i = 0; i < 9; ++i) image[i] = static_cast<float>(i);
  Texture texture = flat(image, 3, 3, ChannelKind::kFloat);
  texture.sampler.filters = true;
  const std::uint64_t handle = gpu.device.add_texture(texture);
  const Fault fault = gpu.launch("k", {}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(*out, 2.0F);
  std::vector<std::uint64_t> read;
  for (const auto& step : keeper.of(gpu::StepKind::kRead)) read.push_back(step.addresses[0]);
  EXPECT_EQ(read,
            (std::vector<std::uint64_t>{testing::address(image), testing::address(image + 1),
                                        testing::address(image + 3), testing::address(image + 4)}));
}

TEST(TextureFetch, LinearMemoryGathersQueriesAndResidence) {
  Gpu gpu(
      kernel("mov.u32 %r1, %t;\n"
             "tex.1d.v4.u32.s32 {%r20, %r21, %r22, %r23}|%p1, [%in, {%r1}];\n"
             "@!%p1 mov.u32 %r20, 99;\n"
             "txq.width.b32 %r24, [%in]; shl.b32 %r24, %r24, 8; or.b32 %r20, %r20, %r24;\n" +
             kOut));
  auto* const data = gpu.array<std::uint32_t>(3);
  auto* const out = gpu.array<std::uint32_t>(4);
  for (unsigned i = 0; i < 3; ++i) data[i] = i + 1;
  Texture texture = flat(data, 3, 1, ChannelKind::kUnsigned);
  texture.image.linear = true;
  const std::uint64_t handle = gpu.device.add_texture(texture);
  const Fault fault = gpu.launch("k", {.block = {4}}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 0x301U);
  EXPECT_EQ(out[2], 0x303U);
  EXPECT_EQ(out[3], 0x300U);  // outside: zero
}

TEST(TextureFetch, GatherAndHalves) {
  Gpu gpu(
      kernel("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000;\n"
             "tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%in, {%f1, %f2}];\n"
             "tex.2d.v2.f16x2.f32 {%r20, %r21}, [%in, {%f1, %f2}];\n"
             "st.global.v4.f32 [%out], {%f3, %f4, %f5, %f6};\n"
             "st.global.b32 [%out + 16], %r20;\n"));
  float* const image = gpu.array<float>(4);
  float* const out = gpu.array<float>(8);
  for (int i = 0; i < 4; ++i) image[i] = static_cast<float>(i + 1);
  const std::uint64_t handle = gpu.device.add_texture(flat(image, 2, 2, ChannelKind::kFloat));
  const Fault fault = gpu.launch("k", {}, testing::address(out), handle, 0U);
  ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 4);
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[3], 1);
  std::uint32_t halves = 0;
  std::memcpy(&halves, out + 4, 4);
  EXPECT_EQ(halves, 0x4400U);  // 4.0, and no second channel
}

TEST(TextureFetch, FaultsSayWhatIsWrong) {
  const std::string text =
      kernel(kFetch + "tex.2d.v4.s32.f32 {%r20, %r21, %r22, %r23}, [%in, {%f1, %f2}];\n" + kOut);
  Gpu gpu(text);
  int* const image = gpu.array<int>(4);
  int* const out = gpu.array<int>(4);
  const auto run = [&](std::uint64_t handle) {
    return gpu.launch("k", {}, testing::address(out), handle, 0U);
  };
  Fault fault = run(77);
  EXPECT_EQ(fault.kind, FaultKind::kTrap);
  EXPECT_NE(fault.text.find("no texture or surface object has the handle 77"), std::string::npos)
      << fault.text;
  Texture texture = flat(image, 2, 2, ChannelKind::kSigned);
  const std::uint64_t handle = gpu.device.add_texture(texture);
  EXPECT_EQ(run(handle).kind, FaultKind::kNone);
  texture.is_surface = true;
  fault = run(gpu.device.add_texture(texture));
  EXPECT_NE(fault.text.find("a surface object is used as a texture"), std::string::npos);
  texture.is_surface = false;
  texture.image.shape = ImageShape::k3d;
  fault = run(gpu.device.add_texture(texture));
  EXPECT_NE(fault.text.find("the geometry of the texture or surface object differs"),
            std::string::npos)
      << fault.text;
  EXPECT_TRUE(gpu.device.free(testing::address(image)));
  EXPECT_EQ(run(handle).kind, FaultKind::kUseAfterFree);
  gpu.device.remove_texture(handle);
  EXPECT_EQ(run(handle).kind, FaultKind::kTrap);
}

TEST(TextureFetch, WhatIsNotEmulatedIsNamedBeforeItRuns) {
  const std::pair<const char*, const char*> refused[] = {
      {"tex.2dms.v4.f32.s32 {%r20, %r21, %r22, %r23}, [%in, {%r1, %r2, %r3, %r4}];", "geometry"},
      {"tex.2d.v4.f32.f32 {%r20, %r21, %r22, %r23}, [%in, %l1, {%f1, %f2}];", "sampler"},
      {"tex.2d.v4.f32.f32 {%r20, %r21, %r22, %r23}, [%in, {%f1, %f2}], {%r1, %r2};", "offsets"},
      {"txq.channel_order.b32 %r20, [%in];", "query"},
      {"sured.b.xor.1d.b32.trap [%in, {%r1}], %r2;", "reduction"},
  };
  for (const auto& [line, what] : refused) {
    Gpu gpu(kernel(line));
    const Result<KernelId> found = gpu.device.find_kernel(gpu.id, "k");
    ASSERT_FALSE(found) << line;
    EXPECT_NE(found.error().message.find(what), std::string::npos) << found.error().message;
    EXPECT_NE(found.error().message.find("test.ptx:"), std::string::npos);
  }
}

}  // namespace
}  // namespace redflag::cuda
