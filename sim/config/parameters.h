// Parameters: the numbers and switches of a model, by name.
//
// Each struct of parameters is made from an .inc table of PARAMETER(type, name, value, meaning) rows, and so is its
// list of Parameter: the configuration file, --set, --parameters, the documentation and the sweep read that list
// and nothing else. A configuration file is lines of `name = value`, with `#` before a comment; values are written
// as people write them: 32K (K, M and G are powers of 1024), 1.5, on and off, a word where there is a choice.
//
// Results of a sweep are written in the same form, so one parser reads both (sim/config/settings.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/error.h"

namespace redflag::sim {

// One of a few words. Enums of parameters have their words in a constexpr array, in order.
struct Choice {
  std::uint8_t* value;
  std::span<const std::string_view> words;
};

struct Parameter {
  std::string_view name;
  std::variant<std::uint32_t*, std::uint64_t*, double*, bool*, Choice> value;
  std::string_view meaning;  // a line, with the paper's section
};

// Sets one by its text. The message names what was wanted and what was found, not where: callers know that.
Result<void> set(const Parameter& parameter, std::string_view text);
// As set() reads it: 32768 is 32K.
std::string text_of(const Parameter& parameter);

// Finds a parameter, or says which names there are.
Result<const Parameter*> find(std::span<const Parameter> parameters, std::string_view name);

// "on|off", "number", "lru|fifo": for help.
std::string wanted(const Parameter& parameter);

// The parameter that is this field. Enums need choice_words(their type) beside them: their words, in order.
template <typename Field>
Parameter parameter_of(std::string_view name, Field& field, std::string_view meaning) {
  if constexpr (std::is_enum_v<Field>) {
    static_assert(sizeof(Field) == 1);
    return {name, Choice{reinterpret_cast<std::uint8_t*>(&field), choice_words(field)}, meaning};
  } else {
    return {name, &field, meaning};
  }
}

// The rows of an .inc table as Parameters of an object that is called `of`:
//   std::vector<Parameter> parameters_of(CpuMachine& of) {
//     return {
//   #define PARAMETER REDFLAG_PARAMETER_ROW
//   #include "sim/mem/cpu_machine.inc"
//   #undef PARAMETER
//     };
//   }
#define REDFLAG_PARAMETER_ROW(type, name, value, meaning) \
  redflag::sim::parameter_of(#name, of.name, meaning),

}  // namespace redflag::sim
