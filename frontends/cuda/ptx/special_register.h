// Special registers: %tid.x and the like, by table. (PTX ISA 9.0, section 10.)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "frontends/cuda/ptx/type.h"

namespace redflag::ptx {

enum class Special : std::uint8_t {
#define SPECIAL(name, ...) k##name,
#include "frontends/cuda/ptx/special_registers.inc"
#undef SPECIAL
};

struct SpecialInfo {
  std::string_view name;
  Type type;
  bool vector;
  std::uint8_t count;  // 0: one, without a number
};

inline constexpr auto kSpecials = std::to_array<SpecialInfo>({
#define SPECIAL(name, text, type, vector, count) {text, Type::k##type, vector, count},
#include "frontends/cuda/ptx/special_registers.inc"
#undef SPECIAL
});

constexpr const SpecialInfo& info(Special special) {
  return kSpecials[static_cast<std::size_t>(special)];
}

// A special register and its number, 0 for those that have none.
struct SpecialRef {
  Special special;
  std::uint8_t number;
};
std::optional<SpecialRef> find_special(std::string_view name);

}  // namespace redflag::ptx
