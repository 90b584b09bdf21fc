#include "frontends/pgas/collect/finding.h"

#include <array>
#include <map>

#include "core/detect/pgas/gap.h"

namespace redflag::pgas {
namespace {

// Each file as if it were loaded by itself, far from all others.
constexpr std::uint64_t kApart = std::uint64_t{1} << 40;

struct GapRow {
  Gap gap;
  Missing missing;
};
constexpr std::array<GapRow, kGapCount> kMissing{{
    {Gap::kBuffer, Missing::kCompletion},
    {Gap::kNotCompleted, Missing::kCompletion},
    {Gap::kNotSynchronised, Missing::kAnyOrder},
    {Gap::kNeither, Missing::kAnyOrder},
    {Gap::kAtomicity, Missing::kAtomicAccess},
    {Gap::kOtherAtomic, Missing::kAtomicAccess},
    {Gap::kNotAtomic, Missing::kAtomicAccess},
    {Gap::kPolling, Missing::kAtomicAccess},
    {Gap::kLockOrder, Missing::kCommonLock},
}};

Rule rule_of(Gap gap, const AccessKindInfo& first, const AccessKindInfo& second) {
  if (gap == Gap::kBuffer) return Rule::kRmaBuffer;
  if (gap == Gap::kAtomicity || gap == Gap::kOtherAtomic) return Rule::kRmaAtomic;
  if (gap == Gap::kPolling) return Rule::kRmaPolling;
  if (gap == Gap::kLockOrder) return Rule::kRmaPredicted;
  return first.is_local || second.is_local ? Rule::kRmaLocal : Rule::kRmaTarget;
}

// What lies below main is nobody's, and so is the layer that the call was caught by: its function has
// the name of the library's, which is all that is shown.
Stack stack_of(const std::vector<LineFrame>& frames, symbolize::Symbolizer& symbolizer) {
  symbolize::ProcessMap map;
  std::map<std::string, std::uint64_t> bases;
  for (const LineFrame& frame : frames) {
    const auto [at, is_new] = bases.try_emplace(frame.file, (bases.size() + 1) * kApart);
    if (is_new) map.mappings.push_back({at->second, at->second + kApart, 0, frame.file});
  }
  Stack stack;
  for (const LineFrame& frame : frames) {
    const std::uint64_t pc = bases[frame.file] + frame.offset;
    if (frame.is_entry) {
      CodeFrame entry = symbolizer.function(map, pc);
      entry.module.clear();
      stack.push_back(std::move(entry));
      continue;
    }
    bool is_main = false;
    for (CodeFrame& each : symbolizer.frames(map, pc - 1)) {
      is_main = is_main || each.function == "main" || each.function == "MAIN__";
      stack.push_back(std::move(each));
    }
    if (is_main) break;
  }
  return stack;
}

Side side_of(const LineSide& line, symbolize::Symbolizer& symbolizer) {
  const AccessKindInfo& kind = kAccessKinds[line.kind];
  Side side;
  const bool is_atomic = kind.is_atomic || is_of_processor(kind.kind);
  side.access.kind = is_atomic ? (kind.writes ? EventKind::kAtomicRmw : EventKind::kAtomicLoad)
                               : (kind.writes ? EventKind::kWrite : EventKind::kRead);
  side.access.addr = Addr{line.begin};
  side.access.size = static_cast<std::uint32_t>(line.size);
  side.access.thread = kUnknownThread;
  side.thread_name = "rank " + std::to_string(line.rank);
  if (line.thread != 0) side.thread_name += ", thread " + std::to_string(line.thread);
  side.stack = stack_of(line.stack, symbolizer);
  side.rma = RankPlace{line.rank, std::string(kind.name), line.pending};
  return side;
}

}  // namespace

std::optional<Finding> to_finding(const RaceLine& line, symbolize::Symbolizer& symbolizer) {
  if (line.model >= kModelCount || line.gap >= kGapCount || line.first.kind >= kAccessKindCount ||
      line.second.kind >= kAccessKindCount) {
    return {};
  }
  const GapInfo& gap = kGaps[line.gap];
  Finding finding;
  finding.rule = rule_of(gap.gap, kAccessKinds[line.first.kind], kAccessKinds[line.second.kind]);
  finding.addr = Addr{line.begin};
  finding.size = static_cast<std::uint32_t>(line.size);
  if (!line.object.empty()) {
    finding.memory.name = line.object + " of rank " + std::to_string(line.owner);
    finding.memory.addr = Addr{line.object_base};
    finding.memory.size = line.object_size;
    finding.memory.kind = RegionKind::kWindow;
  }
  finding.first = side_of(line.first, symbolizer);
  finding.second = side_of(line.second, symbolizer);
  finding.missing = kMissing[line.gap].missing;
  finding.missing_text = gap.missing;
  finding.advice = advice(gap, static_cast<Model>(line.model));
  return finding;
}

std::optional<Finding> to_finding(const MisuseLine& line, symbolize::Symbolizer& symbolizer) {
  constexpr std::array<Rule, kMisuseCount> kRules{
      Rule::kRmaNoEpoch,    Rule::kRmaOutOfBounds, Rule::kRmaNoSuchRank, Rule::kRmaUnreachable,
      Rule::kRmaNotRunning, Rule::kRmaBadHandle,   Rule::kRmaDoubleLock, Rule::kRmaUnlockUnlocked};
  if (line.misuse >= kMisuseCount || line.side.kind >= kAccessKindCount) return {};
  Finding finding;
  finding.rule = kRules[line.misuse];
  finding.addr = Addr{line.side.begin};
  finding.size = static_cast<std::uint32_t>(line.side.size);
  if (!line.object.empty()) {
    finding.memory.name = line.object + " of rank " + std::to_string(line.target);
    finding.memory.size = line.object_size;
    finding.memory.kind = RegionKind::kWindow;
  }
  finding.has_first = false;
  finding.second = side_of(line.side, symbolizer);
  finding.missing = Missing::kCorrectUse;
  finding.missing_text = line.found;
  finding.advice = info(finding.rule).remedy;
  return finding;
}

}  // namespace redflag::pgas
