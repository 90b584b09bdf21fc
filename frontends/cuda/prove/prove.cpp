#include "frontends/cuda/prove/prove.h"

#include <algorithm>
#include <optional>

#include "frontends/cuda/prove/describe.h"
#include "frontends/cuda/prove/equation.h"
#include "frontends/cuda/prove/numbers.h"

namespace redflag::prove {
namespace {

constexpr std::uint64_t kSystemPlace = ~std::uint64_t{0};

bool is_of_block(Variable variable) {
  return variable >= kBlock && variable < kBlock + 3;
}

class Prover {
 public:
  Prover(const Proof& proof, const Facts& facts, const Allocations& allocations)
      : proof_(proof), numbers_(proof, facts) {
    for (const Access& each : proof.accesses) {
      sums_.push_back(numbers_.address_of(each));
      boxes_.push_back(numbers_.box_of(each));
      places_.push_back(place_of(each, allocations));
    }
  }

  Answer answer() {
    const std::size_t count = proof_.accesses.size();
    Answer made{std::vector<bool>(count), places_, std::vector<Reason>(count), {}, false};
    for (const Sum& each : sums_) made.is_known.push_back(each.is_exact);
    std::vector<bool>& out = made.noisy;
    const auto tell = [&](std::uint32_t i, const Reason& reason) {
      if (!out[i]) made.reasons[i] = reason;
      out[i] = true;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      const Access& access = proof_.accesses[i];
      const bool is_open = access.memory != Memory::kShared && places_[i] == 0;
      if (is_open && !boxes_[i].is_empty()) tell(i, {Reason::Kind::kOthers, i});
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
        tell(pair.first, {Reason::Kind::kInBlock, pair.second});
        tell(pair.second, {Reason::Kind::kInBlock, pair.first});
        made.is_within_block = true;
      }
    }
    const auto compare = [&](std::uint32_t i, std::uint32_t j, const std::vector<Tie>& ties) {
      if ((out[i] && out[j]) || !may_race(proof_.accesses[i], proof_.accesses[j], false)) return;
      if (!meet_across(i, j, ties)) return;
      tell(i, {Reason::Kind::kAcross, j});
      tell(j, {Reason::Kind::kAcross, i});
    };
    for (const Together& pair : proof_.across) compare(pair.first, pair.second, pair.ties);
    for (std::uint32_t i = 0; i < count && !proof_.has_grid_barriers; ++i) {
      for (std::uint32_t j = i; j < count; ++j) compare(i, j, {});
    }
    return made;
  }

 private:
  std::uint64_t place_of(const Access& access, const Allocations& allocations) const {
    if (access.memory != Memory::kGlobal || access.address.is_wild) return 0;
    std::uint64_t found = 0;
    for (const TermId each : access.address.pointers) {
      if (proof_.terms[each].op == TermOp::kSystem) return kSystemPlace;
      const std::optional<std::int64_t> at = numbers_.value(each);
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
    // That they differ is said by their difference, which forgets how large the first one can be where it counts
    // otherwise than the second: so it is asked without that, too.
    const bool is_alike = sums_[i].by(apart) == sums_[j].by(apart);
    if (!is_alike && !sums_meet(i, j, apart, 0, same_block, ties, more_turns)) return false;
    return sums_meet(i, j, apart, direction, same_block, ties, more_turns);
  }
  // direction 0: they need not differ there.
  bool sums_meet(std::size_t i, std::size_t j, Variable apart, int direction, bool same_block,
                 const std::vector<Tie>& ties, std::int64_t more_turns) const {
    const Sum& a = sums_[i];
    const Sum& b = sums_[j];
    const std::vector<Interval>& turns = numbers_.turns();
    std::vector<Unknown> unknowns;
    unknowns.reserve(2 * (kVariables + turns.size()));
    const auto minus = [](std::int64_t x, std::int64_t y) {
      return wrapped_sum(x, wrapped_product(y, -1));
    };
    std::int64_t constant = minus(a.constant, b.constant);
    for (Variable v = 0; v < kVariables; ++v) {
      const Interval x = boxes_[i].of[v], y = boxes_[j].of[v];
      const std::int64_t p = a.by(v), q = b.by(v);
      if (same_block && is_of_block(v)) {
        unknowns.push_back({minus(p, q), std::max(x.least, y.least), std::min(x.most, y.most)});
        continue;
      }
      if ((v != apart || direction == 0) && p != q) {
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
    for (std::uint32_t k = 0; k < turns.size(); ++k) {
      const Variable v = kFirstLoop + k;
      const std::int64_t p = a.by(v), q = b.by(v);
      if (p == 0 && q == 0) continue;
      const auto tie =
          std::find_if(ties.begin(), ties.end(), [&](const Tie& each) { return each.loop == k; });
      const Turn first = tie != ties.end() ? tie->first : Turn{};
      const Turn second = tie != ties.end() ? tie->second : Turn{};
      if (is_too_large(p, 4) || is_too_large(q, 4) || is_too_large(constant, 1)) return true;
      constant += p * first.count - q * second.count;
      const Interval all{turns[k].least, turns[k].most + more_turns};
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
      if (is_of_block(v) || numbers_.all().of[v].most == 0) continue;
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
      if (numbers_.all().of[v].most == 0) continue;
      for (const int direction : {1, -1}) {
        if (!can_differ(i, j, v, direction)) continue;
        if (!is_known || meet(i, j, v, direction, false, ties)) return true;
      }
    }
    return false;
  }

  const Proof& proof_;
  Numbers numbers_;
  std::vector<Sum> sums_;  // by access
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
