// The shadow entry of figure 5.10: 28 bytes of the paper's, bit by bit, and the padding.
#include "core/detect/gpu/barracuda/shadow_entry.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace redflag::gpu::barracuda {
namespace {

using Words = std::array<std::uint32_t, 8>;
Words words_of(const ShadowEntry& entry) {
  Words words{};
  static_assert(sizeof(words) == sizeof(entry));
  std::memcpy(words.data(), &entry, sizeof(entry));
  return words;
}
ShadowEntry entry_of(const Words& words) {
  ShadowEntry entry;
  std::memcpy(static_cast<void*>(&entry), words.data(), sizeof(entry));
  return entry;
}

TEST(BarracudaEntry, NewIsAllZero) {
  EXPECT_EQ(words_of(ShadowEntry{}), Words{});
}

TEST(BarracudaEntry, EveryFieldHasItsBits) {
  ShadowEntry e;
  e.write = {0x11111111, 0x22222222};
  e.read = {0x33333333, 0x44444444};
  e.others = reinterpret_cast<History*>(std::uintptr_t{0x0000666655555550});
  e.mates = 0x77777777;
  EXPECT_EQ(words_of(e), (Words{0x11111111, 0x22222222, 0x33333333, 0x44444444, 0x55555550,
                                0x00006666, 0, 0x77777777}));
  const auto flags = [](auto set) {
    ShadowEntry one;
    set(one);
    return words_of(one)[6];
  };
  EXPECT_EQ(flags([](ShadowEntry& x) { x.lock = 0xFF; }), 0x000000FFU);
  EXPECT_EQ(flags([](ShadowEntry& x) { x.atomic = 1; }), 0x00000100U);
  EXPECT_EQ(flags([](ShadowEntry& x) { x.shared = 1; }), 0x00000200U);
  EXPECT_EQ(flags([](ShadowEntry& x) { x.sync = 1; }), 0x00000400U);
  EXPECT_EQ(flags([](ShadowEntry& x) { x.in_shared_memory = 1; }), 0x00000800U);
  EXPECT_EQ(flags([](ShadowEntry& x) { x.site = 0xFFFFF; }), 0xFFFFF000U);
}

TEST(BarracudaEntry, ReadBack) {
  const ShadowEntry e = entry_of({1, 2, 3, 4, 0, 0, 0xABCDE5A7, 0xF0F0F0F0});
  EXPECT_EQ(e.write, (Epoch{1, 2}));
  EXPECT_EQ(e.read, (Epoch{3, 4}));
  EXPECT_EQ(e.lock, 0xA7U);
  EXPECT_EQ(e.atomic, 1U);
  EXPECT_EQ(e.shared, 0U);
  EXPECT_EQ(e.sync, 1U);
  EXPECT_EQ(e.in_shared_memory, 0U);
  EXPECT_EQ(e.site, 0xABCDEU);
  EXPECT_EQ(e.mates, 0xF0F0F0F0U);
}

TEST(BarracudaEntry, SitesThatDoNotFitAreUnknown) {
  EXPECT_EQ(kept_site(0xFFFFF), 0xFFFFFU);
  EXPECT_EQ(kept_site(0x100000), 0U);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
