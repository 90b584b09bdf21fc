// ParsnipParameters: sizes, costs and switches of PARSNIP, as a plain struct (parameters.inc).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace redflag::sim::parsnip {

enum class Residence : std::uint8_t { kAdaptive, kL1, kLlc };
inline constexpr std::array<std::string_view, 3> kResidenceNames{"adaptive", "l1", "llc"};
constexpr std::span<const std::string_view> choice_words(Residence) {
  return kResidenceNames;
}

struct ParsnipParameters {
#define PARAMETER(type, name, value, meaning) type name = value;
#include "sim/models/parsnip/parameters.inc"
#undef PARAMETER

  // Empty: such a machine can be built. Otherwise what is wrong.
  std::string_view fault() const {
    if (table_entries < 1 || table_entries > 15) return "table_entries: needed 1 to 15";
    if (buffer_entries < 1 || buffer_entries > 512) return "buffer_entries: needed 1 to 512";
    if (threads < 1 || threads > 63) return "threads: needed 1 to 63";
    if (adaptive_window == 0) return "adaptive_window: needed 1 or more";
    if (instructions_per_access == 0) return "instructions_per_access: needed 1 or more";
    return {};
  }
};

}  // namespace redflag::sim::parsnip
