#include "core/detect/gpu/comparison.h"

#include <algorithm>
#include <utility>

namespace redflag::gpu {
namespace {

constexpr std::size_t kOracle = 0;

bool is_between_launches(const GpuRace& race) {
  return race.kind == RaceClass::kHostDevice || race.first.launch != race.second.launch;
}

}  // namespace

Comparison::Comparison(GpuDetectorOptions options) : options_(std::move(options)) {
  detectors_.push_back({find_gpu_detector(kDefaultGpuDetector), nullptr});
  for (const GpuDetectorInfo& info : kGpuDetectors) {
    if (info.name != kDefaultGpuDetector) detectors_.push_back({&info, nullptr});
  }
  for (Detector& one : detectors_) {
    one.detector = one.info->make(options_);
    tee_.add(*one.detector);
  }
}

void Comparison::launch_begins(const Launch& launch) {
  ++launches_;
  tee_.launch_begins(launch);
}

void Comparison::launch_ends(LaunchId launch) {
  for (Detector& one : detectors_) {
    one.most_metadata = std::max(one.most_metadata, one.detector->metadata_bytes());
  }
  tee_.launch_ends(launch);
  for (Detector& one : detectors_) {
    one.most_metadata = std::max(one.most_metadata, one.detector->metadata_bytes());
  }
}

void Comparison::lay_out(const std::function<std::string(SiteId)>& place) {
  place_ = place;
  for (std::size_t i = 0; i < detectors_.size(); ++i) {
    detectors_[i].races = detectors_[i].detector->races();
    for (const GpuRace& race : detectors_[i].races) put(i, race);
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t i = kOracle + 1; i < detectors_.size(); ++i) {
      if (rows_[row].is_race != rows_[row].cells[i].found) settle(row, i);
    }
  }
}

void Comparison::put(std::size_t detector, const GpuRace& race) {
  std::string first = raw(race.first.site) == 0 ? "" : place_(race.first.site);
  std::string second = place_(race.second.site);
  const bool one_sided = first.empty() || detectors_[detector].info->limits.one_sided;
  if (one_sided) {
    first.clear();
  } else if (second < first) {
    std::swap(first, second);
  }
  bool matched = false;
  for (ComparedRow& row : rows_) {
    if (row.space != race.space) continue;
    const bool is_here = one_sided ? (row.is_race && row.first == second) || row.second == second
                                   : row.first == first && row.second == second;
    if (!is_here) continue;
    matched = true;
    row.cells[detector].found = true;
    if (row.cells[detector].race == nullptr) row.cells[detector].race = &race;
    if (detector == kOracle || !row.is_race) row.classes.insert(race.kind);
  }
  if (matched) return;
  ComparedRow row{.is_race = detector == kOracle,
                  .first = std::move(first),
                  .second = std::move(second),
                  .space = race.space,
                  .classes = {race.kind},
                  .race = race,
                  .cells = std::vector<Cell>(detectors_.size())};
  row.cells[detector].found = true;
  row.cells[detector].race = &race;
  rows_.push_back(std::move(row));
}

// What the table of limits explains, or what is left to the judge.
void Comparison::settle(std::size_t row, std::size_t detector) {
  const GpuLimits& limits = detectors_[detector].info->limits;
  Cell& cell = rows_[row].cells[detector];
  const GpuRace& race = rows_[row].is_race ? rows_[row].race : *cell.race;
  if (rows_[row].is_race) {
    if (race.kind == RaceClass::kBarrierDivergence) {
      if (limits.no_barriers) cell.causes.insert(Cause::kDivergence);
    } else if (race.space == Space::kShared && limits.global_only) {
      cell.causes.insert(Cause::kSharedMemory);
    } else if (is_between_launches(race) && limits.one_launch) {
      cell.causes.insert(Cause::kOtherLaunch);
    }
  }
  if (!cell.causes.empty()) return;
  if (differences_.size() == kMostJudged) {
    cell.fault = "not judged: there are more than " + std::to_string(kMostJudged) + " differences";
  } else {
    differences_.push_back({row, detector, {race.second.launch, area_of(race.address)}});
  }
}

std::vector<Excerpt::Area> Comparison::areas() const {
  std::vector<Excerpt::Area> out;
  for (const Difference& one : differences_) out.push_back(one.area);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace redflag::gpu
