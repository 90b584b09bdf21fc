#include "frontends/cuda/prove/terms.h"

#include <algorithm>
#include <cstring>

namespace redflag::prove {
namespace {

using Value = std::optional<std::int64_t>;

std::int64_t wrapped(std::uint64_t value, unsigned bits) {
  return bits == 32 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                    : static_cast<std::int64_t>(value);
}
std::uint64_t unsigned_of(std::int64_t value, unsigned bits) {
  return bits == 32 ? static_cast<std::uint32_t>(value) : static_cast<std::uint64_t>(value);
}

Value divided(const Term& term, std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  const bool is_rest = term.op == TermOp::kRem;
  if (term.is_signed) {
    if (b == -1) return is_rest ? 0 : wrapped(0 - static_cast<std::uint64_t>(a), term.bits);
    return is_rest ? a % b : a / b;
  }
  const std::uint64_t x = unsigned_of(a, term.bits), y = unsigned_of(b, term.bits);
  return wrapped(is_rest ? x % y : x / y, term.bits);
}

Value shifted(const Term& term, std::int64_t a, std::int64_t b) {
  const std::uint64_t by = unsigned_of(b, 32);
  const bool is_far = by >= term.bits;  // PTX clamps
  if (term.op == TermOp::kShl) {
    return is_far ? 0 : wrapped(static_cast<std::uint64_t>(a) << by, term.bits);
  }
  if (term.is_signed) return a >> (is_far ? 63 : by);
  return is_far ? 0 : wrapped(unsigned_of(a, term.bits) >> by, term.bits);
}

bool is_less(const Term& term, std::int64_t a, std::int64_t b) {
  return term.is_signed ? a < b : unsigned_of(a, term.bits) < unsigned_of(b, term.bits);
}

Value computed(const Term& term, std::int64_t wide_a, std::int64_t wide_b, std::int64_t c) {
  const std::int64_t a = wrapped(static_cast<std::uint64_t>(wide_a), term.bits);
  const std::int64_t b = wrapped(static_cast<std::uint64_t>(wide_b), term.bits);
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (term.op) {
    case TermOp::kAdd:
      return wrapped(x + y, term.bits);
    case TermOp::kSub:
      return wrapped(x - y, term.bits);
    case TermOp::kMul:
      return wrapped(x * y, term.bits);
    case TermOp::kShl:
    case TermOp::kShr:
      return shifted(term, a, b);
    case TermOp::kDiv:
    case TermOp::kRem:
      return divided(term, a, b);
    case TermOp::kMin:
      return is_less(term, a, b) ? a : b;
    case TermOp::kMax:
      return is_less(term, a, b) ? b : a;
    case TermOp::kAnd:
      return a & b;
    case TermOp::kOr:
      return a | b;
    case TermOp::kXor:
      return a ^ b;
    case TermOp::kLess:
      return is_less(term, a, b) ? 1 : 0;
    case TermOp::kEqual:
      return a == b ? 1 : 0;
    case TermOp::kSelect:
      return c != 0 ? a : b;
    default:
      return std::nullopt;
  }
}

Value parameter(const Term& term, const Facts& facts) {
  const std::size_t bytes = term.bits / 8U;
  const auto at = static_cast<std::size_t>(term.value);
  if (term.value < 0 || at + bytes > facts.parameters.size()) return std::nullopt;
  std::uint64_t raw = 0;
  std::memcpy(&raw, facts.parameters.data() + at, bytes);
  if (term.bits >= 32) return wrapped(raw, term.bits);
  const unsigned rest = 64U - term.bits;
  return term.is_signed ? static_cast<std::int64_t>(raw << rest) >> rest
                        : static_cast<std::int64_t>(raw);
}

Value given(const Term& term, const Facts& facts) {
  const auto at = static_cast<std::size_t>(term.value);
  switch (term.op) {
    case TermOp::kNumber:
      return term.value;
    case TermOp::kParameter:
      return parameter(term, facts);
    case TermOp::kSize:
      return at < 3 ? facts.sizes.threads[at] : facts.sizes.blocks[at - 3];
    case TermOp::kVariable:
      if (at >= facts.variables.size() || facts.variables[at] == 0) return std::nullopt;
      return static_cast<std::int64_t>(facts.variables[at]);
    case TermOp::kSystem:
      return kSystemAddress;
    default:
      return std::nullopt;
  }
}

bool is_given(TermOp op) {
  return op == TermOp::kNumber || op == TermOp::kParameter || op == TermOp::kSize ||
         op == TermOp::kVariable || op == TermOp::kSystem;
}

}  // namespace

TermId Terms::number(std::int64_t value) {
  return make({.op = TermOp::kNumber, .value = value});
}

std::optional<std::int64_t> Terms::literal(TermId id) const {
  if (all_[id].op != TermOp::kNumber) return std::nullopt;
  return all_[id].value;
}

TermId Terms::make(Term term) {
  if (!is_given(term.op)) {
    const Value a = literal(term.a), b = literal(term.b), c = literal(term.c);
    const bool is_known = a && b && (term.op != TermOp::kSelect || c);
    if (is_known) {
      if (const Value value = computed(term, *a, *b, c.value_or(0))) return number(*value);
    }
    const bool is_sum = term.op == TermOp::kAdd || term.op == TermOp::kSub;
    if (is_sum && b == 0 && term.bits == 64) return term.a;
    if (term.op == TermOp::kAdd && a == 0 && term.bits == 64) return term.b;
    if (term.op == TermOp::kMul && term.bits == 64) {
      if (a == 0 || b == 0) return number(0);
      if (a == 1) return term.b;
      if (b == 1) return term.a;
    }
  }
  const auto [at, is_new] = ids_.try_emplace(term.key(), static_cast<TermId>(all_.size()));
  if (is_new) all_.push_back(term);
  return at->second;
}

std::vector<Value> evaluate(std::span<const Term> terms, const Facts& facts) {
  std::vector<Value> out(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    if (is_given(term.op)) {
      out[i] = given(term, facts);
      continue;
    }
    const Value a = out[term.a], b = out[term.b], c = out[term.c];
    if (a && b && c) out[i] = computed(term, *a, *b, *c);
  }
  return out;
}

}  // namespace redflag::prove
