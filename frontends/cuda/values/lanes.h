// One scalar function, applied to all lanes of a warp.
//
//   std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a + b; }
//   Lanes<add>::run      // a ValueOp
//   row<add>(Op::kAdd, Type::kU32)
//
// The function's signature says how registers are read: 16 bits from the low half of a 32-bit word,
// floats by their bits. A converged warp takes a loop without conditions, a diverged one computes all
// lanes too and writes the active ones by a blend, so functions must be defined for all bit patterns.
// Hot path; the budget is 15 ns for an addition (values_bench in values_test.cpp measures it).
//
// Everything is in the namespace of the processor level the file is compiled for (levels.h).
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "frontends/cuda/values/levels.h"
#include "frontends/cuda/values/row.h"

// A result's lane depends on that lane of the sources alone, also when they are the same register.
#if defined(__clang__)
#define REDFLAG_EACH_LANE _Pragma("clang loop vectorize(assume_safety)")
#else
#define REDFLAG_EACH_LANE _Pragma("GCC ivdep")
#endif
#define REDFLAG_INLINE [[gnu::always_inline]] inline

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kAllLanes = ~0U;

// Values that are not numbers of C++: their bits, told apart by type.
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

template <typename T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
REDFLAG_INLINE T from_word(Word<T> w) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(w);
  } else if constexpr (sizeof(T) == 2) {
    return T{static_cast<std::uint16_t>(w)};
  } else {
    return std::bit_cast<T>(w);
  }
}
template <typename T>
REDFLAG_INLINE Word<T> to_word(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else if constexpr (sizeof(T) == 2) {
    return value.bits;
  } else {
    return std::bit_cast<Word<T>>(value);
  }
}

template <typename W, typename F>
REDFLAG_INLINE void store_lanes(W* out, std::uint32_t active, F value_at) {
  if (out == nullptr) return;
  if (active == kAllLanes) {
    REDFLAG_EACH_LANE
    for (unsigned i = 0; i < kLanes; ++i) out[i] = value_at(i);
  } else {
    REDFLAG_EACH_LANE
    for (unsigned i = 0; i < kLanes; ++i) {
      const W value = value_at(i);
      out[i] = ((active >> i) & 1U) != 0 ? value : out[i];
    }
  }
}
REDFLAG_INLINE void store_mask(void* out, std::uint32_t active, std::uint32_t mask) {
  if (out == nullptr) return;
  auto* predicate = static_cast<std::uint32_t*>(out);
  *predicate = (*predicate & ~active) | (mask & active);
}
// A predicate source, `!` applied.
REDFLAG_INLINE std::uint32_t load_mask(const void* source, bool negated) {
  const std::uint32_t mask = *static_cast<const std::uint32_t*>(source);
  return negated ? ~mask : mask;
}

// The processor rounds as `mode` (a ptx::Rounding) says while this lives. Registers are read after it
// begins and written before it ends: the compiler cannot move the computation out, since memory is
// declared changed. fesetround would set the x87 unit as well, ten times slower.
class RoundingScope {
 public:
  explicit RoundingScope(std::uint16_t mode) {
#if defined(__SSE__)
    static constexpr unsigned kModes[] = {_MM_ROUND_NEAREST, _MM_ROUND_NEAREST,
                                          _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN, _MM_ROUND_UP};
    before_ = _mm_getcsr();
    _mm_setcsr((before_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) | kModes[mode < 5 ? mode : 0]);
#else
    static constexpr int kModes[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                     FE_UPWARD};
    before_ = static_cast<unsigned>(std::fegetround());
    std::fesetround(kModes[mode < 5 ? mode : 0]);
#endif
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
#if defined(__SSE__)
    _mm_setcsr(before_);
#else
    std::fesetround(static_cast<int>(before_));
#endif
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  unsigned before_ = 0;
};

template <typename T>
constexpr std::uint8_t bits_of() {
  return static_cast<std::uint8_t>(sizeof(T) * 8);
}

template <auto F>
struct Lanes;
template <typename R, typename... A, R (*F)(A...)>
struct Lanes<F> {
  static constexpr std::array<std::uint8_t, 4> kResultBits = {bits_of<R>()};
  static constexpr std::array<std::uint8_t, 4> kSourceBits = {bits_of<A>()...};

  template <std::size_t... I>
  REDFLAG_INLINE static void apply(const ValueArgs& args, std::index_sequence<I...>) {
    const void* const sources[] = {args.source[I]...};
    store_lanes(static_cast<Word<R>*>(args.result[0]), args.active, [&](unsigned i) {
      return to_word<R>(F(from_word<A>(static_cast<const Word<A>*>(sources[I])[i])...));
    });
  }
  static void run(const ValueArgs& args) { apply(args, std::index_sequence_for<A...>{}); }
  // With the rounding that `shift` names.
  static void run_rounded(const ValueArgs& args) {
    const RoundingScope scope(args.shift);
    apply(args, std::index_sequence_for<A...>{});
  }
};

template <auto F>
constexpr Row row(ptx::Op op, ptx::Type t0 = {}, ptx::Type t1 = {}, ptx::Type t2 = {},
                  ptx::Type t3 = {}) {
  return {.op = op,
          .types = {t0, t1, t2, t3},
          .run = Lanes<F>::run,
          .result_bits = Lanes<F>::kResultBits,
          .source_bits = Lanes<F>::kSourceBits};
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
