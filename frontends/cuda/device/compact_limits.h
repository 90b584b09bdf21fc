// What `compact` could not check, or only in part: a counter for each limit, and what it means.
//
// One table: statistics have the numbers, the report has a sentence for each limit that was reached. Most are counted in
// the GPU (State), the rest by the host's half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

// Those that the host counts.
struct HostLimits {
  std::uint64_t launches_not_checked = 0;
  std::uint64_t pages_not_checked = 0;
  std::uint64_t pages_per_line = 0;
  std::uint64_t copies_not_compared = 0;
  std::uint64_t launches_in_part = 0;
  std::uint64_t images_not_kept = 0;
};
// `number`: of State, at that place.
std::vector<Counter> limits(const std::function<std::uint64_t(std::size_t)>& number,
                            const HostLimits& host);
// A sentence for each that is not 0.
std::vector<std::string> notices_of(const std::vector<Counter>& limits);

}  // namespace redflag::device::compact
