// Video instructions: scalar (vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset) and packed by two
// halves or four bytes (vadd2, vavrg4, ...). (PTX ISA 9.7.17.) Nothing but old code uses them, so
// the form is data (VideoForm) and lanes are computed one by one.
//
// Packed ones are known with plain operands only: the parser keeps selectors such as .b3210 as unknown.
#include "frontends/cuda/values/lanes.h"
#include "frontends/cuda/values/prepare.h"

namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL {
namespace {

using ptx::Component;
using ptx::Mod;
using ptx::Op;
using ptx::Type;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Field {
  unsigned at;
  unsigned bits;
};
REDFLAG_INLINE Field field_of(Component component) {
  switch (component) {
    case Component::kB0:
    case Component::kB1:
    case Component::kB2:
    case Component::kB3:
      return {8U * (static_cast<unsigned>(component) - static_cast<unsigned>(Component::kB0)), 8};
    case Component::kH0:
      return {0, 16};
    case Component::kH1:
      return {16, 16};
    default:
      return {0, 32};
  }
}
REDFLAG_INLINE i64 part_of(u32 word, Field field, bool is_signed) {
  const u64 up = u64{word} << (64 - field.at - field.bits);
  return is_signed ? static_cast<i64>(up) >> (64 - field.bits)
                   : static_cast<i64>(up >> (64 - field.bits));
}
REDFLAG_INLINE i64 clamped(i64 value, unsigned bits, bool is_signed) {
  const i64 most = is_signed ? (i64{1} << (bits - 1)) - 1 : (i64{1} << bits) - 1;
  const i64 least = is_signed ? -(i64{1} << (bits - 1)) : 0;
  return value > most ? most : value < least ? least : value;
}

enum class Kind { kAdd, kSub, kDifference, kLeast, kMost, kAverage, kSet, kLeft, kRight };

REDFLAG_INLINE bool holds(ptx::Compare compare, i64 a, i64 b) {
  switch (compare) {
    case ptx::Compare::kEq:
      return a == b;
    case ptx::Compare::kNe:
      return a != b;
    case ptx::Compare::kLt:
      return a < b;
    case ptx::Compare::kLe:
      return a <= b;
    case ptx::Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}
template <Kind K>
REDFLAG_INLINE i64 apply(i64 a, i64 b, ptx::Compare compare, bool wrap) {
  switch (K) {
    case Kind::kAdd:
      return a + b;
    case Kind::kSub:
      return a - b;
    case Kind::kDifference:
      return a > b ? a - b : b - a;
    case Kind::kLeast:
      return a < b ? a : b;
    case Kind::kMost:
      return a < b ? b : a;
    case Kind::kAverage:  // halves are rounded up, of negative sums towards the greater size
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Kind::kSet:
      return holds(compare, a, b) ? 1 : 0;
    case Kind::kLeft:
    case Kind::kRight: {
      const i64 by = wrap ? b & 31 : b < 0 || b > 32 ? 32 : b;
      return K == Kind::kLeft ? static_cast<i64>(static_cast<u64>(a) << by) : a >> by;
    }
  }
  return 0;
}
REDFLAG_INLINE u32 second(VideoSecond how, i64 value, u32 c, const VideoForm& form) {
  const auto word = static_cast<u32>(static_cast<u64>(value));
  const bool less =
      form.d_signed ? static_cast<std::int32_t>(word) < static_cast<std::int32_t>(c) : word < c;
  switch (how) {
    case VideoSecond::kAdd:
      return word + c;
    case VideoSecond::kMin:
      return less ? word : c;
    case VideoSecond::kMax:
      return less ? c : word;
    case VideoSecond::kMerge: {
      const Field field = field_of(form.d);
      const u32 mask = field.bits == 32 ? ~0U : ((1U << field.bits) - 1) << field.at;
      return (c & ~mask) | ((word << field.at) & mask);
    }
    default:
      return word;
  }
}

template <Kind K>
void scalar(const ValueArgs& args) {
  const auto* a = static_cast<const u32*>(args.source[0]);
  const auto* b = static_cast<const u32*>(args.source[1]);
  const auto* c = static_cast<const u32*>(args.source[2]);
  const VideoForm form = unpack_video(args.constant);
  const auto how = static_cast<VideoSecond>(args.shift & 15U);
  const auto compare = static_cast<ptx::Compare>(args.shift >> kVideoCompareShift);
  store_lanes(static_cast<u32*>(args.result[0]), args.active, [&](unsigned i) {
    i64 value = apply<K>(part_of(a[i], field_of(form.a), form.a_signed),
                         part_of(b[i], field_of(form.b), form.b_signed), compare, form.wrap);
    if (form.saturate) value = clamped(value, field_of(form.d).bits, form.d_signed);
    return second(how, value, how == VideoSecond::kNone ? 0 : c[i], form);
  });
}
void vmad(const ValueArgs& args) {
  __extension__ using i128 = __int128;
  const auto* a = static_cast<const u32*>(args.source[0]);
  const auto* b = static_cast<const u32*>(args.source[1]);
  const auto* c = static_cast<const u32*>(args.source[2]);
  const VideoForm form = unpack_video(args.constant);
  const bool is_signed = form.a_signed || form.b_signed || form.negate_product || form.negate_c;
  store_lanes(static_cast<u32*>(args.result[0]), args.active, [&](unsigned i) {
    i128 sum = i128{part_of(a[i], field_of(form.a), form.a_signed)} *
               part_of(b[i], field_of(form.b), form.b_signed);
    u32 addend = c[i];
    // A negation is a complement and one, which is added at the end.
    const i128 one = form.plus_one || form.negate_product || form.negate_c ? 1 : 0;
    if (!form.plus_one && form.negate_product) {
      sum = ~sum;
    } else if (!form.plus_one && form.negate_c) {
      addend = ~addend;
    }
    sum += one + (is_signed ? i128{static_cast<std::int32_t>(addend)} : i128{addend});
    const auto result = static_cast<i64>(sum >> form.scale);
    if (!form.saturate) return static_cast<u32>(static_cast<u64>(result));
    return static_cast<u32>(static_cast<u64>(clamped(result, 32, is_signed)));
  });
}
// Lanes of `Bits` side by side; .add sums them onto c.
template <Kind K, unsigned Bits>
void packed(const ValueArgs& args) {
  const auto* a = static_cast<const u32*>(args.source[0]);
  const auto* b = static_cast<const u32*>(args.source[1]);
  const auto* c = static_cast<const u32*>(args.source[2]);
  const VideoForm form = unpack_video(args.constant);
  const bool sums = static_cast<VideoSecond>(args.shift & 15U) == VideoSecond::kAdd;
  const auto compare = static_cast<ptx::Compare>(args.shift >> kVideoCompareShift);
  store_lanes(static_cast<u32*>(args.result[0]), args.active, [&](unsigned i) {
    u32 out = sums ? c[i] : 0;
    for (unsigned at = 0; at < 32; at += Bits) {
      i64 value = apply<K>(part_of(a[i], {at, Bits}, form.a_signed),
                           part_of(b[i], {at, Bits}, form.b_signed), compare, false);
      if (form.saturate) value = clamped(value, Bits, form.d_signed);
      const auto word = static_cast<u32>(static_cast<u64>(value));
      out = sums ? out + word : out | (word & ((1U << Bits) - 1)) << at;
    }
    return out;
  });
}

// prepare_video checks the types: in the rows they are free.
constexpr std::array kSigns = {Type::kU32, Type::kS32};
template <std::size_t Words_>
constexpr auto rows_for(Op op, ValueOp run, const std::array<Words, Words_>& forms) {
  std::array<Row, 8 * Words_> rows = {};
  std::size_t next = 0;
  for (const Words each : forms) {
    for (const Type d : kSigns) {
      for (const Type a : kSigns) {
        for (const Type b : kSigns) {
          rows[next++] = {.op = op,
                          .types = {d, a, b},
                          .words = each,
                          .run = run,
                          .prepare = prepare_video,
                          .operands = Operands::kPrepared};
        }
      }
    }
  }
  return rows;
}
template <std::size_t Words_>
constexpr auto set_rows(Op op, ValueOp run, const std::array<Words, Words_>& forms) {
  using ptx::Compare;
  constexpr std::array kCompares = {Compare::kEq, Compare::kNe, Compare::kLt,
                                    Compare::kLe, Compare::kGt, Compare::kGe};
  std::array<Row, kCompares.size() * 8 * Words_> rows = {};
  std::size_t next = 0;
  for (const Compare compare : kCompares) {
    for (Row each : rows_for(op, run, forms)) {
      if (each.types[2] == Type::kS32) continue;  // two types only: once is enough
      each.types[2] = Type::kNone;
      rows[next++] = each.comparing(compare);
    }
  }
  return rows;
}

constexpr Words kSat = word(Mod::kSat);
constexpr Words kAdd = word(Mod::kAdd);
constexpr Words kMin = word(Mod::kMin);
constexpr Words kMax = word(Mod::kMax);
constexpr Words kClamp = word(Mod::kClamp);
constexpr Words kWrap = word(Mod::kWrap);
constexpr std::array kScalar = {Words{0}, kSat,        kAdd,        kMin,
                                kMax,     kSat | kAdd, kSat | kMin, kSat | kMax};
constexpr std::array kShifts = {
    kClamp,        kClamp | kSat,        kClamp | kAdd, kClamp | kSat | kAdd,
    kWrap,         kWrap | kSat,         kWrap | kAdd,  kWrap | kSat | kAdd,
    kClamp | kMin, kClamp | kSat | kMin, kWrap | kMin,  kWrap | kSat | kMin,
    kClamp | kMax, kClamp | kSat | kMax, kWrap | kMax,  kWrap | kSat | kMax};
constexpr std::array kSets = {Words{0}, kAdd, kMin, kMax};
constexpr std::array kPackedForms = {Words{0}, kSat, kAdd};
constexpr std::array kPackedSets = {Words{0}, kAdd};
constexpr Words kPo = word(Mod::kPo);
constexpr Words kShr7 = word(Mod::kShr7);
constexpr Words kShr15 = word(Mod::kShr15);
constexpr std::array kMads = {
    Words{0}, kSat,       kShr7,       kShr15,       kSat | kShr7,       kSat | kShr15,
    kPo,      kPo | kSat, kPo | kShr7, kPo | kShr15, kPo | kSat | kShr7, kPo | kSat | kShr15};

constexpr auto kTable =
    join(rows_for(Op::kVadd, scalar<Kind::kAdd>, kScalar),
         rows_for(Op::kVsub, scalar<Kind::kSub>, kScalar),
         rows_for(Op::kVabsdiff, scalar<Kind::kDifference>, kScalar),
         rows_for(Op::kVmin, scalar<Kind::kLeast>, kScalar),
         rows_for(Op::kVmax, scalar<Kind::kMost>, kScalar),
         rows_for(Op::kVshl, scalar<Kind::kLeft>, kShifts),
         rows_for(Op::kVshr, scalar<Kind::kRight>, kShifts), rows_for(Op::kVmad, vmad, kMads),
         set_rows(Op::kVset, scalar<Kind::kSet>, kSets),
         rows_for(Op::kVadd2, packed<Kind::kAdd, 16>, kPackedForms),
         rows_for(Op::kVsub2, packed<Kind::kSub, 16>, kPackedForms),
         rows_for(Op::kVavrg2, packed<Kind::kAverage, 16>, kPackedForms),
         rows_for(Op::kVabsdiff2, packed<Kind::kDifference, 16>, kPackedForms),
         rows_for(Op::kVmin2, packed<Kind::kLeast, 16>, kPackedForms),
         rows_for(Op::kVmax2, packed<Kind::kMost, 16>, kPackedForms),
         set_rows(Op::kVset2, packed<Kind::kSet, 16>, kPackedSets),
         rows_for(Op::kVadd4, packed<Kind::kAdd, 8>, kPackedForms),
         rows_for(Op::kVsub4, packed<Kind::kSub, 8>, kPackedForms),
         rows_for(Op::kVavrg4, packed<Kind::kAverage, 8>, kPackedForms),
         rows_for(Op::kVabsdiff4, packed<Kind::kDifference, 8>, kPackedForms),
         rows_for(Op::kVmin4, packed<Kind::kLeast, 8>, kPackedForms),
         rows_for(Op::kVmax4, packed<Kind::kMost, 8>, kPackedForms),
         set_rows(Op::kVset4, packed<Kind::kSet, 8>, kPackedSets));

}  // namespace

Rows video_rows() {
  return rows_of(kTable);
}

}  // namespace redflag::cuda::values::REDFLAG_VALUES_LEVEL
