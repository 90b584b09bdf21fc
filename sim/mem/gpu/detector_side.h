// DetectorSide: what a race detector beside the second-level cache adds to a machine.
//
// The machine asks it what its packets cost and tells it of every packet that reaches a partition of
// the memory; the detector answers when it took it, and makes accesses of its own to the second-level
// cache. So a machine does not know which detector it has, and one without any is the same code.
#pragma once

#include <cstdint>

#include "sim/mem/gpu/coalesce.h"
#include "sim/mem/gpu/l2.h"

namespace redflag::sim {

class DetectorSide {
 public:
  virtual ~DetectorSide() = default;
  // Of every request, besides what it has anyway.
  virtual std::uint32_t packet_bytes() const = 0;
  // Whether packets of hits wait for room, and whether they use the interconnect at all.
  virtual bool hits_wait() const = 0;
  virtual bool uses_network() const = 0;
  // An access came to the partition of `bank`. The answer: when it was taken.
  virtual Cycle arrived(std::uint32_t bank, const Transaction& access, Cycle at, L2& l2) = 0;
  // When the access of the last arrived() will have been looked at.
  virtual Cycle checked_at() const = 0;
  // When a warp may end whose last access will have been looked at then: its numbers are another
  // one's from there on.
  virtual Cycle may_end(Cycle last_checked) const = 0;
  // When all that has come will have been looked at.
  virtual Cycle idle_at() const = 0;
};

}  // namespace redflag::sim
