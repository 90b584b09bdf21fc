// ScordSide: what ScoRD's race detector costs.
//
// Beside every partition of the second-level cache, a queue of accesses under way. Each one reads the
// lines of metadata that its words have entries in, and writes them back, through the second-level
// cache like any other access; an access whose entries are under way already shares them. When the queue
// is full the interconnect's port waits, and in the end the SMs' first-level caches (section IV).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/mem/gpu/detector_side.h"
#include "sim/models/scord/metadata_map.h"

namespace redflag::sim {

class ScordSide final : public DetectorSide {
 public:
  // `map` as it is when accesses come.
  ScordSide(const GpuMachine& machine, const ScordParameters& parameters, const MetadataMap& map)
      : parameters_(parameters),
        map_(map),
        queues_(machine.banks(), BoundedQueue(parameters.detector_queue)) {}

  std::uint32_t packet_bytes() const override {
    return parameters_.cost_of_packets ? kPacketBytes : 0;
  }
  bool hits_wait() const override { return parameters_.cost_of_hits; }
  bool uses_network() const override { return parameters_.cost_of_packets; }
  Cycle arrived(std::uint32_t bank, const Transaction& access, Cycle at, L2& l2) override;
  Cycle checked_at() const override { return checked_at_; }
  Cycle may_end(Cycle last_checked) const override {
    return parameters_.end_waits_for_all ? idle_at_ : last_checked;
  }
  Cycle idle_at() const override { return idle_at_; }

  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t shared() const { return shared_; }  // lines of metadata that were under way
  std::uint64_t waited() const { return waited_; }  // cycles, for a place in the queue

 private:
  static constexpr std::size_t kUnderWay = 4096;
  struct UnderWay {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t entries = 0;
    Cycle until = 0;
  };

  ScordParameters parameters_;
  const MetadataMap& map_;
  std::vector<BoundedQueue> queues_;
  std::array<UnderWay, kUnderWay> under_way_{};
  Cycle checked_at_ = 0;
  Cycle idle_at_ = 0;
  std::uint64_t accesses_ = 0, shared_ = 0, waited_ = 0;
};

}  // namespace redflag::sim
