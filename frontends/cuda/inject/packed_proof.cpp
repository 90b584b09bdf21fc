#include "frontends/cuda/inject/packed_proof.h"

#include <algorithm>

namespace redflag::inject {
namespace {

using namespace prove;

constexpr std::uint8_t kWidest = 16;  // of an access, in bytes

class Sound {
 public:
  explicit Sound(const Proof& proof) : proof_(proof) {}

  bool operator()() const {
    if (!proof_.is_possible) return proof_ == Proof{};
    if (proof_.terms.empty() || !(proof_.terms[kZero] == Term{})) return false;
    for (std::size_t i = 0; i < proof_.terms.size(); ++i) {
      if (!is_term(proof_.terms[i], i)) return false;
    }
    return all(proof_.checks, [&](const Check& each) { return is_form(each.narrow); }) &&
           all(proof_.guards, [&](const Comparison& each) { return is_comparison(each); }) &&
           all(proof_.loops, [&](const Loop& each) { return is_loop(each); }) &&
           all(proof_.accesses, [&](const Access& each) { return is_access(each); }) &&
           all(proof_.together, [&](const Together& each) { return is_pair(each); }) &&
           all(proof_.across, [&](const Together& each) { return is_pair(each); });
  }

 private:
  template <typename T, typename Is>
  static bool all(const std::vector<T>& values, Is is) {
    return std::all_of(values.begin(), values.end(), is);
  }
  bool is_id(TermId id) const { return id < proof_.terms.size(); }

  // Terms are computed one after the other, from earlier ones.
  bool is_term(const Term& term, std::size_t at) const {
    if (!is_id(term.a) || !is_id(term.b) || !is_id(term.c)) return false;
    switch (term.op) {
      case TermOp::kNumber:
      case TermOp::kSystem:
        return true;
      case TermOp::kParameter:
        if (term.bits != 8 && term.bits != 16 && term.bits != 32 && term.bits != 64) return false;
        return term.value >= 0;
      case TermOp::kSize:
        return term.value >= 0 && term.value < 6;
      case TermOp::kVariable:
        return term.value >= 0 && static_cast<std::uint64_t>(term.value) < proof_.variables.size();
      default:
        return (term.bits == 32 || term.bits == 64) && term.a < at && term.b < at && term.c < at;
    }
  }
  bool is_form(const Form& form) const {
    return form.symbol >= -1 && is_id(form.constant) &&
           all(form.parts,
               [&](const Part& each) {
                 return is_id(each.by) && each.variable < kFirstLoop + proof_.loops.size();
               }) &&
           all(form.pointers, [&](TermId each) { return is_id(each); }) &&
           all(form.checks, [&](std::uint32_t each) { return each < proof_.checks.size(); });
  }
  bool is_comparison(const Comparison& each) const {
    return is_form(each.left) && is_form(each.right);
  }
  bool is_loop(const Loop& loop) const {
    return all(loop.bounds,
               [&](const Bound& each) { return is_comparison(each.first) && is_id(each.step); });
  }
  bool is_access(const Access& access) const {
    return access.bytes != 0 && access.bytes <= kWidest && is_form(access.address) &&
           all(access.guards, [&](std::uint32_t each) { return each < proof_.guards.size(); });
  }
  bool is_pair(const Together& pair) const {
    return pair.first < proof_.accesses.size() && pair.second < proof_.accesses.size() &&
           all(pair.ties, [&](const Tie& each) { return each.loop < proof_.loops.size(); });
  }

  const Proof& proof_;
};

}  // namespace

bool is_sound(const Proof& proof) {
  return Sound(proof)();
}

}  // namespace redflag::inject
