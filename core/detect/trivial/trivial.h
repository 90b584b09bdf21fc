// The trivial detectors: the cost of the framework, a look at the events, a count of them.
//
// `empty` does nothing: what a replay with it takes is what reading the trace takes. `count` counts
// events by kind. `print` writes every event as a line of the text form. They find no races, need
// no memory, and are the smallest examples of a detector.
#pragma once

#include <array>
#include <cstdint>

#include "core/detect/detector.h"

namespace redflag::trivial {

class Empty final : public Detector {
 public:
  explicit Empty(const DetectorOptions&) {}
  void on_events(std::span<const Event>, EventIndex) override {}
};

class Count final : public Detector {
 public:
  explicit Count(const DetectorOptions&) {}
  void on_events(std::span<const Event> events, EventIndex) override {
    for (const Event& e : events) ++counts_[static_cast<std::size_t>(e.kind)];
  }
  std::vector<Counter> stats() const override;

 private:
  std::array<std::uint64_t, kEventKindCount> counts_{};
};

class Print final : public Detector {
 public:
  explicit Print(const DetectorOptions& options) : print_(options.print) {}
  void on_events(std::span<const Event> events, EventIndex first) override;

 private:
  std::function<void(const Event&)> print_;
};

}  // namespace redflag::trivial
