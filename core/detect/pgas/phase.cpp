#include "core/detect/pgas/phase.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <tuple>

namespace redflag::pgas {
namespace {

// Alike but for their addresses. Clocks are compared as objects: a thread makes a new one when it
// learns something, and shares it among what it issues until then.
auto likeness(const Access& a) {
  return std::tuple(a.by, a.issued.get(), a.completed, a.completed_by, a.delivered, a.delivered_by,
                    a.object, a.kind, a.atomicity.type, a.atomicity.operation, a.atomicity.element,
                    a.atomicity.any_operation, a.source, a.completed == kPending ? a.operation : 0);
}

// What is under way at the address that the sweep has come to.
class UnderWay {
 public:
  template <typename See>
  void for_each(std::uint64_t at, See see) {
    std::size_t kept = 0;
    for (const Access* each : accesses_) {
      if (each->end <= at) continue;
      accesses_[kept++] = each;
      see(*each);
    }
    accesses_.resize(kept);
  }
  void add(const Access& access) { accesses_.push_back(&access); }

 private:
  std::vector<const Access*> accesses_;
};

}  // namespace

void Phase::complete(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by) {
  completions_[{rank, operation}] = {time, by};
}

void Phase::deliver(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by) {
  deliveries_[{rank, operation}] = {time, by};
}

void Phase::apply_completions() {
  if (completions_.empty() && deliveries_.empty()) return;
  for (Access& each : accesses_) {
    if (each.operation == 0) continue;
    const std::pair key{each.by.rank, each.operation};
    if (const auto at = completions_.find(key);
        at != completions_.end() && each.completed == kPending) {
      each.completed = at->second.time;
      each.completed_by = at->second.by;
    }
    if (const auto at = deliveries_.find(key); at != deliveries_.end()) {
      each.delivered = at->second.time;
      each.delivered_by = at->second.by;
    }
  }
  completions_.clear();
  deliveries_.clear();
}

// Neighbours that are alike become one. Elements of atomics stay in step: they are only joined where
// the distance is whole elements, which neighbours' is.
void Phase::merge() {
  std::sort(accesses_.begin(), accesses_.end(), [](const Access& a, const Access& b) {
    return std::tuple_cat(likeness(a), std::tuple(a.begin)) <
           std::tuple_cat(likeness(b), std::tuple(b.begin));
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    Access& each = accesses_[i];
    if (kept != 0) {
      Access& last = accesses_[kept - 1];
      const bool in_step =
          !info(each.kind).is_atomic || (each.begin - last.begin) % each.atomicity.element == 0;
      if (likeness(last) == likeness(each) && each.begin <= last.end && in_step) {
        last.end = std::max(last.end, each.end);
        continue;
      }
    }
    if (kept != i) accesses_[kept] = std::move(each);
    ++kept;
  }
  accesses_.resize(kept);
}

std::vector<Race> Phase::check() {
  apply_completions();
  merge();
  std::vector<const Access*> by_address;
  by_address.reserve(accesses_.size());
  for (const Access& each : accesses_) by_address.push_back(&each);
  std::sort(by_address.begin(), by_address.end(), [](const Access* a, const Access* b) {
    return a->begin != b->begin ? a->begin < b->begin : a < b;
  });
  std::vector<Race> races;
  std::set<std::tuple<std::uint64_t, std::uint64_t, AccessKind, AccessKind>> told;
  UnderWay reads;
  UnderWay writers;
  for (const Access* now : by_address) {
    const auto see = [&](const Access& earlier) {
      if (!is_race(earlier, *now)) return;
      auto key = std::tuple(earlier.source, now->source, earlier.kind, now->kind);
      const auto mirrored = std::tuple(now->source, earlier.source, now->kind, earlier.kind);
      if (mirrored < key) key = mirrored;
      if (!told.insert(key).second) return;
      races.push_back({earlier, *now, now->begin, std::min(earlier.end, now->end)});
    };
    writers.for_each(now->begin, see);
    if (writes(*now)) {
      reads.for_each(now->begin, see);
      writers.add(*now);
    } else {
      reads.add(*now);
    }
  }
  return races;
}

void Phase::end(const Knowledge& of_all, std::size_t kept) {
  const auto is_known = [&](const Access& each) {
    return each.completed != kPending && of_all.knows(each.completed_by, each.completed);
  };
  std::uint32_t from = std::numeric_limits<std::uint32_t>::max();  // the first phase that is kept
  if (kept != 0) {
    std::map<std::uint32_t, std::size_t, std::greater<>> known;  // how many, latest first
    for (const Access& each : accesses_) {
      if (is_known(each)) ++known[each.completed.phase];
    }
    std::size_t sum = 0;
    for (const auto& [phase, count] : known) {
      sum += count;
      if (sum > kept) break;
      from = phase;
    }
  }
  std::erase_if(accesses_,
                [&](const Access& each) { return is_known(each) && each.completed.phase < from; });
}

}  // namespace redflag::pgas
