// FastTrack (Flanagan and Freund, PLDI 2009), as the dissertation's section 3.2.1 gives it: the
// baseline.
//
// The idea. Writes to a race-free location are totally ordered, so its last write is one epoch, not
// a vector clock; reads are one epoch too, until two of them are unordered and a vector is needed.
// Rules and names are those of figure 3.3, every one counted.
//
// Shape. Each 8-byte granule has its own cell of two words (cells.h, where the rules are). Clocks
// are 32 bits and more, as in the dissertation's modified FastTrack. Nothing is shared between
// locations: that is what SlimFast is measured against.
//
// Exactness: as SlimFast: the first race of each byte, and never a false one.
// Cost: O(1) per access, O(slots) after unordered reads; 16 bytes per granule touched, 128 more
// when split, 8 per slot when read-shared.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/fasttrack/cells.h"
#include "core/detect/race_log.h"

namespace redflag::fasttrack {

class FastTrack final : public Detector {
 public:
  explicit FastTrack(const DetectorOptions& options);
  ~FastTrack() override;

  void on_events(std::span<const Event> events, EventIndex first) override;
  std::vector<Counter> stats() const override;
  std::size_t metadata_bytes() const override { return options_.memory->bytes_in_use(); }

  std::uint64_t count(FastRule rule) const { return cells_.count(rule); }

 private:
  void access(const Event& e, EventIndex index, bool is_write, bool atomic);
  void forget(Addr addr, std::uint64_t size);

  DetectorOptions options_;
  HappensBefore order_;
  RaceLog races_;
  Cells cells_;
  ShadowMap<Cell> shadow_;
  std::size_t peak_bytes_ = 0;
};

}  // namespace redflag::fasttrack
