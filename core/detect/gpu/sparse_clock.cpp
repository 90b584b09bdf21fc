#include "core/detect/gpu/sparse_clock.h"

#include <algorithm>
#include <bit>
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

void SparseClock::join(const SparseClock& other) {
  if (other.runs_ == nullptr || runs_ == other.runs_) return;
  if (runs_ == nullptr) {
    runs_ = other.runs_;
    return;
  }
  const std::vector<Run>& a = *runs_;
  const std::vector<Run>& b = *other.runs_;
  work_ += a.size() + b.size();
  std::vector<Run> out;
  out.reserve(a.size() + b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  ThreadIndex at = 0;
  // Between two borders of either list both are constant: the larger of the two times.
  while (i < a.size() || j < b.size()) {
    const Run left = i < a.size() ? a[i] : Run{~0U, ~0U, 0};
    const Run right = j < b.size() ? b[j] : Run{~0U, ~0U, 0};
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
  if (out == a) return;
  if (out == b) {
    runs_ = other.runs_;
    return;
  }
  out.shrink_to_fit();
  runs_ = std::make_shared<const std::vector<Run>>(std::move(out));
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
