// The columns of the dissertation's table 3.1 that a detector can know, and the count of every
// rule.
//
// Columns 2 and 10 need the cost of the run without a detector; the command adds them
// (cli/replay.cpp).
#include <algorithm>
#include <string>

#include "core/detect/slimfast/slimfast.h"

namespace redflag::slimfast {
namespace {

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

}  // namespace

std::vector<Counter> SlimFast::stats() const {
  const auto n = [this](SlimRule rule) { return static_cast<double>(count(rule)); };
  double accesses = 0;
  double shared_accesses = 0;
  for (const SlimRuleInfo& rule : kSlimRules) {
    accesses += n(rule.rule);
    if (rule.shared) shared_accesses += n(rule.rule);
  }
  std::uint64_t epochs = epochs_;
  std::uint64_t s_total = s_total_;
  std::uint64_t q_total = q_total_;
  for (const ThreadState& t : states_) {
    if (t.clock == nullptr || !t.dirty) continue;
    ++epochs;
    s_total += t.base == kNoBase ? 0 : t.used - 1;
    q_total += t.q_size;
  }
  const double pair_allocations = static_cast<double>(epochs) + n(SlimRule::kReadExclAlloc);
  const double shared_allocations = static_cast<double>(histories_.shared_made());
  const double shared_lookups = n(SlimRule::kReadSharedReuse) + n(SlimRule::kReadSharedAlloc) +
                                n(SlimRule::kReadInflReuse) + n(SlimRule::kReadInflAlloc);
  // A read that stays in its location's own pair is one that found nothing to share.
  const double pair_lookups =
      n(SlimRule::kReadExclReuse) + n(SlimRule::kReadExclAlloc) + n(SlimRule::kReadPaired);
  // FastTrack makes a record for each location, and another when a read inflates it.
  const double fasttrack_allocations = static_cast<double>(forgotten_cells_) + locations() +
                                       n(SlimRule::kReadInflReuse) + n(SlimRule::kReadInflAlloc);

  std::vector<Counter> rows{
      {"EVC accesses", 100 * ratio(shared_accesses, accesses), "%"},
      {"EVC metadata", 100 * ratio(shared_allocations, shared_allocations + pair_allocations), "%"},
      {"mean |S_t|", ratio(static_cast<double>(s_total), static_cast<double>(epochs)), ""},
      {"mean |Q_t|", ratio(static_cast<double>(q_total), static_cast<double>(epochs)), ""},
      {"EVC reuse",
       100 * ratio(n(SlimRule::kReadSharedReuse) + n(SlimRule::kReadInflReuse), shared_lookups),
       "%"},
      {"EP reuse", 100 * ratio(n(SlimRule::kReadExclReuse), pair_lookups), "%"},
      {"max metadata", static_cast<double>(std::max(peak_bytes_, metadata_bytes())), "bytes"},
      {"FT:SF metadata allocations",
       ratio(fasttrack_allocations, pair_allocations + shared_allocations), "x"},
      {"sweeps", static_cast<double>(sweeps_), ""},
      {"pages kept as pairs", static_cast<double>(pairs_.pages()), ""},
      {"S_t overflows", static_cast<double>(s_overflows_), ""},
      {"races", static_cast<double>(races_.count()), ""},
  };
  for (const SlimRuleInfo& rule : kSlimRules) {
    rows.push_back({"rule " + std::string(rule.name), n(rule.rule), ""});
  }
  return rows;
}

// Granules that have a history now.
double SlimFast::locations() const {
  double count = 0;
  shadow_.for_each([&count](std::uint64_t, const ShadowMap<Handle>::Page& page) {
    for (const Handle cell : page.cells) count += cell == kNone || cell == kInPairs ? 0 : 1;
  });
  shadow_.for_each_whole([&count](Handle all) { count += all == kNone ? 0 : kCellsPerPage; });
  pairs_.for_each([&count](std::uint64_t, const ShadowMap<PairCell>::Page& page) {
    for (const PairCell& cell : page.cells) count += cell.empty() ? 0 : 1;
  });
  return count;
}

}  // namespace redflag::slimfast
