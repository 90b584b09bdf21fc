// Detectors side by side on one generated workload, in one process: time and metadata.
//
//   core_bench PROFILE EVENTS WORKING_SET_KIB DETECTOR...
//
// The events are made once and kept in memory, so that only detection is timed. The detectors take
// turns, five rounds, and the best CPU time of each counts: noise of a shared machine only ever
// adds. Prints one line of JSON; bench/run core makes the table.
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "core/detect/registry.h"
#include "core/generate/workload.h"

namespace redflag {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kBatch = 16384;  // as the trace reader gives them

struct CountingSink final : FindingSink {
  void on_race(const Race&) override { ++races; }
  std::uint64_t races = 0;
};

struct Result {
  const DetectorInfo* detector = nullptr;
  double seconds = 1e9;
  std::size_t metadata = 0;
  std::uint64_t races = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void run(Result& result, std::span<const Event> events) {
  PageResource memory;
  CountingSink sink;
  const std::unique_ptr<Detector> detector =
      result.detector->make({.memory = &memory, .sink = &sink, .threads_appear = false});
  std::size_t peak = 0;
  double seconds = 0;
  for (std::size_t at = 0; at < events.size(); at += kBatch) {
    const double start = cpu_seconds();
    detector->on_events(events.subspan(at, std::min(kBatch, events.size() - at)), EventIndex{at});
    seconds += cpu_seconds() - start;
    peak = std::max(peak, detector->metadata_bytes());
  }
  result.seconds = std::min(result.seconds, seconds);
  result.metadata = std::max(result.metadata, peak);
  result.races = sink.races;
}

int usage() {
  std::fprintf(stderr, "usage: core_bench PROFILE EVENTS WORKING_SET_KIB DETECTOR...\n");
  return 2;
}

int bench(int argc, char** argv) {
  if (argc < 5) return usage();
  WorkloadOptions options;
  const auto profile = std::find_if(kProfiles.begin(), kProfiles.end(),
                                    [&](const ProfileInfo& p) { return p.name == argv[1]; });
  if (profile == kProfiles.end()) return usage();
  options.profile = profile->profile;
  options.events = std::strtoull(argv[2], nullptr, 10);
  options.working_set = std::strtoull(argv[3], nullptr, 10) << 10;
  std::vector<Result> results;
  for (int i = 4; i < argc; ++i) {
    results.push_back({find_detector(argv[i])});
    if (results.back().detector == nullptr) return usage();
  }
  Workload workload(options);
  std::vector<Event> events(options.events + (std::size_t{1} << 20));
  events.resize(workload.fill(events));
  for (int round = 0; round < kRounds; ++round) {
    for (Result& result : results) run(result, events);
  }
  std::printf("{\"events\": %zu", events.size());
  for (const Result& r : results) {
    std::printf(", \"%.*s\": {\"seconds\": %.6f, \"metadata\": %zu, \"races\": %llu}",
                static_cast<int>(r.detector->name.size()), r.detector->name.data(), r.seconds,
                r.metadata, static_cast<unsigned long long>(r.races));
  }
  std::printf("}\n");
  return 0;
}

}  // namespace
}  // namespace redflag

int main(int argc, char** argv) {
  return redflag::bench(argc, argv);
}
