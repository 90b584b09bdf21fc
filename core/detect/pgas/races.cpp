#include "core/detect/pgas/races.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "core/detect/pgas/intervals.h"

namespace redflag::pgas {
namespace {

// Numbers of items.
using Some = std::vector<std::uint32_t>;

// Memory, as a set.
class Stretches {
 public:
  void add(std::uint64_t begin, std::uint64_t end) { all_.push_back({begin, end}); }
  // In order, and joined where they touch; before they are asked.
  void settle() {
    std::sort(all_.begin(), all_.end(),
              [](const One& a, const One& b) { return a.begin < b.begin; });
    std::size_t n = 0;
    for (const One& each : all_) {
      if (n != 0 && each.begin <= all_[n - 1].end) {
        all_[n - 1].end = std::max(all_[n - 1].end, each.end);
      } else {
        all_[n++] = each;
      }
    }
    all_.resize(n);
  }
  bool meet(std::uint64_t begin, std::uint64_t end) const {
    const auto at =
        std::upper_bound(all_.begin(), all_.end(), begin,
                         [](std::uint64_t address, const One& one) { return address < one.end; });
    return at != all_.end() && at->begin < end;
  }

 private:
  struct One {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<One> all_;
};

class Search {
 public:
  Search(const History& history, std::size_t keeps) : history_(history), keeps_(keeps) {}
  std::vector<Race> run();

 private:
  // Items that conflict with others alike, if at all, and where they are.
  struct Class {
    Shape like;           // kind, atomicity, object; the rank, of loads and stores
    std::uint64_t step;   // of atomics: where elements begin
    std::uint64_t begin;  // of all of them
    std::uint64_t end;
    bool is_alone = true;
  };

  // What has come to a piece of memory.
  struct Here {
    Some operations;
    Some locals;
    std::size_t seen = 0;  // operations that the last of them was compared with
  };

  void find_phases();
  void check(Some items);
  std::uint32_t class_of(const Item& item);
  void leave_out_alone(Some& items);
  void leave_out_local(Some& items);
  void leave_out_disjoint(Some& items);
  void compare(Some& items);
  void come(std::uint32_t i, Here& here);
  void come_home(std::uint32_t i, Here& here);
  // All loads and stores are of one rank: none of them races with another.
  bool is_one_rank(const Some& items) const;
  bool is_covered(const AccessView& earlier, const AccessView& now) const;
  void tell(const Item& earlier, const Item& now);

  const Item& item(std::uint32_t i) const { return history_.items[i]; }
  const Shape& shape(std::uint32_t i) const { return history_.shapes[item(i).shape]; }
  std::uint32_t first_phase(const Item& i) const {
    return history_.shapes[i.shape].issued->phase();
  }
  std::uint32_t last_phase(const Item& i) const { return history_.fates[i.fate].completed.phase; }

  const History& history_;
  const std::size_t keeps_;
  bool is_by_phases_ = true;           // no thread is unknown to a barrier's caller
  std::vector<std::uint32_t> phases_;  // that something was issued in, ascending
  std::vector<Class> classes_;
  std::vector<std::uint64_t> sums_;  // by shape: of what was known
  std::set<std::tuple<std::uint64_t, std::uint64_t, AccessKind, AccessKind>> told_;
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

// Two accesses can race if both were under way in a phase, and then in that in which the later was
// issued.
std::vector<Race> Search::run() {
  find_phases();
  if (!is_by_phases_) {
    Some all(history_.items.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    check(std::move(all));
    return std::move(races_);
  }
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
  const bool only_to_others = is_one_rank(all);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (info(shape(i).kind).is_local) put(i, only_to_others);
  }
  for (Some& each : buckets) {
    check(std::move(each));
    each = {};
  }
  return std::move(races_);
}

bool Search::is_one_rank(const Some& items) const {
  std::optional<std::uint32_t> rank;
  for (const std::uint32_t i : items) {
    if (!info(shape(i).kind).is_local) continue;
    if (rank && *rank != shape(i).by.rank) return false;
    rank = shape(i).by.rank;
  }
  return true;
}

void Search::check(Some items) {
  if (items.size() < 2) return;
  leave_out_alone(items);
  leave_out_local(items);
  leave_out_alone(items);  // operations that met loads and stores only
  leave_out_disjoint(items);
  if (items.size() >= 2) compare(items);
}

std::uint32_t Search::class_of(const Item& it) {
  const Shape& s = history_.shapes[it.shape];
  Shape like;
  like.kind = s.kind;
  like.atomicity = s.atomicity;
  like.object = s.object;
  if (info(s.kind).is_local) like.by.rank = s.by.rank;
  const std::uint64_t step = info(s.kind).is_atomic ? it.begin % s.atomicity.element : 0;
  const auto at = std::find_if(classes_.begin(), classes_.end(),
                               [&](const Class& c) { return c.step == step && c.like == like; });
  if (at != classes_.end()) return static_cast<std::uint32_t>(at - classes_.begin());
  classes_.push_back({like, step, it.begin, it.end});
  return static_cast<std::uint32_t>(classes_.size() - 1);
}

// Items of a class that conflicts with none in the same memory.
void Search::leave_out_alone(Some& items) {
  classes_.clear();
  std::vector<std::uint32_t> of(items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Item& it = item(items[k]);
    const bool as_before = k != 0 && it.shape == item(items[k - 1]).shape &&
                           !info(history_.shapes[it.shape].kind).is_atomic;
    of[k] = as_before ? of[k - 1] : class_of(it);
    Class& c = classes_[of[k]];
    c.begin = std::min(c.begin, it.begin);
    c.end = std::max(c.end, it.end);
  }
  const Fate none;
  for (Class& x : classes_) {
    for (Class& y : classes_) {
      if (x.begin >= y.end || y.begin >= x.end) continue;
      if (are_of_one_process(x.like, y.like)) continue;
      const AccessView one{x.step, x.step + 1, 0, x.like, none};
      const AccessView other{y.step, y.step + 1, 0, y.like, none};
      if (are_compatible(one, other)) continue;
      x.is_alone = y.is_alone = false;
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!classes_[of[k]].is_alone) items[kept++] = items[k];
  }
  items.resize(kept);
}

// A rank's own loads and stores where no operation was under way. Operations of another thread count
// wherever they came, those of the same thread from their issue to their end: what it did before the
// one or behind the other is ordered with it.
void Search::leave_out_local(Some& items) {
  const auto is_local = [&](std::uint32_t i) { return info(shape(i).kind).is_local; };
  const auto local = std::find_if(items.begin(), items.end(), is_local);
  if (local == items.end()) return;
  const ThreadName by = shape(*local).by;
  if (!is_one_rank(items)) return;
  Stretches others;
  Some own;  // operations of the first one's thread
  for (const std::uint32_t i : items) {
    if (is_local(i)) continue;
    if (shape(i).by == by && history_.fates[item(i).fate].completed_by == by) {
      own.push_back(i);
    } else {
      others.add(item(i).begin, item(i).end);
    }
  }
  std::sort(own.begin(), own.end(),
            [&](std::uint32_t a, std::uint32_t b) { return item(a).at < item(b).at; });
  others.settle();
  Stretches all = others;
  for (const std::uint32_t i : own) all.add(item(i).begin, item(i).end);
  all.settle();
  // How long the thread's operations are under way, as far as they have been issued.
  OrderedIntervals<std::uint64_t> until;
  std::size_t issued = 0;
  std::uint64_t last = 0;
  std::erase_if(items, [&](std::uint32_t i) {
    if (!is_local(i)) return false;
    const Item& it = item(i);
    if (!all.meet(it.begin, it.end)) return true;
    if (shape(i).by != by || it.at < last || others.meet(it.begin, it.end)) return false;
    last = it.at;
    for (; issued < own.size() && item(own[issued]).at < it.at; ++issued) {
      const Item& operation = item(own[issued]);
      const std::uint64_t end = history_.fates[operation.fate].completed.counter;
      until.visit(operation.begin, operation.end, [&](std::uint64_t, std::uint64_t, auto& to) {
        to = std::max<std::uint64_t>(to, end);
      });
    }
    bool is_under_way = false;
    until.look(it.begin, it.end,
               [&](std::uint64_t end) { is_under_way = is_under_way || end > it.at; });
    return !is_under_way;
  });
}

// Items that no other has bytes of. (One that meets something met what was the furthest then, as the
// later of the two or as the furthest itself.)
void Search::leave_out_disjoint(Some& items) {
  Some by_address;
  const bool has_home = is_one_rank(items);
  bool has_locals = false;
  for (const std::uint32_t i : items) {
    const bool is_local = has_home && info(shape(i).kind).is_local;
    has_locals = has_locals || is_local;
    if (!is_local) by_address.push_back(i);
  }
  if (by_address.empty() || has_locals) return;  // they meet operations, or were left out
  std::sort(by_address.begin(), by_address.end(),
            [&](std::uint32_t a, std::uint32_t b) { return item(a).begin < item(b).begin; });
  std::vector<bool> meets(history_.items.size(), false);
  std::uint32_t furthest = by_address[0];  // of those before, the one that ends last
  bool any = false;
  for (std::size_t k = 1; k < by_address.size(); ++k) {
    const std::uint32_t now = by_address[k];
    if (item(now).begin < item(furthest).end) {
      meets[now] = meets[furthest] = true;
      any = true;
    }
    if (item(now).end > item(furthest).end) furthest = now;
  }
  if (!any) return items.clear();
  std::erase_if(items, [&](std::uint32_t i) { return !meets[i]; });
}

// Whoever comes later and races with `earlier` races with `now`, too.
bool Search::is_covered(const AccessView& earlier, const AccessView& now) const {
  if (!is_before(earlier, now)) return false;
  const Shape& a = earlier.shape;
  const Shape& b = now.shape;
  if (writes(b) && !info(b.kind).is_atomic) return true;
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
  const bool has_home = is_one_rank(items);
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
    for (const std::uint32_t k : *earlier) {
      if (is_race(history_.view(item(k)), now)) tell(item(k), item(i));
    }
    if (earlier->size() < keeps_) continue;
    std::erase_if(*earlier,
                  [&](std::uint32_t k) { return is_covered(history_.view(item(k)), now); });
  }
  here.operations.push_back(i);
}

// A load or store. What one place did at one time is one, for the operations of the piece.
void Search::come_home(std::uint32_t i, Here& here) {
  const AccessView now = history_.view(item(i));
  if (here.seen == here.operations.size() && !here.locals.empty()) {
    const Item& last = item(here.locals.back());
    if (last.shape == item(i).shape && last.at == item(i).at) return;
  }
  for (const std::uint32_t k : here.operations) {
    if (is_race(history_.view(item(k)), now)) tell(item(k), item(i));
  }
  here.seen = here.operations.size();
  here.locals.push_back(i);
}

void Search::tell(const Item& earlier, const Item& now) {
  const bool in_order = earlier.begin <= now.begin;
  const AccessView a = history_.view(in_order ? earlier : now);
  const AccessView b = history_.view(in_order ? now : earlier);
  auto key = std::tuple(a.shape.source, b.shape.source, a.shape.kind, b.shape.kind);
  const auto mirrored = std::tuple(b.shape.source, a.shape.source, b.shape.kind, a.shape.kind);
  if (mirrored < key) key = mirrored;
  if (!told_.insert(key).second) return;
  const auto access = [](const AccessView& v) {
    Access made{v.shape, v.fate, v.at, v.begin, v.end, 0};
    made.completed = v.completed();
    return made;
  };
  races_.push_back({access(a), access(b), b.begin, std::min(a.end, b.end)});
}

}  // namespace

std::vector<Race> races_in(const History& history, std::size_t keeps) {
  return Search(history, keeps).run();
}

}  // namespace redflag::pgas
