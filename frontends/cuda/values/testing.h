// One instruction on chosen values, for tests.
//
//   Operation add("add.s32 %r0, %r1, %r2;");
//   add({1, 2})                      // 3: the same in all lanes
//   add.lanes({{a, ...}, {b, ...}})  // results by lane
//
// Every run is done for both levels of the processor, converged and with some lanes inactive; they must
// agree, and inactive lanes must keep what they had.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/values/unsupported.h"
#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda::testing {

inline constexpr unsigned kLanes = 32;
using Lanes = std::array<std::uint64_t, kLanes>;

inline std::string kernel(const std::string& body) {
  return ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k()\n{\n"
         ".reg .pred %p<8>; .reg .b8 %c<8>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %l<24>;\n"
         ".reg .f32 %f<48>; .reg .f64 %d<16>; .reg .b128 %q<4>;\n" +
         body + "\n}\n";
}

// A register's lanes, in the words of value_op.h.
struct Storage {
  alignas(64) std::array<std::uint64_t, 2 * kLanes> words = {};

  void set(unsigned bits, unsigned lane, std::uint64_t value, std::uint64_t high = 0) {
    auto* narrow = reinterpret_cast<std::uint32_t*>(words.data());
    if (bits == 1) {
      narrow[0] = (narrow[0] & ~(1U << lane)) | static_cast<std::uint32_t>(value & 1U) << lane;
    } else if (bits <= 32) {
      narrow[lane] = static_cast<std::uint32_t>(value);
    } else {
      words[lane] = value;
      if (bits > 64) words[kLanes + lane] = high;
    }
  }
  std::uint64_t get(unsigned bits, unsigned lane) const {
    const auto* narrow = reinterpret_cast<const std::uint32_t*>(words.data());
    if (bits == 1) return (narrow[0] >> lane) & 1U;
    return bits <= 32 ? narrow[lane] : words[lane];
  }
};

class Operation {
 public:
  explicit Operation(const std::string& text) : text_(text) {
    Result<ptx::Module> module = ptx::parse("test.ptx", kernel(text));
    if (!module) {
      ADD_FAILURE() << module.error().message;
      return;
    }
    module_ = std::move(*module);
    const ptx::Function& function = module_.functions[0];
    const ptx::Instruction& instruction = function.body.instructions[0];
    const auto best = values::plan_at(values::Level::kBest, function, instruction);
    const auto baseline = values::plan_at(values::Level::kBaseline, function, instruction);
    if (!best || !baseline) {
      ADD_FAILURE() << (best ? baseline : best).error().message;
      return;
    }
    plan_ = *best;
    baseline_ = *baseline;
    good_ = true;
  }
  bool good() const { return good_; }
  const ValuePlan& plan() const { return plan_; }
  std::uint32_t carry = 0;

  // Results by operand, then by lane.
  std::vector<Lanes> lanes(const std::vector<Lanes>& sources, std::uint32_t active = ~0U) {
    if (!good_) return {Lanes{}, Lanes{}};
    const std::uint32_t before = carry;
    const std::vector<Lanes> best = run(plan_, sources, active);
    const std::uint32_t after = carry;
    carry = before;
    const std::vector<Lanes> baseline = run(baseline_, sources, active);
    EXPECT_EQ(best, baseline) << text_ << ": the levels of the processor differ";
    EXPECT_EQ(carry, after) << text_;
    // Diverged: the same where active, untouched elsewhere.
    carry = before;
    const std::uint32_t some = active & 0x5a5af00f;
    const std::vector<Lanes> diverged = run(plan_, sources, some);
    for (std::size_t k = 0; k < best.size(); ++k) {
      for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint64_t untouched = plan_.result_bits[k] == 1    ? kUntouched & 1U
                                        : plan_.result_bits[k] <= 32 ? kUntouched & 0xffffffffU
                                                                     : kUntouched;
        const std::uint64_t expected = ((some >> i) & 1U) != 0 ? best[k][i] : untouched;
        EXPECT_EQ(diverged[k][i], expected) << text_ << " lane " << i << " masked";
      }
    }
    carry = after;
    return best;
  }
  // All lanes alike: the first result.
  std::uint64_t operator()(const std::vector<std::uint64_t>& sources) {
    std::vector<Lanes> all(sources.size());
    for (std::size_t k = 0; k < sources.size(); ++k) all[k].fill(sources[k]);
    const std::vector<Lanes> results = lanes(all);
    for (unsigned i = 1; i < kLanes; ++i) EXPECT_EQ(results[0][i], results[0][0]) << text_;
    return results[0][0];
  }
  // The raw call, for measuring.
  ValueArgs args(std::vector<Storage>& storage, std::size_t sources, std::size_t results) {
    ValueArgs made = {};
    made.sources = static_cast<std::uint8_t>(sources);
    made.results = static_cast<std::uint8_t>(results);
    made.shift = plan_.shift;
    made.constant = plan_.constant;
    made.active = ~0U;
    made.carry = &carry;
    for (std::size_t k = 0; k < sources; ++k) made.source[k] = storage[k].words.data();
    for (std::size_t k = 0; k < results; ++k) made.result[k] = storage[sources + k].words.data();
    return made;
  }

 private:
  static constexpr std::uint64_t kUntouched = 0xdeadbeefcafef00d;

  std::vector<Lanes> run(const ValuePlan& plan, const std::vector<Lanes>& sources,
                         std::uint32_t active) {
    std::size_t results = 0;
    while (results < kMostResults && plan.result_bits[results] != 0) ++results;
    const ptx::Operand& first = module_.functions[0].body.instructions[0].operands()[0];
    if (first.part_count == 0) results = 1;  // setp has room for a second predicate
    std::vector<Storage> storage(sources.size() + results);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      EXPECT_NE(plan.source_bits[k], 0) << text_ << " source " << k;
      for (unsigned i = 0; i < kLanes; ++i) storage[k].set(plan.source_bits[k], i, sources[k][i]);
    }
    for (std::size_t k = 0; k < results; ++k) {
      for (unsigned i = 0; i < kLanes; ++i) {
        storage[sources.size() + k].set(plan.result_bits[k], i, kUntouched, kUntouched);
      }
    }
    ValueArgs made = args(storage, sources.size(), results);
    made.active = active;
    made.shift = plan.shift;
    made.constant = plan.constant;
    plan.op(made);
    std::vector<Lanes> out(results);
    for (std::size_t k = 0; k < results; ++k) {
      for (unsigned i = 0; i < kLanes; ++i) {
        out[k][i] = storage[sources.size() + k].get(plan.result_bits[k], i);
      }
    }
    return out;
  }

  std::string text_;
  ptx::Module module_;
  ValuePlan plan_;
  ValuePlan baseline_;
  bool good_ = false;
};

// Why an instruction is refused.
inline std::string refusal(const std::string& text) {
  const Result<ptx::Module> module = ptx::parse("test.ptx", kernel(text));
  if (!module) return "parser: " + module.error().message;
  const ptx::Function& function = module->functions[0];
  const auto plan = plan_value_op(function, function.body.instructions[0]);
  return plan ? std::string() : plan.error().message;
}

// Random numbers with many edge cases among them; the seed is shown when a test fails.
class Values {
 public:
  explicit Values(std::uint64_t seed) : random_(seed) {
    ::testing::Test::RecordProperty("seed", std::to_string(seed));
  }
  std::uint64_t integer(unsigned bits) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    switch (random_() % 8) {
      case 0: {
        const std::uint64_t edges[] = {0, 1, 2, mask, top, top - 1, top + 1, mask - 1};
        return edges[random_() % 8];
      }
      case 1:
        return random_() & 0xffU & mask;
      case 2:
        return (std::uint64_t{1} << (random_() % bits)) & mask;
      default:
        return random_() & mask;
    }
  }
  // The bits of a float of this format: NaN, infinities, zeros, subnormals, close exponents.
  std::uint64_t real(unsigned exponent_bits, unsigned fraction_bits) {
    const std::uint64_t sign = (random_() & 1U) << (exponent_bits + fraction_bits);
    const std::uint64_t field_mask = (std::uint64_t{1} << exponent_bits) - 1;
    const std::uint64_t fraction_mask = (std::uint64_t{1} << fraction_bits) - 1;
    std::uint64_t fraction = random_() & fraction_mask;
    if (random_() % 4 == 0) fraction &= ~(fraction_mask >> (random_() % fraction_bits));
    std::uint64_t field = random_() & field_mask;
    switch (random_() % 12) {
      case 0:
        return sign | field_mask << fraction_bits | (random_() % 2 == 0 ? 0 : fraction | 1U);
      case 1:
        field = 0;
        break;
      case 2:
        return sign;
      case 3:
      case 4:
      case 5:
      case 6:
      case 7:
        field = (field_mask >> 1) - 8 + random_() % 16;
        break;
      default:
        break;
    }
    return sign | (field & field_mask) << fraction_bits | fraction;
  }
  std::uint64_t f32() { return real(8, 23); }
  std::uint64_t f64() { return real(11, 52); }
  std::uint64_t f16() { return real(5, 10); }
  std::uint64_t bf16() { return real(8, 7); }
  std::uint64_t operator()() { return random_(); }

 private:
  std::mt19937_64 random_;
};

inline float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
inline double as_double(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
inline std::uint64_t bits_of(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

}  // namespace redflag::cuda::testing
