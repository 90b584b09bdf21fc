// What a rank has attached to a dynamic window: a table of regions that others can read as it is, in one piece of memory.
//
// Regions that were detached stay in it until their room is needed, or they are attached again: "it was detached" is another
// mistake than "it was never attached".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace redflag::pgas {

struct AttachedRegion {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t is_attached = 0;
};

// All zero: nothing is attached.
struct AttachedTable {
  static constexpr std::size_t kRoom = 1024;
  std::uint64_t is_too_small = 0;
  std::uint64_t count = 0;
  std::array<AttachedRegion, kRoom> regions;

  void attach(std::uint64_t begin, std::uint64_t end);
  void detach(std::uint64_t begin);
};

enum class Reach : std::uint8_t { kAttached, kBeyond, kDetached, kNever, kUnknown };
// Of the bytes [begin, end). They may be in several regions, if these touch.
Reach reach_of(std::span<const AttachedRegion> regions, std::uint64_t begin, std::uint64_t end);

}  // namespace redflag::pgas
