// The hot loop of reading a trace: one raw event block to an array of events.
//
// Every field's length stands in the control word, so the loop has no data-dependent branch on the
// way of a plain access: it loads eight bytes, masks them by the length code and steps on. Lengths
// add up to at most kMaxEventBytes and the buffer is padded by more, so reading stays inside it as
// long as each event starts inside the block, which is the one bounds check per event. All values
// are checked here, against tables made from kEventKinds; nothing that passes is refused by
// event_fault (validate.h), and a test holds the two together.
//
// No allocation, no state between blocks. Budget: 6 ns per event beside decompression
// (decode_bench.cpp).
#pragma once

#include <span>

#include "core/trace/format.h"

namespace redflag::rft {

struct DecodeFault {
  const char* what = nullptr;  // nullptr: decoded
  std::uint32_t event = 0;     // in the block, from 0
  std::size_t byte = 0;        // in the raw block; where the event starts
};

// Decodes out.size() events, which must fill raw[0, raw_bytes) exactly. raw has kPadding more
// readable bytes; `slots` has room for as many slots as events. `version`: the file's, 1 to kVersion.
DecodeFault decode_events(const std::uint8_t* raw, std::size_t raw_bytes, std::span<Slot> slots,
                          std::span<Event> out, unsigned version = kVersion);

}  // namespace redflag::rft
