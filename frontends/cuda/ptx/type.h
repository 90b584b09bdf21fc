// Types and state spaces of PTX, by table.
//
// A type is what an instruction's suffix or a declaration says; packed and narrow float formats are
// types of their own, as in the manual. `bits` is the size of one value; zero for opaque ones.
// (PTX ISA 9.0, sections 5.1 and 5.2.)
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace redflag::ptx {

// What the bits mean, for choosing an operation.
enum class TypeClass : std::uint8_t { kNone, kBits, kUnsigned, kSigned, kFloat, kPred, kOpaque };

enum class Type : std::uint8_t {
#define TYPE(name, ...) k##name,
#include "frontends/cuda/ptx/types.inc"
#undef TYPE
};

struct TypeInfo {
  std::string_view name;  // without its dot
  std::uint16_t bits;
  TypeClass type_class;
  std::uint8_t lanes;
};

inline constexpr auto kTypes = std::to_array<TypeInfo>({
#define TYPE(name, text, bits, class_, lanes) {text, bits, TypeClass::k##class_, lanes},
#include "frontends/cuda/ptx/types.inc"
#undef TYPE
});

constexpr const TypeInfo& info(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}
// Bytes in memory of one value; predicates and opaque types have none.
constexpr std::uint32_t bytes_of(Type type) {
  return type == Type::kPred ? 0 : (info(type).bits + 7U) / 8U;
}

// kNone on a memory instruction: a generic address.
enum class Space : std::uint8_t {
  kNone,
  kReg,
  kSreg,
  kConst,
  kGlobal,
  kLocal,
  kParam,
  kParamEntry,
  kParamFunc,
  kShared,
  kSharedCta,
  kSharedCluster,
  kTex,
};
inline constexpr std::array<std::string_view, 13> kSpaceNames{
    "",      "reg",          "sreg",        "const",  "global",      "local",
    "param", "param::entry", "param::func", "shared", "shared::cta", "shared::cluster",
    "tex"};
constexpr std::string_view name_of(Space space) {
  return kSpaceNames[static_cast<std::size_t>(space)];
}
constexpr bool is_param(Space space) {
  return space == Space::kParam || space == Space::kParamEntry || space == Space::kParamFunc;
}
constexpr bool is_shared(Space space) {
  return space == Space::kShared || space == Space::kSharedCta || space == Space::kSharedCluster;
}

}  // namespace redflag::ptx
