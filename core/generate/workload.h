// Workload: long synthetic traces of a chosen character, made as a stream.
//
// For benchmarks and for trying tools: any number of events, a working set that does not grow with
// them, race-free, the same for the same seed everywhere. The profiles are the two ends of the
// dissertation's figure 3.2: how many locations share one access history.
//
//   high-redundancy   array code: threads sweep their parts of two arrays, phase by phase between
//   barriers,
//                     read what others wrote in the phase before and a table that all share
//   low-redundancy    a hash table under fine locks: each short locked section touches the few
//   words of a
//                     random bucket, so that hardly two locations have the same history
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/generate/random.h"
#include "core/model/event.h"
#include "core/model/sources.h"

namespace redflag {

enum class Profile : std::uint8_t { kHighRedundancy, kLowRedundancy };
inline constexpr int kProfileCount = 2;

struct ProfileInfo {
  Profile profile;
  std::string_view name;
  std::string_view summary;
};
inline constexpr std::array<ProfileInfo, kProfileCount> kProfiles{{
    {Profile::kHighRedundancy, "high-redundancy", "array sweeps between barriers, shared tables"},
    {Profile::kLowRedundancy, "low-redundancy", "a hash table under fine-grained locks"},
}};

struct WorkloadOptions {
  Profile profile = Profile::kHighRedundancy;
  std::uint64_t events = 1000000;  // at least so many; a little more to end in order
  std::uint32_t threads = 8;       // workers, besides the main thread
  std::uint64_t seed = 1;
  std::uint64_t working_set = std::uint64_t{16} << 20;  // bytes of the program's data
};

class Workload {
 public:
  explicit Workload(const WorkloadOptions& options);
  ~Workload();

  // The next events; fewer than asked only at the end of the trace.
  std::size_t fill(std::span<Event> into);
  // Names of its sources, threads, locks and memory.
  static Sources sources(const WorkloadOptions& options);

 private:
  struct Worker;
  void more();
  void begin();
  void turn(Worker& w);
  void array_step(Worker& w);
  void table_step(Worker& w);
  void finish();
  void put(const Event& e) { ready_.push_back(e); }

  WorkloadOptions options_;
  Random random_;
  std::vector<Worker> workers_;
  std::deque<Event> ready_;
  std::uint64_t made_ = 0;
  std::uint32_t at_barrier_ = 0;
  std::uint64_t phase_ = 0;
  bool finished_ = false;
};

}  // namespace redflag
