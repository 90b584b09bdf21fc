#include "frontends/cuda/prove/prove.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "frontends/cuda/prove/describe.h"
#include "frontends/cuda/prove/equation.h"

namespace redflag::prove {
namespace {

constexpr std::uint64_t kSystemPlace = ~std::uint64_t{0};
constexpr std::int64_t kMostTurns = std::int64_t{1} << 36;  // of any loop: more take minutes
constexpr std::int64_t kMostShared = std::int64_t{1} << 30;
constexpr Variable kVariables = kFirstLoop;  // of threads and blocks

struct Interval {
  std::int64_t least = 0, most = 0;
  bool is_empty() const { return least > most; }
};
struct Box {
  Interval of[kVariables];
  bool is_empty() const {
    return std::any_of(std::begin(of), std::end(of),
                       [](const Interval& x) { return x.is_empty(); });
  }
};

// A form with its values.
struct Sum {
  bool is_exact = false;
  std::int64_t constant = 0;
  std::vector<std::pair<Variable, std::int64_t>> parts;

  void add(Variable variable, std::int64_t factor) {
    for (auto& [which, has] : parts) {
      if (which != variable) continue;
      has += factor;
      return;
    }
    parts.emplace_back(variable, factor);
  }
  std::int64_t by(Variable variable) const {
    for (const auto& [which, factor] : parts) {
      if (which == variable) return factor;
    }
    return 0;
  }
};

bool uses_rows(const Proof& proof) {
  const auto has = [](const Form& form) {
    return std::any_of(form.parts.begin(), form.parts.end(), [](const Part& each) {
      return each.variable == kRow || each.variable == kLane;
    });
  };
  const auto compares = [&](const Comparison& one) { return has(one.left) || has(one.right); };
  return std::any_of(proof.accesses.begin(), proof.accesses.end(),
                     [&](const Access& each) { return has(each.address); }) ||
         std::any_of(proof.guards.begin(), proof.guards.end(), compares);
}
bool is_of_block(Variable variable) {
  return variable >= kBlock && variable < kBlock + 3;
}

class Prover {
 public:
  Prover(const Proof& proof, const Facts& facts, const Allocations& allocations)
      : proof_(proof), values_(evaluate(proof.terms, facts)), turns_(proof.loops.size()) {
    for (Variable i = 0; i < 3; ++i) {
      all_.of[kThread + i] = {0, std::int64_t{facts.sizes.threads[i]} - 1};
      all_.of[kBlock + i] = {0, std::int64_t{facts.sizes.blocks[i]} - 1};
    }
    has_rows_ = uses_rows(proof);
    if (has_rows_) {
      // The number in x is a row and a lane.
      const std::int64_t last = all_.of[kThread].most;
      all_.of[kRow] = {0, last / kLanes};
      all_.of[kLane] = {0, std::min(last, kLanes - 1)};
      all_.of[kThread] = {0, 0};
    }
    std::fill(turns_.begin(), turns_.end(), Interval{0, kMostTurns});
    // Loops within loops: what the outer ones can be is needed for the inner ones.
    for (int again = 0; again < 3; ++again) {
      for (std::size_t i = 0; i < proof.loops.size(); ++i)
        turns_[i].most = most_turns(proof.loops[i]);
    }
    for (const Check& each : proof.checks) holds_.push_back(holds(each));
    for (const Access& each : proof.accesses) {
      sums_.push_back(address_of(each));
      boxes_.push_back(box_of(each));
      places_.push_back(place_of(each, allocations));
    }
  }

  Answer answer() {
    const std::size_t count = proof_.accesses.size();
    Answer made{std::vector<bool>(count), places_, false};
    std::vector<bool>& out = made.noisy;
    for (std::size_t i = 0; i < count; ++i) {
      const Access& access = proof_.accesses[i];
      // Somebody else may access it too.
      const bool is_open = access.memory != Memory::kShared && places_[i] == 0;
      out[i] = is_open && !boxes_[i].is_empty();
    }
    // Accesses come together in many ways, by turns of their loops. Most do not meet whatever the turns are: that is
    // asked first.
    const std::int64_t more = last_count();
    const Together* asked = nullptr;
    bool can_meet = true;
    for (const Together& pair : proof_.together) {
      if (out[pair.first] && out[pair.second] && made.is_within_block) continue;
      if (asked == nullptr || asked->first != pair.first || asked->second != pair.second) {
        asked = &pair;
        can_meet = meet_in_block({pair.first, pair.second, {}}, more);
      }
      if (can_meet && meet_in_block(pair, 0)) {
        out[pair.first] = out[pair.second] = made.is_within_block = true;
      }
    }
    const auto compare = [&](std::uint32_t i, std::uint32_t j, const std::vector<Tie>& ties) {
      if ((out[i] && out[j]) || !may_race(proof_.accesses[i], proof_.accesses[j], false)) return;
      if (meet_across(i, j, ties)) out[i] = out[j] = true;
    };
    for (const Together& pair : proof_.across) compare(pair.first, pair.second, pair.ties);
    for (std::uint32_t i = 0; i < count && !proof_.has_grid_barriers; ++i) {
      for (std::uint32_t j = i; j < count; ++j) compare(i, j, {});
    }
    return made;
  }

 private:
  std::optional<std::int64_t> value(TermId id) const { return values_[id]; }

  Sum sum_of(const Form& form) const {
    Sum made;
    made.is_exact = form.is_exact && !form.is_wild;
    for (const std::uint32_t each : form.checks) {
      made.is_exact = made.is_exact && each < holds_.size() && holds_[each];
    }
    const auto add = [&](TermId id, std::int64_t& to) {
      const std::optional<std::int64_t> one = value(id);
      if (one)
        to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) +
                                       static_cast<std::uint64_t>(*one));
      made.is_exact = made.is_exact && one;
    };
    add(form.constant, made.constant);
    for (const TermId each : form.pointers) add(each, made.constant);
    for (const Part& each : form.parts) {
      std::int64_t by = 0;
      add(each.by, by);
      if (has_rows_ && each.variable == kThread) {
        made.add(kRow, by * kLanes);
        made.add(kLane, by);
      } else {
        made.add(each.variable, by);
      }
    }
    return made;
  }
  // Addresses of shared memory are of 32 bits, and so are the sums that make them.
  Sum address_of(const Access& access) const {
    Sum made = sum_of(access.address);
    if (access.memory != Memory::kShared) return made;
    const auto narrow = [](std::int64_t& x) { x = static_cast<std::int32_t>(x); };
    narrow(made.constant);
    for (auto& [variable, by] : made.parts) narrow(by);
    const std::optional<Interval> range = range_of(made, all_);
    made.is_exact = range && range->least > -kMostShared && range->most < kMostShared;
    return made;
  }
  Interval range_of(Variable variable, const Box& box) const {
    if (variable < kVariables) return box.of[variable];
    return variable - kFirstLoop < turns_.size() ? turns_[variable - kFirstLoop]
                                                 : Interval{0, kMostTurns};
  }
  // What the sum can be; nullopt: too large, or not known.
  std::optional<Interval> range_of(const Sum& sum, const Box& box) const {
    if (!sum.is_exact || is_too_large(sum.constant, 1)) return {};
    Interval made{sum.constant, sum.constant};
    for (const auto& [variable, by] : sum.parts) {
      const Interval x = range_of(variable, box);
      const std::uint64_t far = std::max(magnitude(x.least), magnitude(x.most));
      if (is_too_large(by, std::max<std::uint64_t>(far, 1))) return {};
      made.least += std::min(by * x.least, by * x.most);
      made.most += std::max(by * x.least, by * x.most);
    }
    return made;
  }
  static bool fits(const Interval& range, bool is_signed, bool is_narrow) {
    if (!is_narrow) return is_signed || range.least >= 0;
    if (is_signed) {
      return range.least >= std::numeric_limits<std::int32_t>::min() &&
             range.most <= std::numeric_limits<std::int32_t>::max();
    }
    return range.least >= 0 && range.most <= std::numeric_limits<std::uint32_t>::max();
  }
  bool holds(const Check& check) const {
    const std::optional<Interval> range = range_of(sum_of(check.narrow), all_);
    return range && fits(*range, check.is_signed, true);
  }

  std::int64_t most_turns(const Loop& loop) const {
    std::int64_t most = kMostTurns;
    for (const Bound& each : loop.bounds) {
      const Sum left = sum_of(each.first.left), right = sum_of(each.first.right);
      const std::optional<Interval> from = range_of(left, all_), to = range_of(right, all_);
      const std::optional<std::int64_t> step = value(each.step);
      if (!from || !to || !step || *step == 0 || is_too_large(*step, 4)) continue;
      // As if it counted up.
      const bool is_up = *step > 0;
      const Interval a = is_up ? *from : Interval{-from->most, -from->least};
      const Interval b = is_up ? *to : Interval{-to->most, -to->least};
      const std::int64_t by = std::abs(*step);
      Interval reached = *from;
      reached.least = std::min(from->least, to->least - by);
      reached.most = std::max(from->most, to->most + by);
      if (!fits(reached, each.first.is_signed, each.first.is_narrow)) continue;
      std::int64_t gap = 0;  // it stays while it has not come so far
      switch (each.first.relation) {
        case Relation::kLess:
        case Relation::kGreater:
          if ((each.first.relation == Relation::kLess) != is_up) continue;
          gap = b.most - a.least;
          break;
        case Relation::kLessEqual:
        case Relation::kGreaterEqual:
          if ((each.first.relation == Relation::kLessEqual) != is_up) continue;
          gap = b.most - a.least + 1;
          break;
        case Relation::kNotEqual:
          gap = b.most - a.least;
          if (a.least != a.most || b.least != b.most || gap < 0 || gap % by != 0) continue;
          break;
        case Relation::kEqual:
          continue;
      }
      // The turn after the last one that stays.
      most = std::min(most, gap <= 0 ? 0 : (gap + by - 1) / by);
    }
    return most;
  }

  // left - right <= 0 and the like, made narrower for each variable by what the others can be.
  void narrow(const Comparison& guard, Box& box) const {
    const Sum left = sum_of(guard.left), right = sum_of(guard.right);
    const std::optional<Interval> a = range_of(left, all_), b = range_of(right, all_);
    if (!a || !b || !fits(*a, guard.is_signed, guard.is_narrow) ||
        !fits(*b, guard.is_signed, guard.is_narrow)) {
      return;
    }
    const Relation is = guard.relation;
    const bool is_below = is == Relation::kLess || is == Relation::kLessEqual;
    const bool is_above = is == Relation::kGreater || is == Relation::kGreaterEqual;
    const std::int64_t strict = is == Relation::kLess || is == Relation::kGreater ? 1 : 0;
    if (is_below || is == Relation::kEqual) at_most(left, right, -strict, 1, box);
    if (is_above || is == Relation::kEqual) at_most(left, right, -strict, -1, box);
    if (is == Relation::kNotEqual) not_equal(left, right, box);
  }
  // sign * (left - right) <= limit
  void at_most(const Sum& left, const Sum& right, std::int64_t limit, std::int64_t sign,
               Box& box) const {
    for (Variable v = 0; v < kVariables; ++v) {
      const std::int64_t own = sign * (left.by(v) - right.by(v));
      if (own == 0) continue;
      std::int64_t rest = sign * (left.constant - right.constant);  // the least it can be
      for (Variable w = 0; w < kVariables; ++w) {
        const std::int64_t by = sign * (left.by(w) - right.by(w));
        if (w != v && by != 0) rest += std::min(by * box.of[w].least, by * box.of[w].most);
      }
      const std::int64_t room = limit - rest;  // own * v <= room
      const std::int64_t whole = room / own, back = room % own != 0 && (room < 0) != (own < 0);
      Interval& x = box.of[v];
      if (own > 0) {
        x.most = std::min(x.most, whole - back);
      } else {
        const std::int64_t up = room % own != 0 && (room < 0) == (own < 0) ? 1 : 0;
        x.least = std::max(x.least, whole + up);
      }
    }
  }
  // One number less, where it is the first or the last.
  static void not_equal(const Sum& left, const Sum& right, Box& box) {
    Variable only = kVariables;
    for (Variable v = 0; v < kVariables; ++v) {
      if (left.by(v) == right.by(v)) continue;
      if (only != kVariables) return;
      only = v;
    }
    if (only == kVariables) return;
    const std::int64_t by = left.by(only) - right.by(only), at = right.constant - left.constant;
    if (at % by != 0) return;
    Interval& x = box.of[only];
    if (x.least == at / by) ++x.least;
    if (x.most == at / by) --x.most;
  }
  Box box_of(const Access& access) const {
    Box box = all_;
    for (int again = 0; again < 2 && !box.is_empty(); ++again) {
      for (const std::uint32_t each : access.guards) {
        if (!box.is_empty()) narrow(proof_.guards[each], box);
      }
    }
    return box;
  }
  std::uint64_t place_of(const Access& access, const Allocations& allocations) const {
    if (access.memory != Memory::kGlobal || access.address.is_wild) return 0;
    std::uint64_t found = 0;
    for (const TermId each : access.address.pointers) {
      if (proof_.terms[each].op == TermOp::kSystem) return kSystemPlace;
      const std::optional<std::int64_t> at = value(each);
      const std::uint64_t one = at ? allocations(static_cast<std::uint64_t>(*at)) : 0;
      if (one != 0 && found != 0) return 0;  // which of them is the pointer?
      found = one != 0 ? one : found;
    }
    return found;
  }

  // Different variables of shared memory, or different allocations.
  bool are_apart(std::size_t i, std::size_t j) const {
    const Access& a = proof_.accesses[i];
    const Access& b = proof_.accesses[j];
    if (!may_meet(a, b)) return true;
    if (a.memory != Memory::kGlobal || b.memory != Memory::kGlobal) return false;
    return places_[i] != 0 && places_[j] != 0 && places_[i] != places_[j];
  }

  // Of turns since a barrier, or since the loop was entered.
  std::int64_t last_count() const {
    std::int64_t last = 0;
    for (const Together& pair : proof_.together) {
      for (const Tie& tie : pair.ties) {
        last = std::max<std::int64_t>({last, tie.first.count, tie.second.count});
      }
    }
    return last;
  }

  // Both sums, of two threads.
  // `apart`: the variable in which they differ, upwards or downwards. Ties: the same turn, and some more.
  bool meet(std::size_t i, std::size_t j, Variable apart, int direction, bool same_block,
            const std::vector<Tie>& ties, std::int64_t more_turns = 0) const {
    const Sum& a = sums_[i];
    const Sum& b = sums_[j];
    std::vector<Unknown> unknowns;
    unknowns.reserve(2 * (kVariables + turns_.size()));
    const auto minus = [](std::int64_t x, std::int64_t y) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) -
                                       static_cast<std::uint64_t>(y));
    };
    std::int64_t constant = minus(a.constant, b.constant);
    for (Variable v = 0; v < kVariables; ++v) {
      const Interval x = boxes_[i].of[v], y = boxes_[j].of[v];
      const std::int64_t p = a.by(v), q = b.by(v);
      if (same_block && is_of_block(v)) {
        unknowns.push_back({minus(p, q), std::max(x.least, y.least), std::min(x.most, y.most)});
        continue;
      }
      if (v != apart && p != q) {
        unknowns.push_back({p, x.least, x.most});
        unknowns.push_back({minus(0, q), y.least, y.most});
        continue;
      }
      Interval d{x.least - y.most, x.most - y.least};
      if (v == apart && direction > 0) d.least = std::max<std::int64_t>(d.least, 1);
      if (v == apart && direction < 0) d.most = std::min<std::int64_t>(d.most, -1);
      unknowns.push_back({p, d.least, d.most});
      unknowns.push_back({minus(p, q), y.least, y.most});
    }
    for (std::uint32_t k = 0; k < turns_.size(); ++k) {
      const Variable v = kFirstLoop + k;
      const std::int64_t p = a.by(v), q = b.by(v);
      if (p == 0 && q == 0) continue;
      const auto tie =
          std::find_if(ties.begin(), ties.end(), [&](const Tie& each) { return each.loop == k; });
      const Turn first = tie != ties.end() ? tie->first : Turn{};
      const Turn second = tie != ties.end() ? tie->second : Turn{};
      if (is_too_large(p, 4) || is_too_large(q, 4) || is_too_large(constant, 1)) return true;
      constant += p * first.count - q * second.count;
      const Interval all{turns_[k].least, turns_[k].most + more_turns};
      if (first.since == Turn::Since::kBarrier && second.since == first.since) {
        unknowns.push_back({minus(p, q), all.least, all.most});
        continue;
      }
      // Who has entered the loop since has made just those turns.
      if (first.since != Turn::Since::kEntry) unknowns.push_back({p, all.least, all.most});
      if (second.since != Turn::Since::kEntry)
        unknowns.push_back({minus(0, q), all.least, all.most});
    }
    const std::int64_t low = 1 - std::int64_t{proof_.accesses[i].bytes};
    const std::int64_t high = std::int64_t{proof_.accesses[j].bytes} - 1;
    return can_be(std::move(unknowns), constant, low, high);
  }

  // Whether the first access's thread can have more, or less, there than the second's.
  bool can_differ(std::size_t i, std::size_t j, Variable v, int direction) const {
    const Interval x = boxes_[i].of[v], y = boxes_[j].of[v];
    return direction > 0 ? x.most > y.least : x.least < y.most;
  }
  // `more_turns`: loops may be gone round so often more, as if no tie said otherwise.
  bool meet_in_block(const Together& pair, std::int64_t more_turns) const {
    const std::size_t i = pair.first, j = pair.second;
    if (boxes_[i].is_empty() || boxes_[j].is_empty() || are_apart(i, j)) return false;
    const bool is_known = sums_[i].is_exact && sums_[j].is_exact;
    for (Variable v = 0; v < kVariables; ++v) {
      if (is_of_block(v) || all_.of[v].most == 0) continue;
      for (const int direction : {1, -1}) {
        if (!can_differ(i, j, v, direction)) continue;
        if (!is_known || meet(i, j, v, direction, true, pair.ties, more_turns)) return true;
      }
    }
    return false;
  }
  bool meet_across(std::size_t i, std::size_t j, const std::vector<Tie>& ties) const {
    const Access& a = proof_.accesses[i];
    const Access& b = proof_.accesses[j];
    if (a.memory == Memory::kShared || b.memory == Memory::kShared) return false;
    if (boxes_[i].is_empty() || boxes_[j].is_empty() || are_apart(i, j)) return false;
    const bool is_known = sums_[i].is_exact && sums_[j].is_exact;
    for (Variable v = kBlock; v < kBlock + 3; ++v) {
      if (all_.of[v].most == 0) continue;
      for (const int direction : {1, -1}) {
        if (!can_differ(i, j, v, direction)) continue;
        if (!is_known || meet(i, j, v, direction, false, ties)) return true;
      }
    }
    return false;
  }

  const Proof& proof_;
  std::vector<std::optional<std::int64_t>> values_;  // of terms
  bool has_rows_ = false;
  Box all_;
  std::vector<Interval> turns_;  // of loops
  std::vector<bool> holds_;      // by check
  std::vector<Sum> sums_;        // by access
  std::vector<Box> boxes_;
  std::vector<std::uint64_t> places_;
};

}  // namespace

Answer ask(const Proof& proof, const Facts& facts, const Allocations& allocations) {
  if (!proof.is_possible) return {};
  return Prover(proof, facts, allocations).answer();
}

std::vector<bool> noisy(const Proof& proof, const Facts& facts, const Allocations& allocations) {
  return ask(proof, facts, allocations).noisy;
}

}  // namespace redflag::prove
