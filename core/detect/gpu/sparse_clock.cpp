#include "core/detect/gpu/sparse_clock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace redflag::gpu {
namespace {

void append(std::vector<Run>& to, ThreadIndex begin, ThreadIndex end, Time time) {
  if (begin >= end || time == 0) return;
  if (!to.empty() && to.back().end == begin && to.back().time == time) {
    to.back().end = end;
  } else {
    to.push_back({begin, end, time});
  }
}

}  // namespace

SparseClock SparseClock::of(ThreadIndex first, Lanes lanes, Time time) {
  std::vector<Run> runs;
  while (lanes != 0) {
    const auto begin = static_cast<unsigned>(std::countr_zero(lanes));
    const auto length = static_cast<unsigned>(std::countr_one(lanes >> begin));
    append(runs, first + begin, first + begin + length, time);
    lanes = begin + length >= kWarp ? 0 : lanes & ~((Lanes{1} << (begin + length)) - 1);
  }
  return of(std::move(runs));
}

SparseClock SparseClock::of(std::vector<Run> runs) {
  SparseClock clock;
  if (!runs.empty()) clock.runs_ = std::make_shared<const std::vector<Run>>(std::move(runs));
  return clock;
}

const std::vector<Run>& SparseClock::runs() const {
  static const std::vector<Run> none;
  return runs_ == nullptr ? none : *runs_;
}

Time SparseClock::at(ThreadIndex thread) const {
  if (runs_ == nullptr) return 0;
  const auto after = std::upper_bound(runs_->begin(), runs_->end(), thread,
                                      [](ThreadIndex t, const Run& run) { return t < run.begin; });
  if (after == runs_->begin()) return 0;
  const Run& run = *(after - 1);
  return thread < run.end ? run.time : 0;
}

namespace {

// Between two borders of either list both are constant: the larger of the two times. Where one list
// has nothing, the other's runs are copied in one go.
std::vector<Run> merge(const std::vector<Run>& a, const std::vector<Run>& b) {
  std::vector<Run> out;
  out.reserve(a.size() + b.size());
  const auto copy_until = [&out](const std::vector<Run>& from, std::size_t& i, ThreadIndex limit) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::partition_point(begin, from.end(),
                                          [limit](const Run& run) { return run.end <= limit; });
    if (begin == end) return;
    append(out, begin->begin, begin->end, begin->time);
    out.insert(out.end(), begin + 1, end);
    i += static_cast<std::size_t>(end - begin);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  ThreadIndex at = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].begin >= at && a[i].end <= b[j].begin) {
      copy_until(a, i, b[j].begin);
      continue;
    }
    if (b[j].begin >= at && b[j].end <= a[i].begin) {
      copy_until(b, j, a[i].begin);
      continue;
    }
    const Run left = a[i];
    const Run right = b[j];
    at = std::max(at, std::min(left.begin, right.begin));
    const bool in_left = left.begin <= at;
    const bool in_right = right.begin <= at;
    const ThreadIndex end =
        std::min(in_left ? left.end : left.begin, in_right ? right.end : right.begin);
    append(out, at, end, std::max(in_left ? left.time : 0, in_right ? right.time : 0));
    at = end;
    if (left.end <= at) ++i;
    if (right.end <= at) ++j;
  }
  for (const auto& [list, from] : {std::pair{&a, i}, std::pair{&b, j}}) {
    if (from == list->size()) continue;
    const Run& first = (*list)[from];
    append(out, std::max(at, first.begin), first.end, first.time);
    out.insert(out.end(), list->begin() + static_cast<std::ptrdiff_t>(from) + 1, list->end());
  }
  return out;
}

// Does `a` say of every thread at least what `b` says? Mostly answered long before the end when not.
bool contains(const std::vector<Run>& a, const std::vector<Run>& b) {
  std::size_t i = 0;
  for (const Run& run : b) {
    ThreadIndex at = run.begin;
    while (at < run.end) {
      while (i < a.size() && a[i].end <= at) ++i;
      if (i == a.size() || a[i].begin > at || a[i].time < run.time) return false;
      at = a[i].end;
    }
  }
  return true;
}

// At a grid barrier all blocks join the same two clocks: the last results are kept.
struct Joined {
  std::shared_ptr<const std::vector<Run>> a, b, result;
};
constexpr std::size_t kJoinedCount = 16;
constexpr std::size_t kWorthKeeping = 64;  // runs
std::array<Joined, kJoinedCount>& joined() {
  static thread_local std::array<Joined, kJoinedCount> cache;
  return cache;
}

}  // namespace

void SparseClock::forget_joins() {
  joined() = {};
}

void SparseClock::join(const SparseClock& other) {
  if (other.runs_ == nullptr || runs_ == other.runs_) return;
  if (runs_ == nullptr) {
    runs_ = other.runs_;
    return;
  }
  const bool keep = runs_->size() >= kWorthKeeping && other.runs_->size() >= kWorthKeeping;
  const auto mixed = reinterpret_cast<std::uintptr_t>(runs_.get()) * 31 +
                     reinterpret_cast<std::uintptr_t>(other.runs_.get());
  Joined& last = joined()[(mixed >> 5) % kJoinedCount];
  if (keep && last.a == runs_ && last.b == other.runs_) {
    runs_ = last.result;
    return;
  }
  work_ += runs_->size() + other.runs_->size();
  std::shared_ptr<const std::vector<Run>> result;
  if (contains(*runs_, *other.runs_)) {
    result = runs_;
  } else if (contains(*other.runs_, *runs_)) {
    result = other.runs_;
  } else {
    std::vector<Run> out = merge(*runs_, *other.runs_);
    out.shrink_to_fit();
    result = std::make_shared<const std::vector<Run>>(std::move(out));
  }
  if (keep) last = {runs_, other.runs_, result};
  runs_ = std::move(result);
}

void SparseClock::forget(ThreadIndex begin, ThreadIndex end, Time time) {
  if (runs_ == nullptr) return;
  const bool any = std::any_of(runs_->begin(), runs_->end(), [&](const Run& run) {
    return run.begin < end && run.end > begin && run.time <= time;
  });
  if (!any) return;
  std::vector<Run> out;
  for (const Run& run : *runs_) {
    if (run.time > time || run.end <= begin || run.begin >= end) {
      append(out, run.begin, run.end, run.time);
      continue;
    }
    append(out, run.begin, std::min(run.end, begin), run.time);
    append(out, std::max(run.begin, end), run.end, run.time);
  }
  *this = of(std::move(out));
}

}  // namespace redflag::gpu
