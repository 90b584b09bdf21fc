// All detectors, in one table. The command line, its help, `doctor` and the comparative tests read
// it.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "core/detect/detector.h"

namespace redflag {

struct DetectorInfo {
  std::string_view name;
  std::string_view summary;
  bool finds_races;  // false: a look at the trace
  bool precise;      // reports exactly the first race of every byte, or more, and never a false one
  std::unique_ptr<Detector> (*make)(const DetectorOptions&);
};

inline constexpr std::size_t kDetectorCount = 7;
extern const std::array<DetectorInfo, kDetectorCount> kDetectors;
inline constexpr std::string_view kDefaultDetector = "slimfast";

const DetectorInfo* find_detector(std::string_view name);  // nullptr: no such

}  // namespace redflag
