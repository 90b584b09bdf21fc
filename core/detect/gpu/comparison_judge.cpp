// The judge's half of the comparison: each difference is looked at in its excerpt of the program.
#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/detect/gpu/comparison.h"
#include "core/detect/gpu/difference.h"

namespace redflag::gpu {
namespace {

constexpr std::size_t kMostPairs = 8;                // of one row that are asked about
constexpr std::uint64_t kMostWork = 400'000'000ULL;  // steps times touches of one question

// A detector of the table, as the judge asks it.
class TableEngine {
 public:
  TableEngine(const GpuDetectorInfo& info, GpuDetectorOptions options)
      : info_(&info), options_(std::move(options)) {
    options_.most_races = 100'000;
  }

  bool by_warp() const { return info_->limits.by_warp; }
  unsigned unit() const { return info_->limits.by_entry ? options_.granularity : 1; }
  const GpuLimits& limits() const { return info_->limits; }
  TableEngine fine() const {
    TableEngine made = *this;
    made.options_.granularity = 1;
    return made;
  }
  // Sites are numbers of steps (Excerpt::focused).
  Reports run(const StepList& program) const {
    Reports out;
    GpuDetectorOptions options = options_;
    options.on_race = [&](const GpuRace& race) {
      Reported report;
      report.step = raw(race.second.site) - 1;
      report.rule = static_cast<int>(race.kind) << 8 | static_cast<int>(race.enough);
      report.lock = race.kind == RaceClass::kLock;
      report.not_strong = race.enough == Enough::kStrongAccess;
      report.within_warp = race.kind == RaceClass::kIntraWarp;
      report.within_block = race.kind == RaceClass::kIntraBlock;
      report.scoped = race.kind == RaceClass::kScopedAtomic;
      out[race.address & ~std::uint64_t{unit() - 1}].push_back(report);
    };
    const std::unique_ptr<GpuDetector> detector = info_->make(options);
    program.run(*detector, [](std::size_t) {});
    return out;
  }

 private:
  const GpuDetectorInfo* info_;
  GpuDetectorOptions options_;
};

// Races of the oracle in an area, with the steps as sites.
std::vector<GpuRace> racy_pairs(const StepList& steps, std::uint64_t address, unsigned size,
                                PtxModelOptions options = {}) {
  std::vector<GpuRace> out;
  options.explain = false;
  options.most_races = 100'000;
  PtxModel model(options);
  steps.run(model, [](std::size_t) {});
  for (const GpuRace& race : model.races()) {
    const bool within = race.address < address + size && race.address + race.size > address;
    if (within && raw(race.first.site) != 0 && raw(race.second.site) != 0) out.push_back(race);
  }
  return out;
}

// The same with all scopes as wide as the device.
StepList widened(const StepList& steps) {
  std::vector<StepList::Item> items = steps.items();
  for (StepList::Item& item : items) {
    if (item.step.scope != Scope::kSystem) item.step.scope = Scope::kDevice;
  }
  return StepList(std::move(items));
}

// What the warp did right before a write of the area was a fence.
bool writes_behind_fence(const StepList& steps, std::uint64_t area) {
  std::unordered_map<std::uint64_t, bool> fenced;
  for (const StepList::Item& item : steps.items()) {
    if (item.what != StepList::What::kStep) continue;
    bool& behind = fenced[item.step.block << 16 | item.step.warp];
    if (item.step.kind == StepKind::kWrite && behind) {
      for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
        if (touches(item, static_cast<unsigned>(std::countr_zero(rest)), area)) return true;
      }
    }
    behind = item.step.kind == StepKind::kFence;
  }
  return false;
}

const Touch* touch_of(const std::vector<Touch>& touches, const GpuSide& side) {
  for (const Touch& touch : touches) {
    if (touch.step + 1 == raw(side.site) && touch.lane == side.thread % kWarp) return &touch;
  }
  return nullptr;
}

}  // namespace

void Comparison::judge(const Excerpt& excerpt) {
  for (const Difference& one : differences_) explain(one, excerpt.focused(one.area));
}

void Comparison::explain(const Difference& one, const Focus& focus) {
  Cell& cell = rows_[one.row].cells[one.detector];
  const std::size_t steps = focus.steps.items().size();
  if (steps == 0) {
    cell.fault = "not judged: too many steps of synchronisation in its launch";
    return;
  }
  std::uint64_t count = 0;
  for (const StepList::Item& item : focus.steps.items()) {
    for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (item.what == StepList::What::kStep)
        count += touches(item, lane, one.area.address) ? 1 : 0;
    }
  }
  if (count * steps > kMostWork) {
    cell.fault = "not judged: " + std::to_string(count) + " accesses of the place";
  } else if (!detectors_[one.detector].info->limits.by_entry) {
    explain_definition(one, focus);
  } else if (rows_[one.row].is_race) {
    explain_miss(one, focus);
  } else {
    explain_report(one, focus);
  }
}

void Comparison::explain_miss(const Difference& one, const Focus& focus) {
  const Detector& detector = detectors_[one.detector];
  Cell& cell = rows_[one.row].cells[one.detector];
  const TableEngine engine(*detector.info, options_);
  const Differences<TableEngine> differences(engine, focus.steps);
  const std::uint64_t unit = differences.unit_of(rows_[one.row].race.address);
  const Reports reports = engine.run(focus.steps);
  if (const auto at = reports.find(unit); at != reports.end()) {
    // Alone it finds it: told under another line, or forgotten for other memory.
    const SiteId site = focus.sites[at->second.front().step];
    const bool told = std::any_of(detector.races.begin(), detector.races.end(),
                                  [&](const GpuRace& race) { return race.second.site == site; });
    if (told) {
      cell.instead = place_(site);
    } else if (engine.limits().has_cache && options_.metadata_cache) {
      cell.causes.insert(Cause::kEviction);
    } else {
      cell.fault = "found only when the other memory is left out";
    }
    return;
  }
  std::size_t asked = 0;
  for (const GpuRace& race : racy_pairs(focus.steps, unit, engine.unit())) {
    if (++asked > kMostPairs) break;
    const std::vector<Touch> touched = differences.judge().touches(race.address, 1);
    const Touch* first = touch_of(touched, race.first);
    const Touch* second = touch_of(touched, race.second);
    if (first == nullptr || second == nullptr) continue;
    const bool turned = first->step > second->step;
    const Judgement judged =
        differences.missed(race.address, turned ? *second : *first, turned ? *first : *second);
    if (judged.cause) cell.causes.insert(*judged.cause);
    if (!judged.fault.empty()) cell.fault = judged.fault;
  }
  if (cell.causes.empty() && cell.fault.empty()) cell.fault = "the place alone shows no race";
}

void Comparison::explain_report(const Difference& one, const Focus& focus) {
  Cell& cell = rows_[one.row].cells[one.detector];
  const TableEngine engine(*detectors_[one.detector].info, options_);
  const Differences<TableEngine> differences(engine, focus.steps);
  const std::uint64_t unit = differences.unit_of(cell.race->address);
  if (const auto pairs = racy_pairs(focus.steps, unit, engine.unit()); !pairs.empty()) {
    cell.instead = place_(focus.sites[raw(pairs.front().second.site) - 1]);
    return;
  }
  const Reports reports = engine.run(focus.steps);
  const auto at = reports.find(unit);
  if (at == reports.end()) {
    cell.fault = "reported only beside other memory";
    return;
  }
  const Reported* report = &at->second.front();
  for (const Reported& each : at->second) {
    if (place_(focus.sites[each.step]) == rows_[one.row].second) report = &each;
  }
  const Judgement judged = differences.reported(unit, *report);
  if (judged.cause) cell.causes.insert(*judged.cause);
  cell.fault = judged.fault;
}

// Detectors that remember all they need differ only in what they take for order: the oracle, told
// to take the same, must say what they say.
void Comparison::explain_definition(const Difference& one, const Focus& focus) {
  const Detector& detector = detectors_[one.detector];
  const GpuLimits& limits = detector.info->limits;
  const ComparedRow& row = rows_[one.row];
  Cell& cell = rows_[one.row].cells[one.detector];
  const GpuRace& race = row.is_race ? row.race : *cell.race;
  const unsigned size = std::max(race.size, 1U);
  if (!row.is_race) {
    if (const auto pairs = racy_pairs(focus.steps, race.address, size); !pairs.empty()) {
      cell.instead = place_(focus.sites[raw(pairs.front().second.site) - 1]);
      return;
    }
  }
  const auto explains = [&](const StepList& steps, Convergence convergence, bool same_value) {
    const PtxModelOptions options{.convergence = convergence, .filter_same_value = same_value};
    return racy_pairs(steps, race.address, size, options).empty() == row.is_race;
  };
  if (limits.lockstep && explains(focus.steps, Convergence::kLockstep, true)) {
    cell.causes.insert(Cause::kLockstep);
  } else if (limits.lanes_apart && explains(focus.steps, Convergence::kNothing, false)) {
    cell.causes.insert(Cause::kLanesApart);
  } else if (limits.one_scope && explains(widened(focus.steps), Convergence::kByLevel, true)) {
    cell.causes.insert(Cause::kOneScope);
  } else if (limits.one_scope && limits.lockstep &&
             explains(widened(focus.steps), Convergence::kLockstep, true)) {
    cell.causes = {Cause::kOneScope, Cause::kLockstep};
  }
  const auto is_atomic = [](const GpuSide& side) { return side.kind >= EventKind::kAtomicLoad; };
  if (limits.atomics_alike && row.is_race && is_atomic(race.first) && is_atomic(race.second) &&
      race.first.size != race.second.size) {
    cell.causes.insert(Cause::kAtomicSize);
  }
  if (!cell.causes.empty()) return;
  // Stores of other memory are not in the excerpt: without them there is no signal.
  const Reports reports = TableEngine(*detector.info, options_).run(focus.steps);
  bool alone = false;
  for (auto at = reports.lower_bound(race.address); at != reports.end(); ++at) {
    if (at->first >= race.address + size) break;
    alone = true;
    const SiteId site = focus.sites[at->second.front().step];
    if (row.is_race && std::any_of(detector.races.begin(), detector.races.end(),
                                   [&](const auto& r) { return r.second.site == site; })) {
      cell.instead = place_(site);
      return;
    }
  }
  if (limits.stores_signal && row.is_race &&
      (alone || writes_behind_fence(focus.steps, one.area.address))) {
    cell.causes.insert(Cause::kStoreSignals);
    return;
  }
  cell.fault = "no documented limit allows this";
}

}  // namespace redflag::gpu
