// View: what a check needs to know of the thread that accesses.
//
// Written by its thread only. `clocks` is the thread's vector clock by slot (clock.h), its own entry
// included; a slot beyond `slots` is one that the thread knows nothing of.
#pragma once

#include <cstdint>

#include "core/live/columns.h"
#include "core/live/entry.h"
#include "core/live/epochs.h"

namespace redflag::live {

// Never equal to a cell's entry: no check of such a thread is settled without a call.
inline constexpr Entry kNobody = kMixed | kBytes;

struct View {
  Entry me = kNobody;    // the present epoch, with all bytes: what is compared with W and R
  bool stamped = false;  // a cell or a column names the present epoch
  std::uint32_t slots = 0;
  const std::uint64_t* clocks = nullptr;
  Column* column = nullptr;          // of the thread's slot
  ColumnEntry* last_read = nullptr;  // where the last read of shared bytes is noted

  // Is the access in this entry ordered before the thread's next one?
  [[gnu::always_inline]] bool covers(const Epochs& epochs, Entry e) const {
    if (((e ^ me) & kEpoch) == 0) return true;
    const Epochs::Block& b = epochs.block(e);
    return b.slot < slots && clocks[b.slot] >= b.first + Epochs::place(e);
  }
};

}  // namespace redflag::live
