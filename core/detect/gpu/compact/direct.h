// compact's direct cells: a Cell for each word of memory at a fixed place, with a stamp in place of bytes.
//
// Where it is known, when a kernel is launched, into which allocations those of its accesses lead that may race, and all
// of them are of whole words, lines (line.h) and their look-up are not needed: each word has the last write and the last
// read at a place that follows from its address. The bytes of a Word say nothing then. They are the
// launch's stamp, so that nothing is cleared between launches: a word with another stamp is empty. Rules
// (rules.h) see words without stamps, of all four bytes.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/word.h"
#include "core/detect/gpu/portable.h"

namespace redflag::gpu::compact {

struct Direct {
  static constexpr unsigned kStampAt = 57;
  static constexpr std::uint64_t kStampBits = std::uint64_t{15} << kStampAt;
  static constexpr std::uint32_t kLastStamp = 15;

  std::uint32_t stamp = 0;  // 0: words have none, and are as they are

  // As rules have it.
  REDFLAG_HD constexpr Word take(std::uint64_t bits) const {
    if (stamp == 0) return {bits};
    return Word{bits}.bytes() == stamp ? Word{bits | kStampBits} : Word{};
  }
  // As the cell has it.
  REDFLAG_HD constexpr std::uint64_t put(Word word) const {
    if (stamp == 0 || !word) return word.bits;
    return (word.bits & ~kStampBits) | std::uint64_t{stamp} << kStampAt;
  }
};
static_assert(Word::of(Kind::kPlain, 15, 0, {}).bits ==
              (Direct::kStampBits | Word::of(Kind::kPlain, 0, 0, {}).bits));
static_assert(kByteBits == 4);

}  // namespace redflag::gpu::compact
