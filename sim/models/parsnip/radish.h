// RadishMachine: what PARSNIP is compared with (Devietti et al., ISCA 2012), as far as the
// comparison needs it: metadata per byte, shared by nothing.
//
// Each location has two 32-bit epochs of its own, last write and last read, in the same caches as the
// data: eight lines of metadata for one of data. While they are in cache hardware checks and updates
// them; software is called when they are in no cache, and when a location is read by several
// unordered threads (FastTrack's vector). With location_bytes 8 the accesses are assumed to be
// type-safe, as Radish's optimisation does. Synchronous checks, no spare cores, as in the paper's
// figure 7.
//
// This is a cost model: FastTrack itself decides which rule applies; races go to nobody. It does not
// model Radish's local permissions and clock compression, so it is a bound for the comparison, not a
// reproduction of Radish (docs/how/reproduction.md).
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/fasttrack/fasttrack.h"
#include "sim/mem/hierarchy.h"
#include "sim/models/parsnip/parameters.h"

namespace redflag::sim::parsnip {

class RadishMachine {
 public:
  RadishMachine(const CpuMachine& machine, const ParsnipParameters& parameters,
                std::uint32_t location_bytes, const DetectorOptions& options);

  // One event, on this core.
  void on_event(const Event& event, EventIndex index, std::uint32_t core);
  // A plain access that is not checked. How long it took, which is counted.
  std::uint64_t on_unchecked(const Event& event, std::uint32_t core);
  std::uint64_t cycles() const { return cycles_; }
  void add_cycles(std::uint64_t n) { cycles_ += n; }
  std::uint64_t software_checks() const { return software_checks_; }

 private:
  struct Nobody final : FindingSink {
    void on_race(const Race&) override {}
  };
  std::uint64_t shared_rules() const;
  std::uint64_t same_epoch_rules() const;

  CpuMachine machine_;
  ParsnipParameters parameters_;
  std::uint32_t location_bytes_;
  PageResource resource_;
  Nobody nobody_;
  fasttrack::FastTrack detector_;
  Hierarchy memory_;
  std::uint64_t cycles_ = 0;
  std::uint64_t software_checks_ = 0;
};

}  // namespace redflag::sim::parsnip
