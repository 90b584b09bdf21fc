// Textures and surfaces: what their hooks are given, which kernels are told less of, and what is not told.
#include <gtest/gtest.h>

#include <bit>

#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/rewrite/testing.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::rewrite {
namespace {

using device::Deed;
using device::Hook;
using device::ImageHow;
using device::What;
using testing::Record;

constexpr std::size_t kTexels = 96;

// One launch of a kernel whose %l1 is a texture and whose %l2 is a surface, of one image of 8 by 4 floats and 3 layers.
struct Ran {
  std::vector<Record> records;  // of images
  std::vector<float> texels;
};
Ran run(const std::string& body, std::uint32_t splice = 0) {
  const Rewritten made =
      testing::rewritten(cuda::testing::kernel("mov.u64 %l1, 1; mov.u64 %l2, 2;" + body),
                         testing::recording_runtime(), false, splice);
  cuda::testing::Gpu gpu(made.ptx);
  testing::Recorder recorder(gpu.device, gpu.id);
  auto* const memory = gpu.array<float>(kTexels);
  auto* const out = gpu.array<std::uint64_t>(64);
  std::fill(memory, memory + kTexels, 0.0F);
  cuda::Texture texture;
  texture.image.address = cuda::testing::address(memory);
  texture.image.width = 8, texture.image.height = 4, texture.image.depth = 3;
  texture.image.pitch = 32, texture.image.slice = 128;
  texture.image.shape = cuda::ImageShape::k2dLayered;
  EXPECT_EQ(gpu.device.add_texture(texture), 1U);
  texture.is_surface = true;
  EXPECT_EQ(gpu.device.add_texture(texture), 2U);
  const cuda::Fault fault = gpu.launch("k", {}, cuda::testing::address(out),
                                       cuda::testing::address(out), 5U, std::uint64_t{77});
  EXPECT_EQ(fault.text, "");
  Ran ran;
  for (const Record& each : recorder.take()) {
    const bool is_image = each.which() == Hook::kTexture || each.which() == Hook::kSurface;
    if (is_image) ran.records.push_back(each);
  }
  ran.texels.assign(memory, memory + kTexels);
  return ran;
}
ImageHow how_of(const Record& record) {
  return ImageHow::of(static_cast<std::uint32_t>(record.arguments[3]));
}
What what_of(const Record& record) {
  return What::of(static_cast<std::uint32_t>(record.arguments[2]));
}
std::uint64_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

TEST(WeaveImages, TexturesByHandleAndCoordinates) {
  for (const std::uint32_t splice : {0U, 1000U}) {
    const Ran ran = run(
        "mov.u32 %r1, 2; mov.f32 %f1, 0f40200000;"
        "tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {%r1, %f1, 0f3F800000, 0f00000000}];"
        "setp.ne.u32 %p1, 0, 0; @%p1 tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%l1, {1, 7, 3, 0}];"
        "@!%p1 tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%l1, {%r1, %r1, 3, 0}];"
        "tld4.r.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%l1, {0, 0f3F800000, 0f3F800000, "
        "0f00000000}];",
        splice);
    ASSERT_EQ(ran.records.size(), 3U);
    const Record& first = ran.records[0];
    EXPECT_EQ(first.arguments[0], 1U);
    EXPECT_EQ(how_of(first), (ImageHow{.shape = cuda::ImageShape::k2dLayered}));
    EXPECT_EQ(what_of(first).deed, Deed::kRead);
    EXPECT_EQ(first.arguments[4], bits(2.5F));  // as it was before the fetch
    EXPECT_EQ(first.arguments[5], bits(1));
    EXPECT_EQ(first.arguments[7], 2U);  // the layer
    const Record& whole = ran.records[1];
    EXPECT_TRUE(how_of(whole).is_whole);
    EXPECT_EQ(whole.arguments[4], 2U);
    EXPECT_EQ(whole.arguments[5], 3U);
    EXPECT_TRUE(how_of(ran.records[2]).gathers);
  }
}

TEST(WeaveImages, SurfacesWithTheirBytesAndValues) {
  const Ran ran =
      run("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.f32 %f1, 0f40000000;"
          "sust.b.a2d.v2.b32.trap [%l2, {%r1, 8, %r2, 0}], {%f1, 7};"
          "suld.b.a2d.b32.clamp %r3, [%l2, {%r1, 100, %r2, 0}];"
          "sured.b.add.a2d.u32.zero [%l2, {%r1, 4, 9, 0}], %r2;"
          "sust.p.a2d.b32.trap [%l2, {0, 3, 0, 0}], {%f1};");
  ASSERT_EQ(ran.records.size(), 4U);
  const Record& store = ran.records[0];
  EXPECT_EQ(store.arguments[0], 2U);
  EXPECT_EQ(what_of(store).deed, Deed::kWrite);
  EXPECT_EQ(what_of(store).bytes, 8U);
  EXPECT_EQ(store.arguments[4], 8U);
  EXPECT_EQ(store.arguments[5], 2U);
  EXPECT_EQ(store.arguments[6], 1U);  // the layer
  EXPECT_EQ(store.arguments[7], std::uint64_t{7} << 32 | bits(2));
  EXPECT_EQ(ran.texels[32 + 2 * 8 + 2], 2.0F);
  EXPECT_EQ(how_of(ran.records[1]).boundary, cuda::Boundary::kClamp);
  EXPECT_EQ(what_of(ran.records[1]).bytes, 4U);
  EXPECT_EQ(what_of(ran.records[2]).deed, Deed::kAtomicRmw);
  EXPECT_EQ(what_of(ran.records[2]).order, Order::kRelaxed);
  EXPECT_EQ(how_of(ran.records[2]).boundary, cuda::Boundary::kZero);
  EXPECT_TRUE(how_of(ran.records[3]).is_formatted);
  EXPECT_EQ(what_of(ran.records[3]).bytes, 0U);  // an element
}

Kernel kernel_of(const std::string& body, const std::string& before = "") {
  const Result<ptx::Module> module = ptx::parse("test.ptx", cuda::testing::kernel(body, before));
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return {};
  const std::string runtime = testing::quiet_runtime();
  Result<Rewritten> made = rewrite(*module, {.runtime = runtime, .versions = true});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made && !made->kernels.empty() ? made->kernels[0] : Kernel();
}

constexpr char kFetch[] = "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%in, {%i}];";
constexpr char kStore[] =
    "mul.wide.u32 %l1, %i, 4; add.s64 %l2, %out, %l1; st.global.u32 [%l2], %r1;";

TEST(WeaveImages, OnlyObjectsAreTold) {
  EXPECT_EQ(kernel_of(kFetch).why, "");
  EXPECT_NE(kernel_of("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [image, {%i}];",
                      ".global .texref image;\n")
                .why.find("references"),
            std::string::npos);
}

TEST(WeaveImages, WhatIsUnderATextureIsToldInFull) {
  const Kernel kernel = kernel_of(std::string(kFetch) + kStore);
  EXPECT_TRUE(kernel.reads_textures);
  ASSERT_TRUE(kernel.proof.is_possible);
  const std::uint64_t out = 0x10000;
  std::vector<std::byte> parameters(kernel.launch_offset);
  std::memcpy(parameters.data(), &out, sizeof(out));
  const prove::Facts facts{.sizes = {.threads = {32, 1, 1}, .blocks = {2, 1, 1}},
                           .parameters = parameters,
                           .variables = {}};
  const auto allocation = [&](std::uint64_t) { return out; };
  const auto ask = [&](const HasTexture& has_texture) {
    return choose(kernel, facts, allocation, {}, has_texture);
  };
  EXPECT_EQ(ask([](std::uint64_t) { return false; }), Version::kPlain);
  EXPECT_EQ(ask([&](std::uint64_t each) { return each == out; }), Version::kFull);
  EXPECT_EQ(ask({}), Version::kFull);
  Kernel without = kernel;
  without.reads_textures = false;
  EXPECT_EQ(choose(without, facts, allocation, {}), Version::kPlain);
}

TEST(WeaveImages, KernelsThatWriteSurfacesHaveNoProof) {
  EXPECT_TRUE(kernel_of("suld.b.1d.b32.trap %r1, [%in, {%i}];").proof.is_possible);
  EXPECT_FALSE(kernel_of("sust.b.1d.b32.trap [%in, {%i}], {%i};").proof.is_possible);
  EXPECT_FALSE(kernel_of("sured.b.add.1d.u32.trap [%in, {%i}], %i;").proof.is_possible);
}

}  // namespace
}  // namespace redflag::rewrite
