// Terms: numbers that are the same for all threads of a launch, and known when it begins.
//
// Parameters of the kernel, sizes of grid and block, addresses of the module's variables, and what is
// computed from those alone. A kernel's code is turned into terms once, when it is rewritten; each launch
// gives them values. Terms are shared: equal ones have one number, and constants are folded. Arithmetic is that of
// the instruction's width; values of 32 bits are kept with their sign.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace redflag::prove {

using TermId = std::uint32_t;
inline constexpr TermId kZero = 0;  // the first term is the number 0

enum class TermOp : std::uint8_t {
  kNumber,     // value
  kParameter,  // value: offset in the block of parameters; bits, is_signed
  kSize,       // value: 0 to 2 threads of a block in x, y, z; 3 to 5 blocks of the grid
  kVariable,   // value: index into Proof::variables; its address
  kSystem,  // an address that the driver gives kernels of cooperative launches; nobody's allocation
  kAdd,
  kSub,
  kMul,
  kShl,
  kShr,
  kDiv,
  kRem,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kLess,    // 1 or 0
  kEqual,   //
  kSelect,  // a if c, else b
};

struct Term {
  TermOp op = TermOp::kNumber;
  std::uint8_t bits = 64;
  bool is_signed = true;
  TermId a = kZero, b = kZero, c = kZero;
  std::int64_t value = 0;

  auto key() const { return std::tuple(op, bits, is_signed, a, b, c, value); }
  friend bool operator==(const Term&, const Term&) = default;
};

// What is known of a launch.
inline constexpr std::int64_t kSystemAddress = 1;  // what stands for it
struct Sizes {
  std::uint32_t threads[3] = {1, 1, 1};
  std::uint32_t blocks[3] = {1, 1, 1};
};
struct Facts {
  Sizes sizes;
  std::span<const std::byte> parameters;     // the program's own, as the kernel sees them
  std::span<const std::uint64_t> variables;  // addresses; 0: not known
};

class Terms {
 public:
  Terms() { number(0); }

  TermId number(std::int64_t value);
  TermId make(Term term);
  TermId add(TermId a, TermId b) { return make({.op = TermOp::kAdd, .a = a, .b = b}); }
  TermId multiply(TermId a, TermId b) { return make({.op = TermOp::kMul, .a = a, .b = b}); }
  TermId negate(TermId a) { return make({.op = TermOp::kSub, .a = kZero, .b = a}); }
  std::optional<std::int64_t> literal(TermId id) const;

  const std::vector<Term>& all() const { return all_; }
  std::vector<Term> take() { return std::move(all_); }

 private:
  std::vector<Term> all_;
  std::map<decltype(Term{}.key()), TermId> ids_;
};

// The values of all terms; nullopt where there is none (a division by zero, a parameter that is not
// there).
std::vector<std::optional<std::int64_t>> evaluate(std::span<const Term> terms, const Facts& facts);

}  // namespace redflag::prove
