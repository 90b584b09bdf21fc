// What CURD knows of a block that runs: the sets of its threads since the last barrier, by warp,
// and the sets of the block since it began.
//
// Thread sets are apart for reads and writes, for atomics that read and that write, and for shared
// and global memory. States are used again for other blocks, of this launch and of later ones
// ("Metadata Reuse Across Kernel Launches" in section 6.2): what they hold is cleared by counts, and
// no memory is given back before the detector ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/detect/gpu/curd/compress.h"

namespace redflag::gpu::curd {

enum class Side : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };
inline constexpr std::size_t kSideCount = 4;
inline constexpr std::size_t kSpaceCount = 2;  // by gpu::Space
constexpr bool writes(Side side) {
  return side == Side::kWrite || side == Side::kAtomicWrite;
}
constexpr bool is_atomic(Side side) {
  return side == Side::kAtomicRead || side == Side::kAtomicWrite;
}
constexpr std::size_t index_of(Side side) {
  return static_cast<std::size_t>(side);
}

// A stripe with its memory.
class StripeStore {
 public:
  explicit StripeStore(std::pmr::memory_resource* memory) : rows_(memory), begins_(memory) {}

  Stripe& stripe() { return stripe_; }
  const Stripe& stripe() const { return stripe_; }
  bool empty() const { return stripe_.count == 0; }
  void make_room() {
    if (stripe_.count == rows_.size()) grow(rows_, stripe_.rows);
    if (stripe_.scattered == begins_.size()) grow(begins_, stripe_.begins);
  }
  void clear() { stripe_.count = stripe_.scattered = 0; }
  // Bounded search leaves rows that could be one. Once there are very many, they are sorted and
  // those that touch merged; where that does not halve them, the next time is later.
  bool is_crowded() const { return stripe_.count >= crowd_; }
  void thin_out();
  // Keeps of each row the lanes that `lanes(row)` names, marked as kept.
  template <typename F>
  void keep(F lanes) {
    std::uint32_t kept = 0, scattered = 0;
    for (std::uint32_t i = 0; i < stripe_.count; ++i) {
      Row row = stripe_.rows[i];
      row.lanes &= lanes(row);
      if (row.lanes == 0) continue;
      row.kept = true;
      if (row.scattered != 0) {
        stripe_.begins[scattered] = stripe_.begins[row.scattered - 1];
        row.scattered = ++scattered;
      }
      stripe_.rows[kept++] = row;
    }
    stripe_.count = kept;
    stripe_.scattered = scattered;
  }
  std::size_t bytes() const { return rows_.size() * sizeof(Row) + begins_.size() * sizeof(Begins); }

 private:
  template <typename T>
  void grow(std::pmr::vector<T>& of, T*& view) {
    of.resize(of.empty() ? 4 : of.size() * 2);
    view = of.data();
  }
  static constexpr std::uint32_t kCrowd = 512;
  std::pmr::vector<Row> rows_;
  std::pmr::vector<Begins> begins_;
  Stripe stripe_;
  std::uint32_t crowd_ = kCrowd;
};

struct WarpSets {
  explicit WarpSets(std::pmr::memory_resource* memory)
      : stores{{{StripeStore(memory), StripeStore(memory)},
                {StripeStore(memory), StripeStore(memory)},
                {StripeStore(memory), StripeStore(memory)},
                {StripeStore(memory), StripeStore(memory)}}} {}

  StripeStore& of(Side side, std::size_t space) { return stores[index_of(side)][space]; }
  // Lanes of a row that no later sync of the warp orders: they ended before it.
  LaneMask left_at(const Row& row) const {
    LaneMask out = 0;
    for (LaneMask rest = row.lanes & ended; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      if (ended_at[lane] == row.epoch) out |= LaneMask{1} << lane;
    }
    return out;
  }

  std::array<std::array<StripeStore, kSpaceCount>, kSideCount> stores;
  LaneMask lanes = 0;  // that there are
  LaneMask ended = 0;
  std::uint32_t epoch = 0;
  std::array<std::uint32_t, kLanes> ended_at{};  // epochs, of `ended`
};

inline constexpr unsigned kBarriers = 16;  // of a block

struct BlockState {
  explicit BlockState(std::pmr::memory_resource* memory)
      : warps(memory),
        sets{std::pmr::vector<Region>(memory), std::pmr::vector<Region>(memory),
             std::pmr::vector<Region>(memory), std::pmr::vector<Region>(memory)} {}

  bool used(Side side, std::size_t space) const {
    return (in_use >> (index_of(side) * kSpaceCount + space) & 1) != 0;
  }
  void use(Side side, std::size_t space) {
    in_use |= static_cast<std::uint8_t>(1U << (index_of(side) * kSpaceCount + space));
  }

  std::uint64_t block = 0;
  std::uint32_t ordinal = 0;  // of blocks of the launch, in the order of their beginnings
  std::uint32_t live = 0;     // warps
  std::uint8_t in_use = 0;    // sides and spaces that have rows
  std::pmr::vector<WarpSets> warps;
  std::array<std::pmr::vector<Region>, kSideCount> sets;  // BRS, BWS and those of atomics
  std::array<std::uint32_t, kBarriers> passed{};          // rounds of each barrier
};

}  // namespace redflag::gpu::curd
