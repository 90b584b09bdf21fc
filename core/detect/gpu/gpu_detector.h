// GpuDetector: what consumes steps of kernels and finds races. The table of them is gpu_registry.h.
//
// To make a new one: a folder here with a header that says the idea and its limits; a class derived
// from this one; a row in kGpuDetectors. Steps come in order, from one thread at a time
// (core/model/gpu.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detect/gpu/gpu_race.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

class GpuDetector : public Sink {
 public:
  virtual std::vector<GpuRace> races() const = 0;  // in the order of their first appearance
  virtual std::uint64_t dropped() const = 0;       // distinct races beyond the most that are kept
  virtual std::size_t metadata_bytes() const = 0;  // now
  virtual std::vector<Counter> stats() const = 0;  // for --stats, in the order to print them
};

}  // namespace redflag::gpu
