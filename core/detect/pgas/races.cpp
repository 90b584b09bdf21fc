#include "core/detect/pgas/races.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/detect/pgas/intervals.h"

namespace redflag::pgas {
namespace {

// Numbers of items.
using Some = std::vector<std::uint32_t>;

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

  void find_phases();
  void check(Some items);
  std::uint32_t class_of(const Item& item);
  void leave_out_alone(Some& items);
  void leave_out_local(Some& items);
  void compare(Some& items);
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
  std::vector<std::uint64_t> ranks_;  // by shape: grows along happens-before, within a phase
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
  // Loads and stores race with operations only, or with those of another process.
  std::uint32_t rank = 0;
  bool has_rank = false;
  bool is_one_rank = true;
  for (std::uint32_t i = 0; i < n && is_one_rank; ++i) {
    if (!info(shape(i).kind).is_local) continue;
    is_one_rank = !has_rank || rank == shape(i).by.rank;
    rank = shape(i).by.rank;
    has_rank = true;
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    if (info(shape(i).kind).is_local) put(i, is_one_rank);
  }
  for (Some& each : buckets) {
    check(std::move(each));
    each = {};
  }
  return std::move(races_);
}

void Search::check(Some items) {
  if (items.size() < 2) return;
  leave_out_alone(items);
  leave_out_local(items);
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
      const AccessView one{x.step, x.step + 1, x.like, none};
      const AccessView other{y.step, y.step + 1, y.like, none};
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

// A rank's own loads and stores where no operation came.
void Search::leave_out_local(Some& items) {
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Stretch> touched;
  for (const std::uint32_t i : items) {
    if (!info(shape(i).kind).is_local) touched.push_back({item(i).begin, item(i).end});
  }
  const auto n_operations = touched.size();
  std::set<std::uint32_t> ranks;
  if (n_operations != items.size()) {
    for (const std::uint32_t i : items) {
      if (info(shape(i).kind).is_local) ranks.insert(shape(i).by.rank);
    }
  }
  if (ranks.size() != 1) return;  // of several processes, they race with each other
  std::sort(touched.begin(), touched.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::size_t n = 0;
  for (const Stretch& each : touched) {
    if (n != 0 && each.begin <= touched[n - 1].end) {
      touched[n - 1].end = std::max(touched[n - 1].end, each.end);
    } else {
      touched[n++] = each;
    }
  }
  touched.resize(n);
  std::erase_if(items, [&](std::uint32_t i) {
    if (!info(shape(i).kind).is_local) return false;
    const auto at = std::upper_bound(
        touched.begin(), touched.end(), item(i).begin,
        [](std::uint64_t address, const Stretch& stretch) { return address < stretch.end; });
    return at == touched.end() || at->begin >= item(i).end;
  });
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
  ranks_.assign(history_.shapes.size(), 0);
  for (const std::uint32_t i : items) {
    std::uint64_t& sum = ranks_[item(i).shape];
    if (sum != 0) continue;
    for (const Knowledge::Known& each : shape(i).issued->known()) sum += each.counter;
  }
  std::stable_sort(items.begin(), items.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t p = first_phase(item(a));
    const std::uint32_t q = first_phase(item(b));
    return p != q ? p < q : ranks_[item(a).shape] < ranks_[item(b).shape];
  });
  OrderedIntervals<Some> intervals;
  for (const std::uint32_t i : items) {
    const AccessView now = history_.view(item(i));
    intervals.visit(now.begin, now.end, [&](std::uint64_t, std::uint64_t, Some& here) {
      for (const std::uint32_t k : here) {
        if (is_race(history_.view(item(k)), now)) tell(item(k), item(i));
      }
      if (here.size() >= keeps_) {
        std::erase_if(here,
                      [&](std::uint32_t k) { return is_covered(history_.view(item(k)), now); });
      }
      here.push_back(i);
    });
  }
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
    return Access{v.shape, v.fate, v.begin, v.end, 0};
  };
  races_.push_back({access(a), access(b), b.begin, std::min(a.end, b.end)});
}

}  // namespace

std::vector<Race> races_in(const History& history, std::size_t keeps) {
  return Search(history, keeps).run();
}

}  // namespace redflag::pgas
