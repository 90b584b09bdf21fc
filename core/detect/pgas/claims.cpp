#include "core/detect/pgas/claims.h"

#include <algorithm>
#include <limits>

namespace redflag::pgas {
namespace {

std::uint64_t counter_of(std::span<const Knowledge::Known> in_order, ThreadName thread) {
  const auto at =
      std::lower_bound(in_order.begin(), in_order.end(), thread,
                       [](const Knowledge::Known& k, ThreadName t) { return k.thread < t; });
  return at != in_order.end() && at->thread == thread ? at->counter : 0;
}

// Of both, what is in both, as far as the one that knows less.
void intersect(std::vector<Knowledge::Known>& with, const Knowledge& other) {
  auto at = other.known().begin();
  const auto end = other.known().end();
  std::erase_if(with, [&](Knowledge::Known& each) {
    while (at != end && at->thread < each.thread) ++at;
    if (at == end || at->thread != each.thread) return true;
    each.counter = std::min(each.counter, at->counter);
    return false;
  });
}

}  // namespace

void Claims::renew(std::uint32_t rank, Claim claim) {
  if (claim.phase < all_[rank].phase) return;
  all_[rank] = std::move(claim);
  phase_ = std::numeric_limits<std::uint32_t>::max();
  for (const Claim& each : all_) phase_ = std::min(phase_, each.phase);
}

void Claims::all_told(const Knowledge& of_all) {
  phase_ = of_all.phase();
  for (Claim& each : all_) {
    each.phase = phase_;
    each.least.assign(1, of_all);
    each.enters = 0;
  }
}

bool Claims::is_whole(const Knowledge& issued) const {
  if (issued.phase() > phase_) return false;
  return std::all_of(issued.known().begin(), issued.known().end(),
                     [&](const Knowledge::Known& each) {
                       const auto [rank, index] = each.thread;
                       if (rank == owner_ || rank >= all_.size()) return true;
                       // Fences towards others order nothing here.
                       if (index >= kDelivery && (index & ~kDelivery) != owner_) return true;
                       return counter_of(all_[rank].told, each.thread) >= each.counter;
                     });
}

void Claims::find_floor(std::span<const Knowledge> waiting) {
  const bool has_threads =
      std::any_of(all_.begin(), all_.end(), [](const Claim& claim) { return claim.has_threads; });
  std::vector<Knowledge> all(waiting.begin(), waiting.end());
  for (const Claim& claim : all_) {
    if (claim.enters != 0 && !has_threads) {
      all.emplace_back().enter(claim.enters);
    } else if (claim.least.empty()) {
      all.emplace_back();
    } else {
      all.insert(all.end(), claim.least.begin(), claim.least.end());
    }
  }
  lower(all);
}

// A phase says nothing of the counters that it makes known. So of those who are in a later one than the
// first, it counts for times before theirs only; and threads of which phases say nothing are asked for
// one by one.
void Claims::lower(std::span<const Knowledge> all) {
  constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
  floor_phase_ = kLast;
  exceptions_.clear();
  for (const Knowledge& each : all) {
    floor_phase_ = std::min(floor_phase_, each.phase());
    exceptions_.insert(exceptions_.end(), each.exceptions().begin(), each.exceptions().end());
  }
  std::sort(exceptions_.begin(), exceptions_.end());
  exceptions_.erase(std::unique(exceptions_.begin(), exceptions_.end()), exceptions_.end());
  below_ = kLast;
  known_.clear();
  bool is_first = true;
  for (const Knowledge& each : all) {
    if (each.phase() > floor_phase_) {
      below_ = std::min(below_, each.phase());
    } else if (is_first) {
      known_ = each.known();
      is_first = false;
    } else {
      intersect(known_, each);
    }
  }
  for (Knowledge::Known& known : known_) {
    if (!is_exception(known.thread)) continue;
    for (const Knowledge& each : all) {
      known.counter = std::min(known.counter, each.counter_of(known.thread));
    }
  }
}

bool Claims::is_exception(ThreadName thread) const {
  return thread.index >= kDelivery ||
         std::binary_search(exceptions_.begin(), exceptions_.end(), thread);
}

bool Claims::known_to_all(ThreadName thread, Time time) const {
  if (!is_exception(thread)) {
    if (time.phase < floor_phase_) return true;
    if (time.phase >= below_) return false;
  }
  const std::uint64_t counter = counter_of(known_, thread);
  return counter != 0 && counter >= time.counter;
}

}  // namespace redflag::pgas
