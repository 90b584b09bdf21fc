// The comparative tester: one trace through the oracle and through the detectors held to it.
//
// For every byte, the oracle's first racing access must be the detector's first too, its reported
// partner must be one that the oracle says it races with, and every later report must be a race as
// well. The explainer, which looks the partner's event up, is part of what is tested.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"
#include "core/model/event.h"

namespace redflag {

struct CompareOptions {
  VolatileMeaning volatile_meaning = VolatileMeaning::kData;
  std::size_t sweep_bytes = 1;  // sweep as often as possible: reclamation is tested too
};

// Empty: `detector` agrees with the oracle on this trace. Otherwise: who disagreed about what.
std::string disagreement(std::string_view detector, std::span<const Event> trace,
                         const CompareOptions& options = {});

// Empty: the detector reports the same races, repetitions included, whether one instance sees all
// pages or several share them, and whether it sweeps all the time or never.
std::string shard_disagreement(std::string_view detector, std::span<const Event> trace,
                               const CompareOptions& options = {});

// The number of bytes on which the oracle finds a race.
std::size_t racy_bytes(std::span<const Event> trace, const CompareOptions& options = {});

// The shortest trace found, by leaving out events, for which the detector still disagrees and the
// stream is still well-formed.
std::vector<Event> shrink(std::string_view detector, std::vector<Event> trace,
                          const CompareOptions& options = {});

// As the text form, one event a line.
std::string to_text(std::span<const Event> trace);

}  // namespace redflag
