// Events to a raw event block, the inverse of decode.h. Holds one block.
//
// Slots are found by thread number in a small hash table with open addressing, at most half full;
// only the entries used by a block are cleared after it.
#pragma once

#include <span>
#include <vector>

#include "core/trace/format.h"

namespace redflag::rft {

// Events the writer puts in a block: small enough for raw block and events to stay in a core's
// cache between decompression, decoding and detection.
inline constexpr std::uint32_t kEventsPerBlock = 1u << 14;

class BlockEncoder {
 public:
  BlockEncoder();

  // The event must be faultless (validate.h), the block not full.
  void add(const Event& event);

  std::uint32_t count() const { return count_; }
  bool is_full() const { return count_ == kEventsPerBlock; }
  std::span<const std::uint8_t> raw() const { return {buffer_.data(), used_}; }

  // Starts the next block: nothing is predicted from this one.
  void clear();

 private:
  Slot* change_thread(ThreadId thread, std::uint8_t*& p);

  std::vector<std::uint8_t> buffer_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> table_;  // slot + 1; 0: free
  std::vector<std::uint32_t> taken_;  // where in table_ each slot is
  Slot* slot_ = nullptr;              // of the last event
  std::size_t used_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace redflag::rft
