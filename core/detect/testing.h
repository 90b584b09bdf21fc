// Helpers for tests of detectors: run a literal list of events, look at what was found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/detect/detector.h"
#include "core/model/make_event.h"

namespace redflag {

struct RecordingSink final : FindingSink {
  void on_race(const Race& race) override { races.push_back(race); }
  std::vector<Race> races;
};

// A detector of class D with its memory and sink.
template <typename D>
class Bench {
 public:
  explicit Bench(DetectorOptions options = {}) {
    options.memory = &memory_;
    options.sink = &sink_;
    detector_ = std::make_unique<D>(options);
  }
  Bench& run(std::initializer_list<Event> events) { return run(std::vector<Event>(events)); }
  Bench& run(const std::vector<Event>& events) {
    detector_->on_events(events, EventIndex{index_});
    index_ += events.size();
    return *this;
  }
  D& detector() { return *detector_; }
  const std::vector<Race>& races() const { return sink_.races; }

 private:
  PageResource memory_;
  RecordingSink sink_;
  std::unique_ptr<D> detector_;
  std::uint64_t index_ = 0;
};

inline double stat(const Detector& detector, std::string_view name) {
  for (const Counter& c : detector.stats()) {
    if (c.name == name) return c.value;
  }
  ADD_FAILURE() << "no figure named " << name;
  return -1;
}

}  // namespace redflag
