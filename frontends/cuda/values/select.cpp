// Selection and moves: selp, slct, mov with packing and unpacking, createpolicy. (PTX ISA 9.7.6.3, 9.7.6.4, 9.7.9.1.)
// mov of addresses and special registers is the machine's: it knows their values.
#include "frontends/cuda/values/prepare.h"
#include "frontends/cuda/values/real.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Mod;
using ptx::Op;
using ptx::Type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename W>
void selp(const ValueArgs& args) {
  const auto* a = static_cast<const W*>(args.source[0]);
  const auto* b = static_cast<const W*>(args.source[1]);
  const u32 mask = load_mask(args.source[2], (args.shift & kNegated) != 0);
  store_lanes(static_cast<W*>(args.result[0]), args.active,
              [=](unsigned i) { return ((mask >> i) & 1U) != 0 ? a[i] : b[i]; });
}
template <typename W>
constexpr Row selp_row(Type type) {
  const auto width = static_cast<std::uint8_t>(ptx::info(type).bits);
  return {.op = Op::kSelp,
          .types = {type},
          .run = selp<W>,
          .prepare = prepare_predicate,
          .result_bits = {width},
          .source_bits = {width, width, 1}};
}

// c >= 0 selects a; so does -0, and not NaN.
template <typename T>
T slct_integer(T a, T b, std::int32_t c) {
  return c >= 0 ? a : b;
}
template <typename T, bool Ftz>
T slct_float(T a, T b, float c) {
  return input<Ftz>(c) >= 0.0F ? a : b;
}
template <typename T>
constexpr auto slct_rows(Type type) {
  return std::array{
      row<slct_integer<T>>(Op::kSlct, type, Type::kS32),
      row<slct_float<T, false>>(Op::kSlct, type, Type::kF32),
      row<slct_float<T, true>>(Op::kSlct, type, Type::kF32).with(word(Mod::kFtz)),
  };
}

template <typename W>
void mov(const ValueArgs& args) {
  const auto* a = static_cast<const W*>(args.source[0]);
  store_lanes(static_cast<W*>(args.result[0]), args.active, [=](unsigned i) { return a[i]; });
}
void mov_mask(const ValueArgs& args) {
  store_mask(args.result[0], args.active, load_mask(args.source[0], (args.shift & kNegated) != 0));
}
void mov128(const ValueArgs& args) {
  ValueArgs half = args;
  mov<u64>(half);
  half.source[0] = static_cast<const u64*>(args.source[0]) + kLanes;
  half.result[0] = args.result[0] == nullptr ? nullptr : static_cast<u64*>(args.result[0]) + kLanes;
  mov<u64>(half);
}

// Parts of `constant` bits each, the lowest first; one side is a single register of all the bits. Goes
// over 128 bits in words of 64, through copies: a part may be a register of the other side.
REDFLAG_INLINE u64 word_at(const void* words, unsigned bits, unsigned lane) {
  return bits == 64 ? static_cast<const u64*>(words)[lane] : static_cast<const u32*>(words)[lane];
}
REDFLAG_INLINE void store_word(void* words, unsigned bits, std::uint32_t active,
                               const u64 (&values)[kLanes]) {
  if (bits == 64) {
    store_lanes(static_cast<u64*>(words), active, [&](unsigned i) { return values[i]; });
  } else {
    store_lanes(static_cast<u32*>(words), active,
                [&](unsigned i) { return static_cast<u32>(values[i]); });
  }
}
void pack(const ValueArgs& args) {
  const unsigned part = args.constant;
  const unsigned whole = args.shift;
  u64 low[kLanes] = {};
  u64 high[kLanes] = {};
  for (unsigned k = 0; k < args.sources; ++k) {
    const unsigned at = k * part;
    for (unsigned i = 0; i < kLanes; ++i) {
      const u64 value = word_at(args.source[k], part, i);
      if (at < 64) {
        low[i] |= value << at;
      } else {
        high[i] |= value << (at - 64);
      }
    }
  }
  store_word(args.result[0], whole >= 64 ? 64 : 32, args.active, low);
  if (whole == 128 && args.result[0] != nullptr) {
    store_word(static_cast<u64*>(args.result[0]) + kLanes, 64, args.active, high);
  }
}
void unpack(const ValueArgs& args) {
  const unsigned part = args.constant;
  const unsigned whole = args.shift;
  u64 low[kLanes];
  u64 high[kLanes] = {};
  for (unsigned i = 0; i < kLanes; ++i) {
    low[i] = word_at(args.source[0], whole >= 64 ? 64 : 32, i);
    if (whole == 128) high[i] = static_cast<const u64*>(args.source[0])[kLanes + i];
  }
  const u64 mask = part == 64 ? ~u64{0} : (u64{1} << part) - 1;
  for (unsigned k = 0; k < args.results; ++k) {
    const unsigned at = k * part;
    u64 values[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) {
      values[i] = (at < 64 ? low[i] >> at : high[i] >> (at - 64)) & mask;
    }
    store_word(args.result[k], part == 64 ? 64 : 32, args.active, values);
  }
}
// mov.v2 and mov.v4: as many moves as there are parts.
template <typename W>
void mov_vector(const ValueArgs& args) {
  W values[8][kLanes];
  for (unsigned k = 0; k < args.sources && k < 8; ++k) {
    for (unsigned i = 0; i < kLanes; ++i) values[k][i] = static_cast<const W*>(args.source[k])[i];
  }
  for (unsigned k = 0; k < args.results && k < 8; ++k) {
    store_lanes(static_cast<W*>(args.result[k]), args.active,
                [&](unsigned i) { return values[k][i]; });
  }
}

// A cache policy changes no value: any number will do.
void no_policy(const ValueArgs& args) {
  store_lanes(static_cast<u64*>(args.result[0]), args.active, [](unsigned) { return u64{0}; });
}

constexpr Row mov_row(Type type) {
  const auto width = static_cast<std::uint8_t>(ptx::info(type).bits);
  return {.op = Op::kMov,
          .types = {type},
          .run = width == 64 ? mov<u64> : mov<u32>,
          .result_bits = {width},
          .source_bits = {width}};
}
// With several parts on one side; prepare_mov sets the widths.
constexpr auto packing_rows(Type type) {
  return std::array{Row{.op = Op::kMov,
                        .types = {type},
                        .run = pack,
                        .prepare = prepare_mov,
                        .operands = Operands::kPack},
                    Row{.op = Op::kMov,
                        .types = {type},
                        .run = unpack,
                        .prepare = prepare_mov,
                        .operands = Operands::kUnpack}};
}
constexpr auto vector_rows(Type type) {
  Row row = mov_row(type).prepared(prepare_mov);
  row.operands = Operands::kPrepared;
  row.run = ptx::info(type).bits == 64 ? mov_vector<u64> : mov_vector<u32>;
  return std::array{row.with(word(Mod::kV2)), row.with(word(Mod::kV4))};
}

constexpr auto kTable = join(
    std::array{selp_row<u32>(Type::kB16), selp_row<u32>(Type::kU16), selp_row<u32>(Type::kS16),
               selp_row<u32>(Type::kB32), selp_row<u32>(Type::kU32), selp_row<u32>(Type::kS32),
               selp_row<u32>(Type::kF32), selp_row<u64>(Type::kB64), selp_row<u64>(Type::kU64),
               selp_row<u64>(Type::kS64), selp_row<u64>(Type::kF64), selp_row<u32>(Type::kF16),
               selp_row<u32>(Type::kBf16)},
    slct_rows<std::uint16_t>(Type::kB16), slct_rows<std::uint16_t>(Type::kU16),
    slct_rows<std::uint16_t>(Type::kS16), slct_rows<u32>(Type::kB32), slct_rows<u32>(Type::kU32),
    slct_rows<u32>(Type::kS32), slct_rows<u32>(Type::kF32), slct_rows<u64>(Type::kB64),
    slct_rows<u64>(Type::kU64), slct_rows<u64>(Type::kS64), slct_rows<u64>(Type::kF64),
    std::array{
        mov_row(Type::kB8),
        mov_row(Type::kU8),
        mov_row(Type::kS8),
        mov_row(Type::kB16),
        mov_row(Type::kU16),
        mov_row(Type::kS16),
        mov_row(Type::kF16),
        mov_row(Type::kBf16),
        mov_row(Type::kB32),
        mov_row(Type::kU32),
        mov_row(Type::kS32),
        mov_row(Type::kF32),
        mov_row(Type::kF16x2),
        mov_row(Type::kBf16x2),
        mov_row(Type::kB64),
        mov_row(Type::kU64),
        mov_row(Type::kS64),
        mov_row(Type::kF64),
        mov_row(Type::kTf32),
        Row{.op = Op::kCreatepolicy,
            .types = {Type::kB64},
            .run = no_policy,
            .prepare = prepare_policy,
            .operands = Operands::kPrepared,
            .result_bits = {64}},
        Row{.op = Op::kMov,
            .types = {Type::kB128},
            .run = mov128,
            .result_bits = {128},
            .source_bits = {128}},
        Row{.op = Op::kMov,
            .types = {Type::kPred},
            .run = mov_mask,
            .prepare = prepare_predicate,
            .result_bits = {1},
            .source_bits = {1}},
    },
    vector_rows(Type::kB16), vector_rows(Type::kU16), vector_rows(Type::kS16),
    vector_rows(Type::kB32), vector_rows(Type::kU32), vector_rows(Type::kS32),
    vector_rows(Type::kF32), vector_rows(Type::kB64), vector_rows(Type::kU64),
    vector_rows(Type::kS64), vector_rows(Type::kF64), vector_rows(Type::kB8),
    vector_rows(Type::kU8), packing_rows(Type::kB16), packing_rows(Type::kB32),
    packing_rows(Type::kB64), packing_rows(Type::kB128), packing_rows(Type::kU32),
    packing_rows(Type::kU64));

}  // namespace

Rows select_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
