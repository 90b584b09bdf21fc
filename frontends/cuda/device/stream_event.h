// StreamEvent: a record of the queue, unpacked: what some lanes of a warp told by one hook.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/gpu.h"
#include "frontends/cuda/device/stream_ring.h"

namespace redflag::device {

struct StreamEvent {
  Hook hook = Hook::kEnter;
  gpu::Lanes lanes = 0;
  std::uint32_t warp = 0;
  std::uint64_t block = 0;
  std::uint32_t launch = 0;
  std::uint32_t site = 0;
  What what;
  std::uint32_t argument = 0;
  bool has_values = false;
  // Valid where `lanes` has the bit.
  std::uint64_t address[gpu::kWarp] = {};  // as in records
  std::uint64_t source[gpu::kWarp] = {};
  std::uint64_t value[gpu::kWarp] = {};
};

inline std::uint32_t launch_of(std::span<const std::uint64_t> record) {
  return static_cast<std::uint32_t>(record[3]);
}

// The words of one record. False: they are none.
bool unpack(std::span<const std::uint64_t> record, StreamEvent& event);

}  // namespace redflag::device
