#include "core/detect/pgas/phase.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace redflag::pgas {

std::uint32_t Phase::shape(const Shape& shape) {
  constexpr std::size_t kRecent = 8;
  std::vector<Shape>& shapes = history_.shapes;
  const std::size_t n = shapes.size();
  for (std::size_t i = n; i > 0 && i + kRecent > n; --i) {
    if (shapes[i - 1] == shape) return static_cast<std::uint32_t>(i - 1);
  }
  shapes.push_back(shape);
  has_writes_ = has_writes_ || writes(shape);
  return static_cast<std::uint32_t>(n);
}

std::uint32_t Phase::ended(const Fate& fate) {
  if (!has_ended_ || history_.fates[last_ended_] != fate) {
    last_ended_ = this->fate(fate);
    has_ended_ = true;
  }
  return last_ended_;
}

std::uint32_t Phase::fate(const Fate& fate) {
  if (!free_fates_.empty()) {
    const std::uint32_t number = free_fates_.back();
    free_fates_.pop_back();
    history_.fates[number] = fate;
    return number;
  }
  history_.fates.push_back(fate);
  return static_cast<std::uint32_t>(history_.fates.size() - 1);
}

// A walk is one access, also where a few take turns. Neighbours' elements are in step.
void Phase::add(const Item& item) {
  constexpr std::size_t kTurns = 4;
  std::vector<Item>& items = history_.items;
  const std::size_t n = items.size();
  for (std::size_t i = n; i > 0 && i + kTurns > n; --i) {
    Item& before = items[i - 1];
    if (before.shape != item.shape || before.fate != item.fate || before.at != item.at) continue;
    const Shape& s = history_.shapes[item.shape];
    const std::uint64_t next = s.step == 0 ? before.end : before.end - s.element + s.step;
    if (next == item.begin) {
      before.end = item.end;
      return;
    }
  }
  items.push_back(item);
}

void Phase::add(const Access& access) {
  const std::uint32_t number = access.operation == 0 ? ended(access) : fate(access);
  if (access.operation != 0) expect(access.by.rank, access.operation, number);
  add(Item{access.begin, access.end, access.at, shape(access), number});
}

void Phase::expect(std::uint32_t rank, std::uint64_t operation, std::uint32_t number) {
  Fate& fate = history_.fates[number];
  const Operation key{rank, operation};
  if (const auto at = completions_.find(key); at != completions_.end()) {
    fate.completed = at->second.time;
    fate.completed_by = at->second.by;
  }
  if (fate.completed == kPending) expected_.emplace(key, number);
}

void Phase::complete(std::uint32_t rank, std::uint64_t operation, Time time, ThreadName by) {
  const auto [first, last] = expected_.equal_range({rank, operation});
  if (first == last) {
    completions_[{rank, operation}] = {time, by};
    return;
  }
  for (auto at = first; at != last; ++at) {
    Fate& fate = history_.fates[at->second];
    fate.completed = time;
    fate.completed_by = by;
  }
  expected_.erase(first, last);
}

void Phase::deliver(std::uint32_t rank, std::uint64_t record, Time time, ThreadName by) {
  const auto at = deliverable_.find({rank, record});
  if (at == deliverable_.end()) {
    const auto last = arrived_.find(rank);
    const bool was_here = last != arrived_.end() && record <= last->second;
    if (!was_here) deliveries_[{rank, record}] = {time, by};
    return;
  }
  Fate& fate = history_.fates[at->second];
  fate.delivered = time;
  fate.delivered_by = by;
}

std::uint32_t Phase::deliverable(std::uint32_t rank, std::uint64_t record, std::uint64_t operation,
                                 std::uint32_t number, bool or_later) {
  const auto seen = deliveries_.find({rank, record});
  const bool is_pending = history_.fates[number].completed == kPending;
  if (seen == deliveries_.end() && !is_pending && !or_later) return number;
  Fate own = history_.fates[number];
  if (seen != deliveries_.end()) {
    own.delivered = seen->second.time;
    own.delivered_by = seen->second.by;
  }
  const std::uint32_t made = fate(own);
  if (is_pending) expect(rank, operation, made);
  if (is_pending || or_later) deliverable_[{rank, record}] = made;
  return made;
}

void Phase::deliver_operation(std::uint32_t rank, std::uint64_t operation, Time time,
                              ThreadName by) {
  const auto [first, last] = expected_.equal_range({rank, operation});
  for (auto at = first; at != last; ++at) {
    Fate& fate = history_.fates[at->second];
    if (fate.delivered != kPending) continue;
    fate.delivered = time;
    fate.delivered_by = by;
  }
}

void Phase::arrived(std::uint32_t rank, std::uint64_t record) {
  arrived_[rank] = record;
  deliveries_.erase(deliveries_.lower_bound({rank, 0}), deliveries_.upper_bound({rank, record}));
}

std::vector<Race> Phase::check(bool predicts) {
  completions_.clear();
  deliveries_.clear();
  if (!has_writes_) return {};
  return races_in(history_, {.predicts = predicts});
}

void Phase::end(const Knowledge& of_all, std::size_t kept) {
  const auto is_known = [&](const Item& each) {
    const Fate& fate = history_.fates[each.fate];
    return fate.completed != kPending &&
           of_all.knows(fate.completed_by, AccessView::completion(fate, each.at));
  };
  const auto phase_of = [&](const Item& each) { return history_.fates[each.fate].completed.phase; };
  std::uint32_t from = std::numeric_limits<std::uint32_t>::max();  // the first phase that is kept
  if (kept != 0) {
    std::map<std::uint32_t, std::size_t, std::greater<>> known;  // how many, latest first
    for (const Item& each : history_.items) {
      if (is_known(each)) ++known[phase_of(each)];
    }
    std::size_t sum = 0;
    for (const auto& [phase, count] : known) {
      sum += count;
      if (sum > kept) break;
      from = phase;
    }
  }
  std::erase_if(history_.items,
                [&](const Item& each) { return is_known(each) && phase_of(each) < from; });
  drop_unused();
}

void Phase::take(Phase& other, std::vector<std::uint32_t>& fates) {
  fates.resize(other.history_.fates.size(), kNoFate);
  for (const Item& each : other.history_.items) {
    std::uint32_t& number = fates[each.fate];
    if (number == kNoFate) number = fate(other.history_.fates[each.fate]);
    add({each.begin, each.end, each.at, shape(other.history_.shapes[each.shape]), number});
  }
  other.clear();
}

void Phase::clear() {
  history_.items.clear();
  history_.shapes.clear();
  history_.fates.clear();
  free_fates_.clear();
  has_ended_ = has_writes_ = false;
  expected_.clear();
  deliverable_.clear();
  completions_.clear();
  deliveries_.clear();
}

// Those of one shape follow each other, mostly.
bool Phase::classes(std::vector<AccessClass>& to) const {
  AccessClass* last = nullptr;
  const Item* before = nullptr;
  for (const Item& each : history_.items) {
    const Shape& shape = history_.shapes[each.shape];
    const bool is_atomic = info(shape.kind).is_atomic;
    const Fate& fate = history_.fates[each.fate];
    if (before == nullptr || before->shape != each.shape || is_atomic) {
      if (!shape.issued->exceptions().empty()) return false;
      const std::uint64_t step = is_atomic ? each.begin % shape.atomicity.element : 0;
      const std::uint32_t phase = shape.issued->phase();
      const Shape like = likeness(shape);
      const auto at = std::find_if(to.begin(), to.end(), [&](const AccessClass& c) {
        return c.first_phase == phase && c.step == step && c.like == like;
      });
      if (at != to.end()) {
        last = &*at;
      } else {
        last = &to.emplace_back(AccessClass{.like = like,
                                            .step = step,
                                            .begin = each.begin,
                                            .end = each.end,
                                            .first_phase = phase,
                                            .last_phase = phase});
      }
    }
    before = &each;
    last->add(each.begin, each.end);
    last->last_phase = std::max(last->last_phase, fate.completed.phase);
  }
  return true;
}

// Shapes and fates that nothing has any more. Fates keep their numbers: those that are pending are
// known to others by them.
void Phase::drop_unused() {
  constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  std::vector<std::uint32_t> shapes(history_.shapes.size(), kUnused);
  std::vector<bool> fates(history_.fates.size(), false);
  std::vector<Shape> used;
  for (Item& each : history_.items) {
    std::uint32_t& to = shapes[each.shape];
    if (to == kUnused) {
      to = static_cast<std::uint32_t>(used.size());
      used.push_back(std::move(history_.shapes[each.shape]));
    }
    each.shape = to;
    fates[each.fate] = true;
  }
  history_.shapes = std::move(used);
  has_writes_ = std::any_of(history_.shapes.begin(), history_.shapes.end(),
                            [](const Shape& each) { return writes(each); });
  has_ended_ = false;
  free_fates_.clear();
  for (std::uint32_t i = 0; i < fates.size(); ++i) {
    if (!fates[i]) free_fates_.push_back(i);
  }
  std::erase_if(expected_, [&](const auto& each) { return !fates[each.second]; });
  std::erase_if(deliverable_, [&](const auto& each) { return !fates[each.second]; });
}

}  // namespace redflag::pgas
