#include "core/detect/pgas/races.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/detect/pgas/intervals.h"
#include "core/detect/pgas/polling.h"
#include "core/detect/pgas/predicted.h"
#include "core/detect/pgas/sift.h"

namespace redflag::pgas {
namespace {

// Of two accesses, whichever comes first.
using Places = std::tuple<std::uint64_t, std::uint64_t, AccessKind, AccessKind>;
Places places_of(const Shape& a, const Shape& b) {
  return std::min(Places(a.source, b.source, a.kind, b.kind),
                  Places(b.source, a.source, b.kind, a.kind));
}

class Search {
 public:
  Search(const History& history, const Looks& looks) : history_(history), looks_(looks) {}
  std::vector<Race> run();

 private:
  // What has come to a piece of memory.
  struct Here {
    Some operations;
    Some locals;
    std::size_t seen = 0;  // operations that the last of them was compared with
  };

  void find_phases();
  void look_at_phases();
  void check(Some items);
  void compare(Some& items);
  void come(std::uint32_t i, Here& here);
  void come_home(std::uint32_t i, Here& here);
  bool is_covered(const AccessView& earlier, const AccessView& now) const;
  void meet(std::uint32_t earlier, std::uint32_t now);
  Item part_in(Item item, const Item& other) const;
  void tell(const Item& earlier, const Item& now, bool is_predicted);

  const Item& item(std::uint32_t i) const { return history_.items[i]; }
  const Shape& shape(std::uint32_t i) const { return history_.shapes[item(i).shape]; }
  std::uint32_t first_phase(const Item& i) const {
    return history_.shapes[i.shape].issued->phase();
  }
  std::uint32_t last_phase(const Item& i) const { return history_.fates[i.fate].completed.phase; }

  const History& history_;
  const Looks looks_;
  bool is_by_phases_ = true;           // no thread is unknown to a barrier's caller
  std::vector<std::uint32_t> phases_;  // that something was issued in, ascending
  std::vector<std::uint64_t> sums_;    // by shape: of what was known
  std::set<Places> told_;
  std::set<Places> predicted_;
  std::vector<Race> races_;
};

void Search::find_phases() {
  std::uint32_t last = ~std::uint32_t{0};
  std::set<std::uint32_t> all;
  for (const Item& each : history_.items) {
    if (each.shape == last) continue;
    last = each.shape;
    const Knowledge& issued = *history_.shapes[last].issued;
    is_by_phases_ = is_by_phases_ && issued.exceptions().empty();
    all.insert(issued.phase());
  }
  phases_.assign(all.begin(), all.end());
}

std::vector<Race> Search::run() {
  find_phases();
  if (is_by_phases_) {
    look_at_phases();
  } else {
    Some all(history_.items.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    check(std::move(all));
  }
  // What happened need not be predicted.
  std::erase_if(races_, [&](const Race& each) {
    return each.is_predicted && told_.contains(places_of(each.first, each.second));
  });
  for (Race& each : races_) each.is_polling = is_polling(history_, each);
  return std::move(races_);
}

// Two accesses can race if both were under way in a phase, and then in that in which the later was
// issued.
void Search::look_at_phases() {
  std::vector<Some> buckets(phases_.size());
  const auto put = [&](std::uint32_t i, bool only_to_others) {
    const Item& it = item(i);
    const auto from = std::lower_bound(phases_.begin(), phases_.end(), first_phase(it));
    for (auto at = from; at != phases_.end() && *at <= last_phase(it); ++at) {
      Some& bucket = buckets[static_cast<std::size_t>(at - phases_.begin())];
      if (!only_to_others || !bucket.empty()) bucket.push_back(i);
    }
  };
  const auto n = static_cast<std::uint32_t>(history_.items.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!info(shape(i).kind).is_local) put(i, false);
  }
  // Loads and stores of one rank race with operations only.
  Some all(n);
  for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
  const bool only_to_others = is_one_rank(history_, all);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (info(shape(i).kind).is_local) put(i, only_to_others);
  }
  for (Some& each : buckets) {
    check(std::move(each));
    each = {};
  }
}

void Search::check(Some items) {
  sift(history_, items);
  if (items.size() < 2) return;
  const bool is_strided = std::any_of(items.begin(), items.end(), [&](std::uint32_t i) {
    return shape(i).step != 0 && !info(shape(i).kind).is_local;
  });
  if (!is_strided) return compare(items);
  const History elements = history_.cut_operations(items);
  Search inner(elements, looks_);
  inner.told_.swap(told_);
  inner.predicted_.swap(predicted_);
  Some all(elements.items.size());
  std::iota(all.begin(), all.end(), 0U);
  sift(elements, all);
  if (all.size() >= 2) inner.compare(all);
  inner.told_.swap(told_);
  inner.predicted_.swap(predicted_);
  races_.insert(races_.end(), inner.races_.begin(), inner.races_.end());
}

// Whoever comes later and races with `earlier` races with `now`, too.
bool Search::is_covered(const AccessView& earlier, const AccessView& now) const {
  const Shape& a = earlier.shape;
  const Shape& b = now.shape;
  if (!is_before(earlier, now)) return false;
  if (looks_.predicts &&
      (!is_certainly_before(earlier, now) || !contains_all(a.issued->held(), b.issued->held()))) {
    return false;
  }
  if (writes(b) && !info(b.kind).is_atomic && !is_of_processor(b.kind)) return true;
  return a.kind == b.kind && a.by == b.by && a.atomicity == b.atomicity;
}

void Search::compare(Some& items) {
  // What is known grows along happens-before: the sum of all counters, within a phase.
  sums_.assign(history_.shapes.size(), 0);
  for (const std::uint32_t i : items) {
    std::uint64_t& sum = sums_[item(i).shape];
    if (sum != 0) continue;
    for (const Knowledge::Known& each : shape(i).issued->known()) sum += each.counter;
  }
  std::sort(items.begin(), items.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t p = first_phase(item(a));
    const std::uint32_t q = first_phase(item(b));
    return p != q ? p < q : sums_[item(a).shape] + item(a).at < sums_[item(b).shape] + item(b).at;
  });
  // Operations cut memory into pieces; loads and stores, which are many and meet operations only, do not.
  OrderedIntervals<Here> intervals;
  const bool has_home = is_one_rank(history_, items);
  const auto is_at_home = [&](std::uint32_t i) { return has_home && info(shape(i).kind).is_local; };
  for (const std::uint32_t i : items) {
    if (is_at_home(i)) continue;
    intervals.visit(item(i).begin, item(i).end, [](std::uint64_t, std::uint64_t, Here&) {});
  }
  for (const std::uint32_t i : items) {
    if (is_at_home(i)) {
      intervals.look(item(i).begin, item(i).end, [&](Here& here) { come_home(i, here); });
    } else {
      intervals.visit(item(i).begin, item(i).end,
                      [&](std::uint64_t, std::uint64_t, Here& here) { come(i, here); });
    }
  }
}

// An operation, which has all bytes of the piece.
void Search::come(std::uint32_t i, Here& here) {
  const AccessView now = history_.view(item(i));
  for (Some* const earlier : {&here.operations, &here.locals}) {
    for (const std::uint32_t k : *earlier) meet(k, i);
    if (earlier->size() < looks_.keeps) continue;
    std::erase_if(*earlier,
                  [&](std::uint32_t k) { return is_covered(history_.view(item(k)), now); });
  }
  here.operations.push_back(i);
}

// A load or store. What one place did at one time is one, for the operations of the piece.
void Search::come_home(std::uint32_t i, Here& here) {
  if (here.seen == here.operations.size() && !here.locals.empty() && shape(i).step == 0) {
    const Item& last = item(here.locals.back());
    if (last.shape == item(i).shape && last.at == item(i).at) return;
  }
  for (const std::uint32_t k : here.operations) meet(k, i);
  here.seen = here.operations.size();
  here.locals.push_back(i);
}

void Search::meet(std::uint32_t earlier, std::uint32_t now) {
  const AccessView a = history_.view(item(earlier));
  const AccessView b = history_.view(item(now));
  if (is_race(a, b)) {
    tell(item(earlier), item(now), false);
  } else if (looks_.predicts && is_predicted(a, b)) {
    tell(item(earlier), item(now), true);
  }
}

// Of a strided one, the element that the other one touches.
Item Search::part_in(Item item, const Item& other) const {
  const Shape& shape = history_.shapes[item.shape];
  if (shape.step == 0) return item;
  item.begin = first_behind(history_.view(item), other.begin);
  item.end = item.begin + shape.element;
  return item;
}

void Search::tell(const Item& earlier, const Item& now, bool is_predicted) {
  const Item one = part_in(earlier, now);
  const Item other = part_in(now, earlier);
  const bool in_order = one.begin <= other.begin;
  const AccessView a = history_.view(in_order ? one : other);
  const AccessView b = history_.view(in_order ? other : one);
  if (!(is_predicted ? predicted_ : told_).insert(places_of(a.shape, b.shape)).second) return;
  const auto access = [](const AccessView& v) {
    Access made{v.shape, v.fate, v.at, v.begin, v.end, 0};
    made.completed = v.completed();
    made.step = made.element = 0;
    return made;
  };
  races_.push_back({access(a), access(b), b.begin, std::min(a.end, b.end), is_predicted});
}

}  // namespace

History History::cut() const {
  History made{shapes, fates, {}};
  for (Shape& each : made.shapes) each.step = each.element = 0;
  for (const Item& each : items) {
    const Shape& shape = shapes[each.shape];
    const std::uint64_t size = shape.step == 0 ? each.end - each.begin : shape.element;
    for (Item part = each; part.begin < each.end; part.begin += shape.step) {
      part.end = part.begin + size;
      made.items.push_back(part);
      if (shape.step == 0) break;
    }
  }
  return made;
}

History History::cut_operations(const Some& some) const {
  History made{shapes, fates, {}};
  std::map<std::uint32_t, std::uint32_t> whole;  // by a strided one: the same without gaps
  for (const std::uint32_t i : some) {
    Item part = items[i];
    const Shape& shape = shapes[part.shape];
    if (shape.step == 0 || info(shape.kind).is_local) {
      made.items.push_back(part);
      continue;
    }
    const auto [at, is_new] =
        whole.emplace(part.shape, static_cast<std::uint32_t>(made.shapes.size()));
    if (is_new) {
      made.shapes.push_back(shape);
      made.shapes.back().step = made.shapes.back().element = 0;
    }
    part.shape = at->second;
    for (const std::uint64_t end = part.end; part.begin < end; part.begin += shape.step) {
      part.end = part.begin + shape.element;
      made.items.push_back(part);
    }
  }
  return made;
}

// Loads and stores of several ranks may race with each other, element by element.
std::vector<Race> races_in(const History& history, const Looks& looks) {
  const bool is_strided = std::any_of(history.shapes.begin(), history.shapes.end(),
                                      [](const Shape& each) { return each.step != 0; });
  if (!is_strided) return Search(history, looks).run();
  Some all(history.items.size());
  std::iota(all.begin(), all.end(), 0U);
  if (is_one_rank(history, all)) return Search(history, looks).run();
  const History cut = history.cut();
  return Search(cut, looks).run();
}

}  // namespace redflag::pgas
