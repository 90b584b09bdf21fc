// What the user asked for, as the library in the program finds it: in the environment.
//
// REDFLAG_OPTIONS has the options of 'redflag run' that matter here as key=value, the others are
// somebody else's. 'redflag run' adds REDFLAG_CUDA_REPORT, the file that findings go to; without it
// they are printed, and the exit status is set, by the library itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/detect/gpu/gpu_registry.h"

namespace redflag::cuda_report {

inline constexpr const char* kOptionsVariable = "REDFLAG_OPTIONS";
inline constexpr const char* kReportVariable = "REDFLAG_CUDA_REPORT";
inline constexpr const char* kRecordVariable = "REDFLAG_CUDA_RECORD";

struct Settings {
  std::uint64_t seed = 0;
  std::uint64_t timeout_seconds = 0;  // of a launch; 0: none
  bool lockstep = false;
  bool formal = false;  // --strict=ptx: the PTX memory model to the letter
  std::string detector{gpu::kDefaultGpuDetector};
  bool detector_chosen = false;   // by the user
  bool detect = true;             // no: kernels are only recorded
  std::uint64_t granularity = 4;  // of the papers' detectors: bytes of a unit of memory
  std::uint64_t accessors = 1;    // iguard: how many are kept
  bool metadata_cache = true;     // scord
  bool eager = false;             // curd: blocks are compared at each barrier
  int exit_status = 66;
  std::string report;  // file to append findings to; empty: standard error
  std::string record;  // trace to write; empty: none
};

// Unknown keys are passed over; a wrong value of a known one is an error that names it.
Result<Settings> read_settings(std::string_view options, std::string_view report,
                               std::string_view record);

}  // namespace redflag::cuda_report
