// compact on the host: what lines of the device say of a range of memory.
//
// Lines of 2 MiB lie together, so a range is a few reads; cells are read where a line has some.
#pragma once

#include <cstdint>
#include <functional>

#include "core/detect/gpu/compact/word.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

struct Scan {
  DeviceMemory& memory;
  std::uint64_t chunks = 0;  // as in State
  std::uint32_t chunk_count = 0;
  // The lines of the page that begins there; 0: it has none.
  std::function<std::uint64_t(std::uint64_t)> lines_of;
};

struct ScannedWord {
  std::uint64_t address = 0;
  std::uint32_t launch = 0;  // the last bits of its number
  gpu::compact::Word word;
  bool wrote = false;
};

// Accesses of those launches (bit k: whose last bits are k) to words of [from, end).
void scan(const Scan& what, std::uint64_t from, std::uint64_t end, std::uint64_t launches,
          const std::function<void(const ScannedWord&)>& visit);

}  // namespace redflag::device::compact
