#include "frontends/cuda/device/compact_allocations.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace redflag::device::compact {

void CompactAllocations::host(const gpu::HostStep& step) {
  switch (step.kind) {
    case gpu::HostKind::kAlloc:
      bytes_ += step.size;
      ranges_[step.address] = {step.address + step.size, false};
      changed();
      return;
    case gpu::HostKind::kFree:
      bytes_ -= std::min(bytes_, end_of(step.address) - step.address);
      ranges_.erase(step.address);
      changed();
      return;
    case gpu::HostKind::kHostRead:
    case gpu::HostKind::kHostWrite: {
      const auto behind = ranges_.upper_bound(step.address);
      if (behind == ranges_.begin()) return;
      Range& range = std::prev(behind)->second;
      if (step.address >= range.end || range.is_touched) return;
      range.is_touched = true;
      changed();
      return;
    }
    case gpu::HostKind::kStreamNonBlocking:
      has_other_streams_ = true;
      return;
    default:
      return;
  }
}

void CompactAllocations::changed() {
  is_true_ = false;
  ++version_;
}

bool CompactAllocations::runs_alone(const gpu::Launch& launch) const {
  return raw(launch.stream) == 0 && !has_other_streams_;
}

std::uint64_t CompactAllocations::find(std::uint64_t address) const {
  const auto behind = ranges_.upper_bound(address);
  if (behind == ranges_.begin()) return 0;
  const auto at = std::prev(behind);
  return address < at->second.end && !at->second.is_touched ? at->first : 0;
}

std::uint64_t CompactAllocations::end_of(std::uint64_t begin) const {
  const auto at = ranges_.find(begin);
  return at == ranges_.end() ? begin : at->second.end;
}

bool CompactAllocations::is_used(std::uint32_t table) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](const auto& each) { return each.second == table; });
}

std::uint32_t CompactAllocations::make(std::uint64_t tables) {
  if (tables == 0 || ranges_.size() > kTableRanges) return 0;
  const std::uint32_t next = last_ % kTables + 1;
  if (is_used(next)) return 0;
  std::vector<AllocationRange> ranges{{}};
  for (const auto& [begin, range] : ranges_) {
    if (!range.is_touched) ranges.push_back({begin, range.end});
  }
  ranges[0].begin = ranges.size() - 1;  // AllocationTable::count
  memory_.write(tables + std::uint64_t{next - 1} * sizeof(AllocationTable),
                std::as_bytes(std::span(ranges)));
  last_ = next;
  is_true_ = true;
  return next;
}

std::uint64_t CompactAllocations::launch_begins(const gpu::Launch& launch, std::uint64_t tables) {
  if (!runs_alone(launch)) return 0;
  const std::uint32_t table = is_true_ ? last_ : make(tables);
  if (table != 0) tables_[raw(launch.id)] = table;
  return std::uint64_t{table} << kTableAt;
}

void CompactAllocations::launch_ends(gpu::LaunchId launch) {
  tables_.erase(raw(launch));
}

}  // namespace redflag::device::compact
