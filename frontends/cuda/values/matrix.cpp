// Products of matrices over a warp: mma.sync, wmma.mma and movmatrix. (PTX ISA 9.7.14.)
//
// Operands are gathered from the lanes' registers (fragment.h), multiplied and put back. How the hardware
// adds is not specified: here products are exact, sums are in f64 and rounded once to the result's type,
// which is within what any order of f32 additions may give. Integers wrap, or saturate with .satfinite;
// f64 is a chain of fused multiply-adds from the first to the last.
#include <cmath>

#include "frontends/cuda/values/fragment.h"
#include "frontends/cuda/values/narrow.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kMostRows = 32;
constexpr unsigned kMostDepth = 64;

// How many elements a register has.
constexpr unsigned per_register(Type type) {
  return type == Type::kF64 || type == Type::kF32 || type == Type::kS32 || type == Type::kTf32
             ? 1
             : 32 / ptx::info(type).bits;
}
constexpr bool is_integer(Type type) {
  const ptx::TypeClass kind = ptx::info(type).type_class;
  return kind == ptx::TypeClass::kSigned || kind == ptx::TypeClass::kUnsigned;
}
template <Type T>
REDFLAG_INLINE auto element(const void* words, unsigned lane, unsigned i) {
  if constexpr (T == Type::kF64) {
    static_cast<void>(i);
    return std::bit_cast<double>(static_cast<const u64*>(words)[lane]);
  } else {
    constexpr unsigned kBits = 32 / per_register(T);
    const u32 whole = static_cast<const u32*>(words)[lane];
    const u32 code = kBits == 32 ? whole : whole >> (i * kBits) & ((1U << (kBits % 32)) - 1);
    if constexpr (T == Type::kF16) {
      return static_cast<double>(widen(Half{static_cast<u16>(code)}));
    } else if constexpr (T == Type::kBf16) {
      return static_cast<double>(widen(Bfloat{static_cast<u16>(code)}));
    } else if constexpr (T == Type::kTf32) {  // the low 13 bits are not looked at
      return static_cast<double>(std::bit_cast<float>(code & 0xffffe000U));
    } else if constexpr (T == Type::kF32) {
      return static_cast<double>(std::bit_cast<float>(code));
    } else if constexpr (T == Type::kE4m3) {
      return static_cast<double>(narrow_value<kE4m3>(code));
    } else if constexpr (T == Type::kE5m2) {
      return static_cast<double>(narrow_value<kE5m2>(code));
    } else if constexpr (T == Type::kS32) {
      return static_cast<i64>(static_cast<std::int32_t>(code));
    } else {
      const u64 up = u64{code} << (64 - kBits);
      return ptx::info(T).type_class == ptx::TypeClass::kSigned
                 ? static_cast<i64>(up) >> (64 - kBits)
                 : static_cast<i64>(up >> (64 - kBits));
    }
  }
}

// The shape and where elements are; registers of A, then B, then C are the sources.
template <Type A, Type B, Type C, Type D, unsigned M, unsigned N, unsigned K, bool Wmma>
struct Layout {
  static constexpr unsigned kElementsC = M * N / kLanes;
  // f16 fragments of wmma have 16 elements in each lane, whatever the shape.
  static constexpr unsigned kElementsA = Wmma && A == Type::kF16 ? 16 : M * K / kLanes;
  static constexpr unsigned kElementsB = Wmma && A == Type::kF16 ? 16 : K * N / kLanes;
  static constexpr unsigned kRegistersA = kElementsA / per_register(A);
  static constexpr unsigned kRegistersB = kElementsB / per_register(B);
  static constexpr unsigned kRegistersC = kElementsC / per_register(C);
  static constexpr unsigned kRegistersD = kElementsC / per_register(D);
  static_assert(kRegistersA > 0 && kRegistersB > 0 && kRegistersC > 0 && kRegistersD > 0);
  static_assert(kRegistersA + kRegistersB + kRegistersC <= kMostSources);

  static MatrixPlace place_a(unsigned lane, unsigned i) {
    if constexpr (Wmma) return wmma_element(M, K, kElementsA, lane, i);
    return mma_place_a(M, per_register(A), lane, i / per_register(A), i % per_register(A));
  }
  static MatrixPlace place_b(unsigned lane, unsigned i) {
    if constexpr (Wmma) return wmma_element(K, N, kElementsB, lane, i);
    return mma_place_b(per_register(B), lane, i / per_register(B), i % per_register(B));
  }
  static MatrixPlace place_c(unsigned lane, unsigned i) {
    if constexpr (Wmma) return wmma_element(M, N, kElementsC, lane, i);
    return mma_place_c(lane, i);
  }
};

template <Type A>
using Number = std::conditional_t<is_integer(A), i64, double>;

template <Type D, bool Finite>
REDFLAG_INLINE u32 finish(double sum) {
  if constexpr (D == Type::kF16) {
    return round_real<kF16>(sum, ptx::Rounding::kRn, Finite);
  } else {
    return std::bit_cast<u32>(output<false, false>(static_cast<float>(sum)));
  }
}
template <Type D, bool Finite>
REDFLAG_INLINE u32 finish(i64 sum) {
  constexpr i64 kMost = 0x7fffffff;
  if (Finite) sum = sum > kMost ? kMost : sum < -kMost - 1 ? -kMost - 1 : sum;
  return static_cast<u32>(static_cast<u64>(sum));
}

template <Type A, Type B, Type C, Type D, unsigned M, unsigned N, unsigned K, bool Wmma,
          bool Finite>
void product(const ValueArgs& args) {
  using L = Layout<A, B, C, D, M, N, K, Wmma>;
  using T = Number<A>;
  static_assert(M <= kMostRows && N <= kMostRows && K <= kMostDepth);
  T a[M][K];
  T b[K][N];
  T d[M][N];
  const void* const* from = args.source;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < L::kElementsA; ++i) {
      const MatrixPlace at = L::place_a(lane, i);
      a[at.row][at.column] = element<A>(from[i / per_register(A)], lane, i % per_register(A));
    }
    for (unsigned i = 0; i < L::kElementsB; ++i) {
      const MatrixPlace at = L::place_b(lane, i);
      b[at.row][at.column] =
          element<B>(from[L::kRegistersA + i / per_register(B)], lane, i % per_register(B));
    }
    for (unsigned i = 0; i < L::kElementsC; ++i) {
      const MatrixPlace at = L::place_c(lane, i);
      d[at.row][at.column] = element<C>(from[L::kRegistersA + L::kRegistersB + i / per_register(C)],
                                        lane, i % per_register(C));
    }
  }
  for (unsigned m = 0; m < M; ++m) {
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned n = 0; n < N; ++n) {
        if constexpr (A == Type::kF64) {
          d[m][n] = std::fma(a[m][k], b[k][n], d[m][n]);
        } else {
          d[m][n] += a[m][k] * b[k][n];
        }
      }
    }
  }
  for (unsigned r = 0; r < L::kRegistersD; ++r) {
    if constexpr (D == Type::kF64) {
      store_lanes(static_cast<u64*>(args.result[r]), args.active, [&](unsigned lane) {
        const MatrixPlace at = L::place_c(lane, r);
        return std::bit_cast<u64>(d[at.row][at.column]);
      });
    } else {
      store_lanes(static_cast<u32*>(args.result[r]), args.active, [&](unsigned lane) {
        u32 word = 0;
        for (unsigned i = 0; i < per_register(D); ++i) {
          const MatrixPlace at = L::place_c(lane, r * per_register(D) + i);
          word |= finish<D, Finite>(d[at.row][at.column]) << (16 * i);
        }
        return word;
      });
    }
  }
}

// An 8x8 matrix of 16 bits, a row in the registers of four lanes, transposed.
void movmatrix(const ValueArgs& args) {
  const auto* a = static_cast<const u32*>(args.source[0]);
  u16 matrix[8][8];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned at = 2 * (lane % 4);
    matrix[lane / 4][at] = static_cast<u16>(a[lane]);
    matrix[lane / 4][at + 1] = static_cast<u16>(a[lane] >> 16);
  }
  store_lanes(static_cast<u32*>(args.result[0]), args.active, [&](unsigned lane) {
    const unsigned at = 2 * (lane % 4);
    return matrix[at][lane / 4] | static_cast<u32>(matrix[at + 1][lane / 4]) << 16;
  });
}

template <Type D, Type A, Type B, Type C, unsigned M, unsigned N, unsigned K, bool Finite = false>
constexpr Row mma() {
  using L = Layout<A, B, C, D, M, N, K, false>;
  return {.op = Op::kMma,
          .types = {D, A, B, C},
          .words = words(Mod::kRow, Mod::kCol) | (Finite ? word(Mod::kSatFinite) : Words{0}),
          .shape = {M, N, K},
          .run = product<A, B, C, D, M, N, K, false, Finite>,
          .constant = L::kRegistersD | (L::kRegistersA + L::kRegistersB + L::kRegistersC) << 8,
          .prepare = prepare_matrix,
          .operands = Operands::kPrepared};
}
// Layouts of A and B in memory are the loads' affair: a product knows only fragments.
template <Type D, Type A, Type C, unsigned M, unsigned N, unsigned K, bool Finite = false>
constexpr auto wmma() {
  using L = Layout<A, A, C, D, M, N, K, true>;
  Row row = {.op = Op::kWmmaMma,
             .types = {D, A, A, C},
             .words = Finite ? word(Mod::kSatFinite) : Words{0},
             .shape = {M, N, K},
             .run = product<A, A, C, D, M, N, K, true, Finite>,
             .constant = L::kRegistersD | (L::kRegistersA + L::kRegistersB + L::kRegistersC) << 8,
             .prepare = prepare_matrix,
             .operands = Operands::kPrepared};
  if (A == Type::kF16) row.types = {D, C};  // f16 operands are not written
  if (A == Type::kF64) row.roundings = kUnrounded | kNearest;
  return std::array{row.with(word(Mod::kRow)), row.with(word(Mod::kCol)),
                    row.with(words(Mod::kRow, Mod::kCol))};
}
template <Type A, Type B, unsigned M, unsigned K>
constexpr auto integer_mma() {
  return std::array{mma<Type::kS32, A, B, Type::kS32, M, 8, K>(),
                    mma<Type::kS32, A, B, Type::kS32, M, 8, K, true>()};
}
template <Type S, Type U, unsigned M, unsigned K>
constexpr auto integer_mmas() {
  return join(integer_mma<S, S, M, K>(), integer_mma<U, U, M, K>(), integer_mma<S, U, M, K>(),
              integer_mma<U, S, M, K>());
}
template <Type A, Type B>
constexpr auto byte_float_mmas() {
  return std::array{mma<Type::kF32, A, B, Type::kF32, 16, 8, 32>(),
                    mma<Type::kF16, A, B, Type::kF16, 16, 8, 32>(),
                    mma<Type::kF32, A, B, Type::kF32, 16, 8, 16>(),
                    mma<Type::kF16, A, B, Type::kF16, 16, 8, 16>()};
}
template <unsigned M, unsigned N>
constexpr auto wmma_shape() {
  constexpr Type kS32 = Type::kS32;
  return join(wmma<Type::kF32, Type::kF16, Type::kF32, M, N, 16>(),
              wmma<Type::kF16, Type::kF16, Type::kF16, M, N, 16>(),
              wmma<Type::kF32, Type::kF16, Type::kF16, M, N, 16>(),
              wmma<Type::kF16, Type::kF16, Type::kF32, M, N, 16>(),
              wmma<Type::kF32, Type::kBf16, Type::kF32, M, N, 16>(),
              wmma<kS32, Type::kS8, kS32, M, N, 16>(), wmma<kS32, Type::kU8, kS32, M, N, 16>(),
              wmma<kS32, Type::kS8, kS32, M, N, 16, true>(),
              wmma<kS32, Type::kU8, kS32, M, N, 16, true>());
}

constexpr auto kTable =
    join(std::array{mma<Type::kF32, Type::kF16, Type::kF16, Type::kF32, 16, 8, 8>(),
                    mma<Type::kF16, Type::kF16, Type::kF16, Type::kF16, 16, 8, 8>(),
                    mma<Type::kF32, Type::kF16, Type::kF16, Type::kF32, 16, 8, 16>(),
                    mma<Type::kF16, Type::kF16, Type::kF16, Type::kF16, 16, 8, 16>(),
                    mma<Type::kF32, Type::kBf16, Type::kBf16, Type::kF32, 16, 8, 8>(),
                    mma<Type::kF32, Type::kBf16, Type::kBf16, Type::kF32, 16, 8, 16>(),
                    mma<Type::kF32, Type::kTf32, Type::kTf32, Type::kF32, 16, 8, 4>(),
                    mma<Type::kF32, Type::kTf32, Type::kTf32, Type::kF32, 16, 8, 8>(),
                    mma<Type::kF64, Type::kF64, Type::kF64, Type::kF64, 8, 8, 4>(),
                    mma<Type::kF64, Type::kF64, Type::kF64, Type::kF64, 16, 8, 4>(),
                    mma<Type::kF64, Type::kF64, Type::kF64, Type::kF64, 16, 8, 8>(),
                    mma<Type::kF64, Type::kF64, Type::kF64, Type::kF64, 16, 8, 16>(),
                    Row{.op = Op::kMovmatrix,
                        .types = {Type::kB16},
                        .words = word(Mod::kTrans),
                        .shape = {8, 8, 0},
                        .run = movmatrix,
                        .result_bits = {32},
                        .source_bits = {32}}},
         integer_mmas<Type::kS8, Type::kU8, 8, 16>(), integer_mmas<Type::kS8, Type::kU8, 16, 16>(),
         integer_mmas<Type::kS8, Type::kU8, 16, 32>(), integer_mmas<Type::kS4, Type::kU4, 8, 32>(),
         integer_mmas<Type::kS4, Type::kU4, 16, 32>(), integer_mmas<Type::kS4, Type::kU4, 16, 64>(),
         byte_float_mmas<Type::kE4m3, Type::kE4m3>(), byte_float_mmas<Type::kE4m3, Type::kE5m2>(),
         byte_float_mmas<Type::kE5m2, Type::kE4m3>(), byte_float_mmas<Type::kE5m2, Type::kE5m2>(),
         wmma_shape<16, 16>(), wmma_shape<32, 8>(), wmma_shape<8, 32>(),
         wmma<Type::kF32, Type::kTf32, Type::kF32, 16, 16, 8>(),
         wmma<Type::kF64, Type::kF64, Type::kF64, 8, 8, 4>());

}  // namespace

Rows matrix_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
