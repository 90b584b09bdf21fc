// Handle: the 32-bit word that SlimFast keeps for a granule: the name of an immutable history.
//
// The two top bits say of which form the history is; zero is "never accessed". Pair handles are
// numbered so that a thread's epoch owns consecutive ones: the first, `base`, is "written by me in
// this epoch" (W_t); the others, up to the end of their line of eight, are "read by me in this
// epoch, last written at w" (S_t). `room` is how many there are from base to the end of the line.
// So the two tests that decide most accesses need nothing but the handle and the thread's state:
//
//   same-epoch write:  h == base          same-epoch read:  h - base < room
#pragma once

#include <cstdint>

namespace redflag::slimfast {

enum class Handle : std::uint32_t {};

enum class Form : std::uint32_t {
  kPair,    // EpochPair: last write, last read
  kShared,  // EpochPlusVC: last write, reads of several threads
  kMixed,   // atomics too (shadow/mixed_history.h)
  kSplit,   // the granule's bytes differ: one handle per byte
};

inline constexpr std::uint32_t kIndexBits = 30;
inline constexpr std::uint32_t kLineSize = 8;
inline constexpr Handle kNone{0};
// The epoch has no handles yet: none in use is equal to it or among those that follow.
inline constexpr std::uint32_t kNoBase = 0xfffffff8U;

// Stands in every cell of a page that is kept as pairs (pair_page.h); no split has this number.
inline constexpr Handle kInPairs{0xffffffffU};

constexpr std::uint32_t bits(Handle h) {
  return static_cast<std::uint32_t>(h);
}
constexpr Form form(Handle h) {
  return Form{bits(h) >> kIndexBits};
}
constexpr std::uint32_t index(Handle h) {
  return bits(h) & ((1U << kIndexBits) - 1);
}
constexpr Handle make_handle(Form f, std::uint32_t i) {
  return Handle{static_cast<std::uint32_t>(f) << kIndexBits | i};
}
static_assert(sizeof(Handle) == 4);
static_assert(form(make_handle(Form::kSplit, 5)) == Form::kSplit);

}  // namespace redflag::slimfast
