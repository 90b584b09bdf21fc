// Scan: one reading of a trace with one detector: what replay does before it explains anything.
//
// A shard is the part of the addresses that this scan looks at; every shard reads the whole trace
// by itself, with its own reader, detector and memory, so that shards share nothing and may run on
// threads or MPI ranks. combine() of all shards' results is what one scan of everything finds.
//
// The loop hands batches from the reader to the detector and does nothing per event. Figures, only
// when asked for, are times taken once a batch and the set of touched pages.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/input.h"
#include "cli/progress.h"
#include "core/detect/registry.h"
#include "core/explain/race_collector.h"

namespace redflag::cli {

struct ScanOptions {
  const DetectorInfo* detector = nullptr;  // required
  VolatileMeaning volatile_meaning = VolatileMeaning::kData;
  std::optional<bool> threads_appear;  // not given: as the format has it
  bool check = false;                  // run the stream checker beside
  bool figures = false;
};

// One shard's time and memory.
struct ScanFigures {
  std::vector<Counter> counters;  // the detector's own
  double read_seconds = 0;
  double detect_seconds = 0;
  std::uint64_t peak_bytes = 0;     // of metadata
  std::uint64_t touched_bytes = 0;  // of the program's memory, in whole pages
};

struct ScanResult {
  std::uint64_t events = 0;
  std::vector<CollectedRace> races;
  std::uint64_t dropped = 0;
  std::uint64_t errors = 0;           // with check: of the stream checker
  std::vector<std::string> problems;  // the first ones of them
  std::string broken_promise;         // Detector::broken_promise
  std::vector<ScanFigures> figures;   // one for each shard, in order
};

// `progress` may be nullptr. Ends with an error when `stop` becomes true or a signal comes.
Result<ScanResult> scan(const Input& input, const ScanOptions& options, Shard shard,
                        Progress* progress, const std::atomic<bool>& stop);

// Shards first..first+jobs-1 of `count`, each on its own thread; the first error ends all.
Result<ScanResult> scan_shards(const Input& input, const ScanOptions& options, std::uint32_t first,
                               std::uint32_t jobs, std::uint32_t count, Progress* progress);

// In order of the shards.
ScanResult combine(std::vector<ScanResult> shards);

}  // namespace redflag::cli
