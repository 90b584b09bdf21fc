// compact's metadata: an access in 64 bits, and the cell of a unit of memory.
//
// The detector that runs inside a GPU keeps for four bytes the last write and the last read. A word
// says what it was (3 bits), which of the four bytes (4), where in the code (15), by which block (18),
// warp (5) and lane (5), and when by the warp's own time (14), which goes on when something could
// order the warp with others. Cells are of one launch; the line that they belong to says which
// (line.h), so that memory is not cleared between launches.
//
// iGUARD (SOSP'21, figure 4) has two words too, but neither site; HiRace (2024) has one.
// Limits: several readers are one of them and a mark (kBlockReaders, kGridReaders); of writers of
// different bytes of a unit the last one is kept. Blocks whose numbers are 2^18 apart are taken for
// one; a block is not checked any further when its time ends.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"

namespace redflag::gpu::compact {

inline constexpr unsigned kUnit = 4;  // bytes that have a cell
inline constexpr unsigned kKindBits = 3, kByteBits = 4, kSiteBits = 15, kBlockBits = 18;
inline constexpr unsigned kWarpBits = 5, kLaneBits = 5, kTimeBits = 14;
static_assert(kKindBits + kByteBits + kSiteBits + kBlockBits + kWarpBits + kLaneBits + kTimeBits ==
              64);
inline constexpr std::uint32_t kLastTime = (1U << kTimeBits) - 1;
inline constexpr std::uint32_t kBlockMask = (1U << kBlockBits) - 1;

enum class Kind : std::uint8_t {
  kNone,
  kPlain,         // of one thread
  kAtomic,        // of one thread, its scope the device
  kBlockAtomic,   // the same, its scope the block
  kBlockReaders,  // reads of several threads of one block, the named one among them
  kGridReaders,   // of several blocks
  kCopy,          // of an asynchronous copy that the thread started
};

// Who and when, apart from a place in memory.
struct Epoch {
  std::uint32_t block = 0;  // as wide as in the word
  std::uint32_t warp = 0;   // in its block
  std::uint32_t lane = 0;
  std::uint32_t time = 0;
  bool is_copy = false;    // what the thread did then is done some time later
  bool is_atomic = false;  // behind a fence at the same time, it publishes itself

  friend constexpr bool operator==(const Epoch&, const Epoch&) = default;
};

struct Word {
  std::uint64_t bits = 0;

  REDFLAG_HD static constexpr Word of(Kind kind, std::uint32_t bytes, std::uint32_t site,
                                      const Epoch& at) {
    return {static_cast<std::uint64_t>(kind) << 61 | std::uint64_t{bytes & 15} << 57 |
            std::uint64_t{site & ((1U << kSiteBits) - 1)} << 42 | std::uint64_t{at.block} << 24 |
            std::uint64_t{at.warp} << 19 | std::uint64_t{at.lane} << 14 | at.time};
  }
  REDFLAG_HD constexpr Kind kind() const { return static_cast<Kind>(bits >> 61); }
  REDFLAG_HD constexpr std::uint32_t bytes() const { return field<kByteBits>(57); }
  REDFLAG_HD constexpr std::uint32_t site() const { return field<kSiteBits>(42); }
  REDFLAG_HD constexpr Epoch epoch() const {
    return {field<kBlockBits>(24), field<kWarpBits>(19),  field<kLaneBits>(14),
            field<kTimeBits>(0),   kind() == Kind::kCopy, is_atomic()};
  }
  REDFLAG_HD constexpr bool is_atomic() const {
    return kind() == Kind::kAtomic || kind() == Kind::kBlockAtomic;
  }
  REDFLAG_HD constexpr Word as(Kind kind) const {
    return {(bits & ~(std::uint64_t{7} << 61)) | static_cast<std::uint64_t>(kind) << 61};
  }
  REDFLAG_HD constexpr explicit operator bool() const { return bits != 0; }
  friend constexpr bool operator==(const Word&, const Word&) = default;

 private:
  template <unsigned Bits>
  REDFLAG_HD constexpr std::uint32_t field(unsigned at) const {
    return static_cast<std::uint32_t>(bits >> at & ((std::uint64_t{1} << Bits) - 1));
  }
};
static_assert(sizeof(Word) == 8);

struct Cell {
  Word write;
  Word read;
};
static_assert(sizeof(Cell) == 16);

}  // namespace redflag::gpu::compact
