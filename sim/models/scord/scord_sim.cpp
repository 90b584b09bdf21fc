#include "sim/models/scord/scord_sim.h"

#include <set>
#include <string>

#include "core/base/check.h"

namespace redflag::sim {
namespace {

constexpr std::array<std::string_view, kScordDesigns> kDesignNames{"base", "cached", "8 bytes",
                                                                   "16 bytes"};

ScordParameters design(ScordDesign which, ScordParameters parameters) {
  parameters.metadata_cache = which == ScordDesign::kCached;
  parameters.granularity = which == ScordDesign::kEightBytes     ? 8
                           : which == ScordDesign::kSixteenBytes ? 16
                                                                 : 4;
  return parameters;
}

std::set<gpu::SiteId> lines_of(const DetectionUnit& unit) {
  std::set<gpu::SiteId> lines;
  for (const gpu::GpuRace& race : unit.races()) lines.insert(race.second.site);
  return lines;
}

GpuMachineStats stats_of(const GpuTiming& machine) {
  return {machine.cycles(), machine.counts(), machine.l2().counts(Traffic::kData),
          machine.l2().counts(Traffic::kMetadata)};
}

}  // namespace

std::string fault_of(const ScordParameters& parameters) {
  if (parameters.granularity != 4 && parameters.granularity != 8 && parameters.granularity != 16) {
    return "granularity = " + std::to_string(parameters.granularity) + ": 4, 8 or 16";
  }
  if (parameters.detector_queue == 0 || parameters.detector_queue > 65536) {
    return "detector_queue = " + std::to_string(parameters.detector_queue) + ": from 1 to 65536";
  }
  if (parameters.synchronised_warps == 0 || parameters.synchronised_warps > 1024) {
    return "synchronised_warps = " + std::to_string(parameters.synchronised_warps) +
           ": from 1 to 1024";
  }
  return {};
}

ScordParts parts_of(double slowdown, double without_hits, double without_packets,
                    double without_metadata) {
  const auto saved = [&](double without) { return without < slowdown ? slowdown - without : 0; };
  const double hits = saved(without_hits);
  const double packets = saved(without_packets);
  const double metadata = saved(without_metadata);
  const double sum = hits + packets + metadata;
  if (sum == 0) return {};
  return {hits / sum, packets / sum, metadata / sum};
}

ScordSim::ScordSim(const GpuMachine& machine, const ScordParameters& parameters)
    : machine_(machine),
      parameters_(parameters),
      detection_(std::make_unique<DetectionUnit>(parameters, recorder_.memory())),
      side_(machine, parameters, detection_->map()),
      baseline_(machine, 0, nullptr),
      detecting_(machine, 1, &side_) {
  REDFLAG_CHECK(fault_of(parameters).empty());
  if (!parameters.tables) return;
  for (std::size_t i = 0; i < kScordDesigns; ++i) {
    designs_[i] = std::make_unique<DetectionUnit>(design(static_cast<ScordDesign>(i), parameters),
                                                  recorder_.memory());
  }
}

ScordSim::~ScordSim() = default;

void ScordSim::launch_begins(const gpu::Launch& launch) {
  ++launches_;
  running_ = true;
  recorder_.begin(launch);
  detection_->launch_begins(launch);
  for (const auto& each : designs_) {
    if (each) each->launch_begins(launch);
  }
  baseline_.begin(launch);
  detecting_.begin(launch);
}

void ScordSim::step(const gpu::Step& step) {
  if (!running_) return;
  detection_->control(step);
  detection_->step(step);
  for (const auto& each : designs_) {
    if (!each) continue;
    each->control(step);
    each->step(step);
  }
  if (BlockProgram* const block = recorder_.step(step)) {
    baseline_.add(*block);
    detecting_.add(*block);
  }
  if (recorder_.bytes() >= machine_.buffer_bytes) give_time(false);
}

// Blocks that are known to their end run first; if all of them are long, what there is of them.
void ScordSim::give_time(bool all) {
  baseline_.run(all);
  detecting_.run(all);
  recorder_.drop();
  if (!all && recorder_.bytes() >= machine_.buffer_bytes / 4 * 3) give_time(true);
}

void ScordSim::launch_ends(gpu::LaunchId launch) {
  if (!running_) return;
  running_ = false;
  recorder_.end();
  give_time(true);
  baseline_.end();
  detecting_.end();
  detection_->launch_ends(launch);
  for (const auto& each : designs_) {
    if (each) each->launch_ends(launch);
  }
}

void ScordSim::host(const gpu::HostStep& step) {
  if (step.kind == gpu::HostKind::kAlloc) recorder_.memory().allocate(step.address, step.size);
  detection_->host(step);
  for (const auto& each : designs_) {
    if (each) each->host(step);
  }
}

ScordStats ScordSim::stats() const {
  ScordStats made;
  made.launches = launches_;
  made.steps = recorder_.counts();
  made.baseline = stats_of(baseline_);
  made.detecting = stats_of(detecting_);
  made.accesses = side_.accesses();
  made.shared = side_.shared();
  made.waited = side_.waited();
  made.evictions = detection_->evictions();
  made.races = detection_->races().size();
  made.memory_bytes = recorder_.memory().bytes();
  made.metadata_bytes = detection_->map().bytes();
  if (!parameters_.tables) return made;
  const std::set<gpu::SiteId> base = lines_of(*designs_[0]);
  for (std::size_t i = 0; i < kScordDesigns; ++i) {
    const std::set<gpu::SiteId> lines = lines_of(*designs_[i]);
    ScordTable& table = made.tables[i];
    table.name = kDesignNames[i];
    table.lines = lines.size();
    table.sites.assign(lines.begin(), lines.end());
    for (const gpu::SiteId site : base) table.missed += lines.contains(site) ? 0 : 1;
    for (const gpu::SiteId site : lines) table.more += base.contains(site) ? 0 : 1;
    table.metadata_bytes = designs_[i]->map().bytes();
  }
  return made;
}

}  // namespace redflag::sim
