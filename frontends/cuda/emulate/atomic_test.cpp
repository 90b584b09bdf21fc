// Atomics of 16 bytes and of vectors. The others are in memory_test.cpp.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::Keeper;
using testing::kernel;

// One warp adds vectors: each element is a sum of its own, also with workers that must not lose any.
TEST(VectorAtomics, AddEachElement) {
  struct Row {
    const char* instruction;
    unsigned bytes;                     // of one element
    std::vector<std::uint64_t> before;  // elements
    std::vector<std::uint64_t> after;   // of 64 lanes in two blocks
  };
  const Row rows[] = {
      {"red.global.add.v2.f32 [%out], {%f1, %f2};", 4, {0, 0x3f800000}, {0x42800000, 0x43010000}},
      {"red.global.add.v4.f32 [%out], {%f1, %f2, %f1, %f2};",
       4,
       {0, 0, 0, 0x3f800000},
       {0x42800000, 0x43000000, 0x42800000, 0x43010000}},
      {"atom.global.add.v2.f32 {%f3, %f4}, [%out], {%f1, %f2};",
       4,
       {0, 0},
       {0x42800000, 0x43000000}},
      {"red.global.add.noftz.v2.f16x2 [%out], {%r1, %r2};", 4, {0, 0}, {0x54005400, 0x58005800}},
      {"red.global.add.noftz.v4.f16 [%out], {%h1, %h2, %h1, %h2};",
       2,
       {0, 0, 0, 0},
       {0x5400, 0x5800, 0x5400, 0x5800}},
      {"red.global.add.noftz.v2.bf16x2 [%out], {%r3, %r3};", 4, {0, 0}, {0x42804280, 0x42804280}},
      {"red.global.max.noftz.v2.f16 [%out], {%h1, %h2};", 2, {0x4400, 0x3c00}, {0x4400, 0x4000}},
  };
  for (const unsigned workers : {1U, 2U}) {
    for (const Row& row : rows) {
      Gpu device(kernel("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.u16 %h1, 0x3c00;"
                        "mov.u16 %h2, 0x4000; mov.u32 %r1, 0x3c003c00; mov.u32 %r2, 0x40004000;"
                        "mov.u32 %r3, 0x3f803f80;\n" +
                        std::string(row.instruction)),
                 {.workers = workers});
      auto* const out = device.array<std::byte>(32);
      for (std::size_t i = 0; i < row.before.size(); ++i) {
        std::memcpy(out + i * row.bytes, &row.before[i], row.bytes);
      }
      const Fault fault =
          device.launch("k", {.grid = {2}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
      ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
      for (std::size_t i = 0; i < row.after.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, out + i * row.bytes, row.bytes);
        EXPECT_EQ(value, row.after[i]) << row.instruction << ' ' << i;
      }
    }
  }
}

TEST(VectorAtomics, AreToldAsOneAccess) {
  Keeper keeper;
  Gpu device(kernel("mul.wide.u32 %l1, %t, 16; add.s64 %l1, %out, %l1; mov.f32 %f1, 0f3F800000;"
                    "atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%l1], {%f1, %f1, %f1, %f1};"),
             {.sink = &keeper});
  auto* const out = device.array<float>(128);
  device.launch("k", {.grid = {1}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
  const auto told = keeper.of(gpu::StepKind::kAtomicRmw);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].size, 16);
  EXPECT_EQ(told[0].addresses[3], address(out) + 48);
}

const std::string kWide = ".reg .b128 %q<4>; mov.b128 %q1, {%l1, %l2};\n";

TEST(WideAtomics, ExchangeAndCompare) {
  for (const unsigned workers : {1U, 2U}) {
    Gpu device(
        kernel("mov.u64 %l1, 11; mov.u64 %l2, 12; mov.u64 %l3, 1; mov.u64 %l4, 2;\n" + kWide +
               R"(
      atom.global.b128.exch %q2, [%out], %q1;
      mov.b128 {%l5, %l6}, %q2;
      st.global.v2.u64 [%out+16], {%l5, %l6};
      mov.b128 %q3, {%l3, %l4};
      atom.global.b128.cas %q2, [%out], %q3, %q3;
      mov.b128 {%l5, %l6}, %q2;
      st.global.v2.u64 [%out+32], {%l5, %l6};
      atom.global.b128.cas %q2, [%out], %q1, %q3;
    )"),
        {.workers = workers});
    auto* const out = device.array<std::uint64_t>(8);
    out[0] = 7;
    out[1] = 8;
    const Fault fault =
        device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
    ASSERT_EQ(fault.kind, FaultKind::kNone) << fault.text;
    const std::uint64_t wanted[] = {1, 2, 7, 8, 11, 12};
    for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(out[i], wanted[i]) << i;
  }
}

TEST(WideAtomics, ThatFailToCompareWriteNothing) {
  Keeper keeper;
  Gpu device(kernel("mov.u64 %l1, 11; mov.u64 %l2, 12;" + kWide +
                    "atom.global.b128.cas %q2, [%out], %q1, %q1; setp.eq.u32 %p1, %t, 0;"),
             {.sink = &keeper});
  auto* const out = device.array<std::uint64_t>(2);
  device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
  const auto told = keeper.of(gpu::StepKind::kAtomicRmw);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].size, 16);
  EXPECT_EQ(told[0].wrote, 0U);
  EXPECT_EQ(told[0].op, gpu::RmwOp::kCompareSwap);
}

TEST(WideAtomics, MustBeAligned) {
  Gpu device(kernel("mov.u64 %l1, 1; mov.u64 %l2, 2;" + kWide +
                    "atom.global.b128.exch %q2, [%out+8], %q1;"));
  auto* const out = device.array<std::uint64_t>(4);
  const Fault fault =
      device.launch("k", {.grid = {1}, .block = {1}}, address(out), std::uint64_t{0}, 0U);
  EXPECT_EQ(fault.kind, FaultKind::kMisaligned) << fault.text;
}

}  // namespace
}  // namespace redflag::cuda
