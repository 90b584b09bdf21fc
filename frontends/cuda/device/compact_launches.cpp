#include "frontends/cuda/device/compact_launches.h"

#include <algorithm>

#include "core/detect/gpu/compact/line.h"

namespace redflag::device::compact {
namespace {

constexpr std::size_t kMostPoints = 1U << 16;   // of HostOrder, in a generation
constexpr std::size_t kMostAccesses = 1U << 8;  // of the host that are compared with
constexpr std::size_t kMostTold = 1U << 12;

}  // namespace

Unordered CompactLaunches::launch(const gpu::Launch& launch, bool is_checked) {
  if (order_.count() >= kMostPoints) begin_again();
  Unordered out;
  const gpu::HostOrder::Number number = order_.launch(launch);
  if (!is_checked) return out;
  const std::uint32_t bits = raw(launch.id) & gpu::compact::kLaunchMask;
  for (const Past& past : launches_) {
    if (!order_.knows(number, past.number)) out.launches |= std::uint64_t{1} << past.bits;
  }
  for (const HostAccess& access : accesses_) {
    if (!order_.knows(number, access.number)) out.accesses.push_back(access);
  }
  launches_.push_back({number, bits});
  return out;
}

Unordered CompactLaunches::host(const gpu::HostStep& step) {
  Unordered out;
  const std::uint64_t end = step.address + step.size;
  if (step.kind == gpu::HostKind::kFree) freed_[step.address] = end;
  if (step.kind == gpu::HostKind::kAlloc) forget(step.address, end);
  const gpu::HostOrder::Number number = order_.host(step);
  if (number != 0 && step.size != 0) {
    const bool writes =
        step.kind == gpu::HostKind::kWrite || step.kind == gpu::HostKind::kHostWrite;
    out.self = {next_id_++, number, step, writes};
    for (const Past& past : launches_) {
      if (!order_.knows(number, past.number)) out.launches |= std::uint64_t{1} << past.bits;
    }
    for (const HostAccess& other : accesses_) {
      if ((writes || other.writes) && other.overlaps(step.address, end) &&
          !order_.knows(number, other.number)) {
        out.accesses.push_back(other);
      }
    }
    if (accesses_.size() == kMostAccesses) accesses_.erase(accesses_.begin());
    accesses_.push_back(out.self);
    told_[out.self.id] = out.self;
    if (told_.size() > kMostTold) told_.erase(told_.begin());
  }
  if (order_.all_known_everywhere()) begin_again();
  return out;
}

const HostAccess* CompactLaunches::find(std::uint32_t id) const {
  const auto at = told_.find(id);
  return at == told_.end() ? nullptr : &at->second;
}

void CompactLaunches::begin_again() {
  order_.restart();
  launches_.clear();
  accesses_.clear();
  freed_.clear();
}

void CompactLaunches::forget(std::uint64_t from, std::uint64_t end) {
  std::erase_if(accesses_, [&](const HostAccess& one) { return one.overlaps(from, end); });
  const bool again = std::any_of(freed_.begin(), freed_.end(), [&](const auto& range) {
    return range.first < end && from < range.second;
  });
  if (!again) return;
  launches_.clear();
  freed_.clear();
}

}  // namespace redflag::device::compact
