#include "frontends/cuda/prove/numbers.h"

#include <limits>
#include <utility>

#include "frontends/cuda/prove/equation.h"

namespace redflag::prove {
namespace {

constexpr std::int64_t kMostTurns = std::int64_t{1} << 36;  // of any loop: more take minutes
constexpr std::int64_t kMostShared = std::int64_t{1} << 30;

// Anywhere: what a row can be must be known also if only a loop's bound speaks of it.
bool uses_rows(const Proof& proof) {
  const auto has = [](const Form& form) {
    return std::any_of(form.parts.begin(), form.parts.end(), [](const Part& each) {
      return each.variable == kRow || each.variable == kLane;
    });
  };
  const auto any = [](const auto& all, const auto& is) {
    return std::any_of(all.begin(), all.end(), is);
  };
  const auto compares = [&](const Comparison& one) { return has(one.left) || has(one.right); };
  const auto bounds = [&](const Bound& one) { return compares(one.first); };
  return any(proof.accesses, [&](const Access& each) { return has(each.address); }) ||
         any(proof.guards, compares) ||
         any(proof.loops, [&](const Loop& each) { return any(each.bounds, bounds); }) ||
         any(proof.checks, [&](const Check& each) { return has(each.narrow); });
}

bool fits(const Interval& range, bool is_signed, bool is_narrow) {
  if (!is_narrow) return is_signed || range.least >= 0;
  if (is_signed) {
    return range.least >= std::numeric_limits<std::int32_t>::min() &&
           range.most <= std::numeric_limits<std::int32_t>::max();
  }
  return range.least >= 0 && range.most <= std::numeric_limits<std::uint32_t>::max();
}

// sign * (left - right) <= limit
void at_most(const Sum& left, const Sum& right, std::int64_t limit, std::int64_t sign, Box& box) {
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
void not_equal(const Sum& left, const Sum& right, Box& box) {
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

}  // namespace

Numbers::Numbers(const Proof& proof, const Facts& facts)
    : proof_(proof),
      values_(evaluate(proof.terms, facts)),
      has_rows_(uses_rows(proof)),
      turns_(proof.loops.size(), Interval{0, kMostTurns}) {
  for (Variable i = 0; i < 3; ++i) {
    all_.of[kThread + i] = {0, std::int64_t{facts.sizes.threads[i]} - 1};
    all_.of[kBlock + i] = {0, std::int64_t{facts.sizes.blocks[i]} - 1};
  }
  if (has_rows_) {
    // The number in x is a row and a lane.
    const std::int64_t last = all_.of[kThread].most;
    all_.of[kRow] = {0, last / kLanes};
    all_.of[kLane] = {0, std::min(last, kLanes - 1)};
    all_.of[kThread] = {0, 0};
  }
  // Loops within loops: what the outer ones can be is needed for the inner ones.
  look_at_checks();
  for (int again = 0; again < 3 && !proof.loops.empty(); ++again) {
    for (std::size_t i = 0; i < proof.loops.size(); ++i) bound_turns(i);
    look_at_checks();
  }
}

void Numbers::look_at_checks() {
  holds_.clear();
  for (const Check& each : proof_.checks) holds_.push_back(holds(each));
}

bool Numbers::hold(const std::vector<std::uint32_t>& checks) const {
  return std::all_of(checks.begin(), checks.end(),
                     [&](std::uint32_t each) { return each < holds_.size() && holds_[each]; });
}

void Numbers::bound_turns(std::size_t loop) {
  for (const Bound& each : proof_.loops[loop].bounds) {
    const std::int64_t most = most_turns(each);
    if (most >= turns_[loop].most) continue;
    const std::int64_t before = std::exchange(turns_[loop].most, most);
    const std::vector<std::uint32_t>& left = each.first.left.checks;
    const std::vector<std::uint32_t>& right = each.first.right.checks;
    if (left.empty() && right.empty()) continue;
    // If nothing wraps around in so many turns, then the loop ends before anything does.
    look_at_checks();
    if (hold(left) && hold(right)) continue;
    turns_[loop].most = before;
    look_at_checks();
  }
}

Sum Numbers::sum_of(const Form& form) const {
  Sum made = unchecked_sum_of(form);
  made.is_exact = made.is_exact && hold(form.checks);
  return made;
}

Sum Numbers::unchecked_sum_of(const Form& form) const {
  Sum made;
  made.is_exact = form.is_exact && !form.is_wild;
  const auto add = [&](TermId id, std::int64_t& to) {
    const std::optional<std::int64_t> one = value(id);
    if (one) to = wrapped_sum(to, *one);
    made.is_exact = made.is_exact && one;
  };
  add(form.constant, made.constant);
  for (const TermId each : form.pointers) add(each, made.constant);
  for (const Part& each : form.parts) {
    std::int64_t by = 0;
    add(each.by, by);
    if (has_rows_ && each.variable == kThread) {
      made.add(kRow, wrapped_product(by, kLanes));
      made.add(kLane, by);
    } else {
      made.add(each.variable, by);
    }
  }
  return made;
}

// Addresses of shared memory are of 32 bits, and so are the sums that make them.
Sum Numbers::address_of(const Access& access) const {
  Sum made = sum_of(access.address);
  if (access.memory != Memory::kShared) return made;
  const auto narrow = [](std::int64_t& x) { x = static_cast<std::int32_t>(x); };
  narrow(made.constant);
  for (auto& [variable, by] : made.parts) narrow(by);
  const std::optional<Interval> range = range_of(made, all_);
  made.is_exact = range && range->least > -kMostShared && range->most < kMostShared;
  return made;
}

Interval Numbers::range_of(Variable variable, const Box& box) const {
  if (variable < kVariables) return box.of[variable];
  return variable - kFirstLoop < turns_.size() ? turns_[variable - kFirstLoop]
                                               : Interval{0, kMostTurns};
}

std::optional<Interval> Numbers::range_of(const Sum& sum, const Box& box) const {
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

bool Numbers::holds(const Check& check) const {
  const std::optional<Interval> range = range_of(sum_of(check.narrow), all_);
  return range && fits(*range, check.is_signed, true);
}

std::int64_t Numbers::most_turns(const Bound& bound) const {
  const Sum left = unchecked_sum_of(bound.first.left), right = unchecked_sum_of(bound.first.right);
  const std::optional<Interval> from = range_of(left, all_), to = range_of(right, all_);
  const std::optional<std::int64_t> step = value(bound.step);
  if (!from || !to || !step || *step == 0 || is_too_large(*step, 4)) return kMostTurns;
  // As if it counted up.
  const bool is_up = *step > 0;
  const Interval a = is_up ? *from : Interval{-from->most, -from->least};
  const Interval b = is_up ? *to : Interval{-to->most, -to->least};
  const std::int64_t by = std::abs(*step);
  Interval reached = *from;
  reached.least = std::min(from->least, to->least - by);
  reached.most = std::max(from->most, to->most + by);
  if (!fits(reached, bound.first.is_signed, bound.first.is_narrow)) return kMostTurns;
  std::int64_t gap = 0;  // it stays while it has not come so far
  switch (bound.first.relation) {
    case Relation::kLess:
    case Relation::kGreater:
      if ((bound.first.relation == Relation::kLess) != is_up) return kMostTurns;
      gap = b.most - a.least;
      break;
    case Relation::kLessEqual:
    case Relation::kGreaterEqual:
      if ((bound.first.relation == Relation::kLessEqual) != is_up) return kMostTurns;
      gap = b.most - a.least + 1;
      break;
    case Relation::kNotEqual:
      gap = b.most - a.least;
      if (a.least != a.most || b.least != b.most || gap < 0 || gap % by != 0) return kMostTurns;
      break;
    case Relation::kEqual:
      return kMostTurns;
  }
  // The turn after the last one that stays.
  return gap <= 0 ? 0 : (gap + by - 1) / by;
}

// left - right <= 0 and the like, made narrower for each variable by what the others can be.
void Numbers::narrow(const Comparison& guard, Box& box) const {
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

Box Numbers::box_of(const Access& access) const {
  Box box = all_;
  for (int again = 0; again < 2 && !box.is_empty(); ++again) {
    for (const std::uint32_t each : access.guards) {
      if (!box.is_empty()) narrow(proof_.guards[each], box);
    }
  }
  return box;
}

}  // namespace redflag::prove
