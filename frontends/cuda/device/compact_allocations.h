// compact on the host: where the program's allocations begin and end, for kernels that ask (compact_roots.h).
//
// A launch gets the number of a table that is true as long as it runs: 0, if what it reads may be
// written meanwhile by somebody whom it would have to be compared with. That is so unless it is in the default stream of
// a program without non-blocking streams, which everything else of the device waits for. Memory that the host itself has touched,
// which is managed or mapped, is in no table.
//
// A table is made anew when memory was allocated or freed since, where no launch that may still run uses it.
// Limits: more than kTableRanges allocations, or kTables changes without waiting, and launches get none; a
// program that makes its first non-blocking stream, or touches managed memory for the first time,
// while a kernel runs that had a table, may race with what that kernel read, unseen.
#pragma once

#include <cstdint>
#include <map>

#include "core/model/gpu.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

class CompactAllocations {
 public:
  explicit CompactAllocations(DeviceMemory& memory) : memory_(memory) {}

  void host(const gpu::HostStep& step);
  // The number of the table for the launch, kTableAt bits up; `tables`: State::tables.
  std::uint64_t launch_begins(const gpu::Launch& launch, std::uint64_t tables);
  void launch_ends(gpu::LaunchId launch);
  // Nothing else of the device runs beside it.
  bool runs_alone(const gpu::Launch& launch) const;
  // Where the allocation begins that the address is in and that the host has not touched; 0: there is none.
  std::uint64_t find(std::uint64_t address) const;
  // Textures have come or gone: what was asked before is to be asked again.
  void images_changed() { ++version_; }
  // Goes on whenever find() may answer otherwise than before.
  std::uint64_t version() const { return version_; }
  std::uint64_t end_of(std::uint64_t begin) const;  // of an allocation; `begin`: there is none
  std::uint64_t bytes() const { return bytes_; }    // of all

 private:
  struct Range {
    std::uint64_t end = 0;
    bool is_touched = false;  // by the host
  };
  void changed();
  std::uint32_t make(std::uint64_t tables);  // its number; 0: there is no room
  bool is_used(std::uint32_t table) const;

  DeviceMemory& memory_;
  std::map<std::uint64_t, Range> ranges_;          // by begin
  std::map<std::uint32_t, std::uint32_t> tables_;  // of launches that are not known to have ended
  std::uint64_t bytes_ = 0;
  std::uint64_t version_ = 1;
  std::uint32_t last_ = 0;          // the table that was made last; 0: none
  bool is_true_ = false;            // nothing has changed since
  bool has_other_streams_ = false;  // which do not wait for the default stream
};

}  // namespace redflag::device::compact
