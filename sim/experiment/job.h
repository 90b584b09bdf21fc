// Job: one simulation of one trace with one set of parameters, and the numbers that came of it.
//
// Everything that a figure or a sweep needs is a named number, so that results of any model can be kept in files,
// found again and compared without knowing the model.
#pragma once

#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX's clock

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "sim/config/settings.h"

namespace redflag::sim {

using Metrics = std::vector<std::pair<std::string, double>>;

inline double metric(const Metrics& metrics, std::string_view name) {
  for (const auto& [known, value] : metrics) {
    if (known == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

struct Job {
  std::string model;  // "parsnip"
  std::string workload;
  std::string trace;              // file
  std::vector<Setting> settings;  // what differs from the defaults, the later ones winning
};

// Processor time of this process since it was made: what a simulation cost, reading its trace included.
class CpuClock {
 public:
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double begin_ = now();
};

using Simulate = std::function<Result<Metrics>(const Job&)>;

}  // namespace redflag::sim
