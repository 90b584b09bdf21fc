// PairCell: a location's history kept in place, for pages where hardly two locations have the same
// one.
//
// Sharing pays when histories repeat. Where every read makes a new one (fine-grained locks, random
// access), the handle is a detour: one more cache miss per check and one more word per access.
// SlimFast notices (Mode::kDistinct) and keeps such a page as FastTrack would, two epochs per
// granule; what does not fit two epochs (several readers, atomics, split bytes) is still a handle.
// When the program's behaviour turns, the pages become handles again.
#pragma once

#include <cstdint>

#include "core/clock/epoch.h"
#include "core/detect/slimfast/handle.h"

namespace redflag::slimfast {

struct PairCell {
  static constexpr std::uint64_t kHandle = std::uint64_t{1} << 63;  // clocks stay below 2^43

  Epoch write;
  std::uint64_t read = 0;  // an epoch, or kHandle and a handle, and then `write` is unused

  bool has_handle() const { return (read & kHandle) != 0; }
  Handle handle() const { return Handle{static_cast<std::uint32_t>(read)}; }
  Epoch read_epoch() const { return Epoch::from_bits(read); }
  bool empty() const { return !write && read == 0; }
  void set(Epoch w, Epoch r) {
    write = w;
    read = r.bits();
  }
  void set(Handle h) {
    write = Epoch{};
    read = kHandle | bits(h);
  }
};
static_assert(sizeof(PairCell) == 16);

}  // namespace redflag::slimfast
