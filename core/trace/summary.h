// TraceSummary: what is in a trace, in numbers, gathered while it streams by.
//
// Memory: the sets of distinct threads, locks, barriers and sources, and of each thread how many
// instructions it said.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_set>

#include "core/model/event.h"

namespace redflag {

struct TraceInfo {
  std::uint64_t events = 0;
  std::array<std::uint64_t, kEventKindCount> per_kind{};
  std::uint64_t threads = 0;                       // that have events or are forked
  std::uint64_t locks = 0;                         // distinct
  std::uint64_t barriers = 0;                      // distinct
  std::uint64_t sources = 0;                       // distinct, that events name
  std::uint64_t accessed_bytes = 0;                // sum of the sizes of reads, writes and atomics
  Addr lowest{0};                                  // of memory operands; both 0: there are none
  Addr highest{0};                                 // last byte
  std::map<ThreadId, std::uint64_t> instructions;  // by thread; only those that said some

  std::uint64_t all_instructions() const {
    std::uint64_t sum = 0;
    for (const auto& [thread, count] : instructions) sum += count;
    return sum;
  }

  double bytes_per_event(std::uint64_t file_bytes) const {
    return events == 0 ? 0 : static_cast<double>(file_bytes) / static_cast<double>(events);
  }
  friend bool operator==(const TraceInfo&, const TraceInfo&) = default;
};

class TraceSummary {
 public:
  void add(std::span<const Event> events);
  TraceInfo info() const;

 private:
  TraceInfo info_;
  bool has_memory_ = false;
  std::unordered_set<std::uint32_t> threads_;
  std::unordered_set<std::uint64_t> locks_;
  std::unordered_set<std::uint64_t> barriers_;
  std::unordered_set<std::uint32_t> sources_;
  // Runs of one thread and of one source are common, and save the search.
  std::uint32_t last_thread_ = ~0u;
  std::uint32_t last_source_ = 0;
};

}  // namespace redflag
