#include "core/detect/pgas/sift.h"

#include <algorithm>
#include <optional>

#include "core/detect/pgas/classes.h"
#include "core/detect/pgas/intervals.h"

namespace redflag::pgas {
namespace {

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
  bool meet(const AccessView& v) const {
    auto at =
        std::upper_bound(all_.begin(), all_.end(), v.begin,
                         [](std::uint64_t address, const One& one) { return address < one.end; });
    if (v.shape.step == 0) return at != all_.end() && at->begin < v.end;
    for (; at != all_.end() && at->begin < v.end; ++at) {
      if (first_behind(v, at->begin) < at->end) return true;
    }
    return false;
  }

 private:
  struct One {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<One> all_;
};

class Sift {
 public:
  explicit Sift(const History& history) : history_(history) {}
  void leave_out(Some& items) {
    if (items.size() < 2) return items.clear();
    leave_out_alone(items);
    leave_out_local(items);
    leave_out_alone(items);  // operations that met loads and stores only
    leave_out_strided(items);
    leave_out_disjoint(items);
  }

 private:
  std::uint32_t class_of(const Item& item);
  void leave_out_alone(Some& items);
  void leave_out_local(Some& items);
  void leave_out_strided(Some& items);
  void leave_out_disjoint(Some& items);
  // Its bytes, without those that it leaves out.
  template <typename See>
  void for_each_part(const Item& it, See see) const {
    const Shape& s = history_.shapes[it.shape];
    if (s.step == 0) return see(it.begin, it.end);
    for (std::uint64_t at = it.begin; at < it.end; at += s.step) see(at, at + s.element);
  }

  const Item& item(std::uint32_t i) const { return history_.items[i]; }
  const Shape& shape(std::uint32_t i) const { return history_.shapes[item(i).shape]; }

  const History& history_;
  std::vector<AccessClass> classes_;
};

std::uint32_t Sift::class_of(const Item& it) {
  const Shape& s = history_.shapes[it.shape];
  const Shape like = likeness(s);
  const std::uint64_t step = info(s.kind).is_atomic ? it.begin % s.atomicity.element : 0;
  const auto at = std::find_if(classes_.begin(), classes_.end(), [&](const AccessClass& c) {
    return c.step == step && c.like == like;
  });
  if (at != classes_.end()) return static_cast<std::uint32_t>(at - classes_.begin());
  classes_.push_back({.like = like, .step = step, .begin = it.begin, .end = it.end});
  return static_cast<std::uint32_t>(classes_.size() - 1);
}

// Items of a class that conflicts with none in the same memory.
void Sift::leave_out_alone(Some& items) {
  classes_.clear();
  std::vector<std::uint32_t> of(items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Item& it = item(items[k]);
    const bool as_before = k != 0 && it.shape == item(items[k - 1]).shape &&
                           !info(history_.shapes[it.shape].kind).is_atomic;
    of[k] = as_before ? of[k - 1] : class_of(it);
    classes_[of[k]].add(it.begin, it.end);
  }
  find_alone(classes_);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!classes_[of[k]].is_alone) items[kept++] = items[k];
  }
  items.resize(kept);
}

// A rank's own loads and stores where no operation was under way. Operations of another thread count
// wherever they came, those of the same thread from their issue to their end: what it did before the
// one or behind the other is ordered with it.
void Sift::leave_out_local(Some& items) {
  const auto is_local = [&](std::uint32_t i) { return info(shape(i).kind).is_local; };
  const auto local = std::find_if(items.begin(), items.end(), is_local);
  if (local == items.end()) return;
  const ThreadName by = shape(*local).by;
  if (!is_one_rank(history_, items)) return;
  Stretches others;
  Some own;  // operations of the first one's thread
  for (const std::uint32_t i : items) {
    if (is_local(i)) continue;
    if (shape(i).by == by && history_.fates[item(i).fate].completed_by == by) {
      own.push_back(i);
    } else {
      for_each_part(item(i),
                    [&](std::uint64_t begin, std::uint64_t end) { others.add(begin, end); });
    }
  }
  std::sort(own.begin(), own.end(),
            [&](std::uint32_t a, std::uint32_t b) { return item(a).at < item(b).at; });
  others.settle();
  Stretches all = others;
  for (const std::uint32_t i : own) {
    for_each_part(item(i), [&](std::uint64_t begin, std::uint64_t end) { all.add(begin, end); });
  }
  all.settle();
  // How long the thread's operations are under way, as far as they have been issued.
  OrderedIntervals<std::uint64_t> until;
  std::size_t issued = 0;
  std::uint64_t last = 0;
  std::erase_if(items, [&](std::uint32_t i) {
    if (!is_local(i)) return false;
    const Item& it = item(i);
    const AccessView view = history_.view(it);
    if (!all.meet(view)) return true;
    if (shape(i).by != by || it.at < last || others.meet(view)) return false;
    last = it.at;
    for (; issued < own.size() && item(own[issued]).at < it.at; ++issued) {
      const Item& operation = item(own[issued]);
      const std::uint64_t end = history_.fates[operation.fate].completed.counter;
      for_each_part(operation, [&](std::uint64_t from, std::uint64_t behind) {
        until.visit(from, behind, [&](std::uint64_t, std::uint64_t, auto& to) {
          to = std::max<std::uint64_t>(to, end);
        });
      });
    }
    bool is_under_way = false;
    until.look(it.begin, it.end,
               [&](std::uint64_t end) { is_under_way = is_under_way || end > it.at; });
    return !is_under_way;
  });
}

// Those whose elements meet nothing that conflicts with them, if there are few: columns of a matrix beside
// each other, say. What is left is cut into its elements (races.cpp), which are many.
void Sift::leave_out_strided(Some& items) {
  constexpr std::size_t kMostCompared = 1U << 20;
  Some strided;
  for (const std::uint32_t i : items) {
    if (shape(i).step != 0 && !info(shape(i).kind).is_local) strided.push_back(i);
  }
  if (strided.empty() || strided.size() * items.size() > kMostCompared) return;
  Some apart;
  for (const std::uint32_t i : strided) {
    const AccessView view = history_.view(item(i));
    const bool meets = std::any_of(items.begin(), items.end(), [&](std::uint32_t k) {
      const AccessView other = history_.view(item(k));
      return k != i && may_overlap(view, other) && !are_compatible(view, other);
    });
    if (!meets) apart.push_back(i);
  }
  std::sort(apart.begin(), apart.end());
  std::erase_if(items,
                [&](std::uint32_t i) { return std::binary_search(apart.begin(), apart.end(), i); });
}

// Items that no other has bytes of. (One that meets something met what was the furthest then, as the
// later of the two or as the furthest itself.)
void Sift::leave_out_disjoint(Some& items) {
  Some by_address;
  const bool has_home = is_one_rank(history_, items);
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

}  // namespace

bool is_one_rank(const History& history, const Some& items) {
  std::optional<std::uint32_t> rank;
  for (const std::uint32_t i : items) {
    if (!info(history.shapes[history.items[i].shape].kind).is_local) continue;
    if (rank && *rank != history.shapes[history.items[i].shape].by.rank) return false;
    rank = history.shapes[history.items[i].shape].by.rank;
  }
  return true;
}

void sift(const History& history, Some& items) {
  Sift(history).leave_out(items);
}

}  // namespace redflag::pgas
