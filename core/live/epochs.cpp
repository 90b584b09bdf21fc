#include "core/live/epochs.h"

namespace redflag::live {

Entry Epochs::take(Epoch first) {
  const Guard guard(lock_);
  std::uint32_t i = free_;
  if (i != 0) {
    free_ = blocks_[i].unused;
  } else if (next_ < kBlocks) {
    i = next_++;
  } else {
    return 0;
  }
  left_.store(free_count() - 1, std::memory_order_relaxed);
  blocks_[i] = {first.clock(), static_cast<std::uint32_t>(first.slot()), 0};
  return i << (kEpochShift + kPlaceBits);
}

}  // namespace redflag::live
