// The entry has exactly the paper's bits, each half in a word of its own.
#include "core/detect/gpu/iguard/entry.h"

#include <gtest/gtest.h>

#include <bit>

namespace redflag::gpu::iguard {
namespace {

std::uint64_t bits(const Writer& w) {
  return std::bit_cast<std::uint64_t>(w);
}
std::uint64_t bits(const Accessor& a) {
  return std::bit_cast<std::uint64_t>(a);
}

TEST(IguardEntry, BitsOfTheWriter) {
  const auto one = [](auto set) {
    Writer w;
    set(w);
    return bits(w);
  };
  EXPECT_EQ(one([](Writer& w) { w.locks = 0xFF; }), 0xFFU);
  EXPECT_EQ(one([](Writer& w) { w.warp_barrier = 0x3F; }), std::uint64_t{0x3F} << 8);
  EXPECT_EQ(one([](Writer& w) { w.block_barrier = 0xFF; }), std::uint64_t{0xFF} << 14);
  EXPECT_EQ(one([](Writer& w) { w.block_fence = 0x3F; }), std::uint64_t{0x3F} << 22);
  EXPECT_EQ(one([](Writer& w) { w.device_fence = 0x3F; }), std::uint64_t{0x3F} << 28);
  EXPECT_EQ(one([](Writer& w) { w.lane = 31; }), std::uint64_t{31} << 34);
  EXPECT_EQ(one([](Writer& w) { w.warp = 0x7FFF; }), std::uint64_t{0x7FFF} << 39);
  EXPECT_EQ(one([](Writer& w) { w.device_shared = 1; }), std::uint64_t{1} << 58);
  EXPECT_EQ(one([](Writer& w) { w.block_shared = 1; }), std::uint64_t{1} << 59);
  EXPECT_EQ(one([](Writer& w) { w.block_scope = 1; }), std::uint64_t{1} << 60);
  EXPECT_EQ(one([](Writer& w) { w.is_atomic = 1; }), std::uint64_t{1} << 61);
  EXPECT_EQ(one([](Writer& w) { w.modified = 1; }), std::uint64_t{1} << 62);
  EXPECT_EQ(one([](Writer& w) { w.valid = 1; }), std::uint64_t{1} << 63);
}

TEST(IguardEntry, BitsOfTheAccessor) {
  Accessor a;
  a.tag = 1023;
  EXPECT_EQ(bits(a), std::uint64_t{1023} << 54);
  a.tag = 0;
  a.warp = 0x7FFF;
  a.lane = 31;
  EXPECT_EQ(bits(a), std::uint64_t{0xFFFFF} << 34) << "a thread of the grid, in 20 bits";
}

TEST(IguardEntry, TheFilterIsInBothWords) {
  Entry e;
  e.set_locks(0x1234);
  EXPECT_EQ(e.writer.locks, 0x12U);
  EXPECT_EQ(e.accessor.locks, 0x34U);
  EXPECT_EQ(e.locks(), 0x1234U);
}

TEST(IguardEntry, NewOnesAreNotValid) {
  EXPECT_EQ(bits(Entry{}.writer), 0U);
  EXPECT_EQ(bits(Entry{}.accessor), 0U);
}

}  // namespace
}  // namespace redflag::gpu::iguard
