// Modifiers: the dotted words behind an opcode, as numbers and decoded.
//
// An instruction keeps its modifiers as a list in written order (that is what the printer prints:
// the order means something to ptxas) and the same decoded into `Modifiers`, which is what an
// emulator or a rewriter asks. One word is one `Mod`; types and state spaces are words as well.
// `decode` is the only way from list to struct, so the two cannot disagree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "frontends/cuda/ptx/type.h"

namespace redflag::ptx {

enum class ModClass : std::uint8_t {
  kType,
  kSpace,
  kOrder,
  kScope,
  kRounding,
  kCompare,
  kOperation,
  kHalf,
  kVector,
  kMath,
  kSync,
  kCache,
  kAddress,
  kTexture,
  kMatrix,
  kLetter,
  kClamp,
  kShape,
};
using ModClasses = std::uint32_t;  // a set of them
constexpr ModClasses bit(ModClass c) {
  return ModClasses{1} << static_cast<unsigned>(c);
}

inline constexpr std::uint16_t kFirstSpaceMod = 256;
inline constexpr std::uint16_t kFirstWordMod = 512;
inline constexpr std::uint16_t kFirstShapeMod = 1024;

// Types are 0 and up, state spaces kFirstSpaceMod and up, shapes kFirstShapeMod and up.
enum class Mod : std::uint16_t {
  kBeforeWords = kFirstWordMod - 1,
#define MOD(name, ...) k##name,
#include "frontends/cuda/ptx/modifiers.inc"
#undef MOD
  kWordsEnd,
};
static_assert(static_cast<std::uint16_t>(Mod::kWordsEnd) < kFirstShapeMod);

constexpr Mod mod(Type type) {
  return static_cast<Mod>(type);
}
constexpr Mod mod(Space space) {
  return static_cast<Mod>(kFirstSpaceMod + static_cast<std::uint16_t>(space));
}

std::optional<Mod> find_mod(std::string_view word);  // without its dot
std::string_view name_of(Mod mod);
ModClass class_of(Mod mod);

// The numbers of a matrix shape such as m16n8k16; zero where the word has none.
struct Shape {
  std::uint16_t m = 0;
  std::uint16_t n = 0;
  std::uint16_t k = 0;
};
Shape shape_of(Mod mod);

enum class Order : std::uint8_t {
  kNone,  // not written: weak for ld and st, relaxed for atom and red
  kWeak,
  kVolatile,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcqRel,
  kSc,
};
enum class Scope : std::uint8_t { kNone, kCta, kCluster, kGpu, kSys };
enum class Rounding : std::uint8_t {
  kNone,
  kRn,
  kRz,
  kRm,
  kRp,
  kRna,
  kRs,
  kRni,
  kRzi,
  kRmi,
  kRpi,
};
enum class Compare : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLs,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
  kLo,
  kHi,
};
enum class Operation : std::uint8_t {
  kNone,
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kPopc,
};
enum class Half : std::uint8_t { kNone, kLo, kHi, kWide };

struct Modifiers {
  // In written order: for cvt and set destination, source; for tex value, coordinate; for mma D, A, B, C.
  Type types[4] = {};
  std::uint8_t type_count = 0;
  std::uint8_t vector = 1;     // 1, 2, 4 or 8 values
  Space space = Space::kNone;  // of the address; of the destination where there are two
  Space source_space = Space::kNone;
  Order order = Order::kNone;
  Scope scope = Scope::kNone;
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  Operation operation = Operation::kNone;
  Half half = Half::kNone;
  bool ftz = false;
  bool sat = false;
  bool approx = false;
  bool carry = false;  // .cc: writes the carry flag

  Type type() const { return types[0]; }
  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

// `compares`: the opcode takes a comparison, so that lo and hi are comparisons.
Modifiers decode(std::span<const Mod> mods, bool compares);

}  // namespace redflag::ptx
