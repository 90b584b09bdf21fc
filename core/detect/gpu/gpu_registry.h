// All detectors for GPU kernels, in one table. The emulator's runtime library, 'redflag run',
// 'redflag replay', help and tests read it. `ptx_model` is the oracle; the others are those of the
// papers, with the limits that docs/how/gpu-detectors.md lists.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string_view>

#include "core/detect/gpu/gpu_detector.h"
#include "core/detect/gpu/gpu_limits.h"
#include "core/detect/gpu/ptx_model.h"

namespace redflag::gpu {

struct GpuDetectorOptions {
  Strictness strictness = Strictness::kCuda;        // ptx_model
  Convergence convergence = Convergence::kByLevel;  // ptx_model
  unsigned granularity = 4;                         // scord, iguard: bytes of a unit of memory
  bool metadata_cache = true;                       // scord
  unsigned accessors = 1;                           // iguard: how many are kept, 1, 2, 4 or 8
  bool eager = false;                               // curd: blocks are compared at each barrier
  std::size_t most_races = 1000;                    // distinct ones
  std::function<void(const GpuRace&)> on_race{};    // at the first of its kind; may be empty
  std::pmr::memory_resource* memory = nullptr;  // the papers' detectors; nullptr: the standard one
};

struct GpuDetectorInfo {
  std::string_view name;
  std::string_view summary;
  bool precise;  // reports no ordered pair, and a race on every byte that has one
  std::unique_ptr<GpuDetector> (*make)(const GpuDetectorOptions&);
  GpuLimits limits{};
};

inline constexpr std::size_t kGpuDetectorCount = 5;
extern const std::array<GpuDetectorInfo, kGpuDetectorCount> kGpuDetectors;
inline constexpr std::string_view kDefaultGpuDetector = "ptx_model";

const GpuDetectorInfo* find_gpu_detector(std::string_view name);  // nullptr: no such

}  // namespace redflag::gpu
