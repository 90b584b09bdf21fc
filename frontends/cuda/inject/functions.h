// The driver's functions as data: which there are, and which one a name and a version mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace redflag::inject {

// Which stream a function means by the default stream.
enum class Streams : std::uint8_t { kAny, kLegacy, kPerThread };

enum class Fn : std::uint16_t {
#define HOOK(symbol, name, since, streams, handler, parameters, arguments) k_##symbol,
#define CALL(symbol) k_##symbol,
#include "frontends/cuda/inject/functions.inc"
#undef HOOK
#undef CALL
};

struct FunctionInfo {
  const char* symbol;  // as the library exports it
  const char* name;    // as cuGetProcAddress is asked for it; nullptr: only called
  int since;           // CUDA version: 11030 is 11.3
  Streams streams;
};
inline constexpr FunctionInfo kFunctions[] = {
#define HOOK(symbol, name, since, streams, handler, parameters, arguments) \
  {#symbol, name, since, Streams::streams},
#define CALL(symbol) {#symbol, nullptr, 0, Streams::kAny},
#include "frontends/cuda/inject/functions.inc"
#undef HOOK
#undef CALL
};
inline constexpr std::size_t kFunctionCount = sizeof(kFunctions) / sizeof(kFunctions[0]);

constexpr const FunctionInfo& info(Fn fn) {
  return kFunctions[static_cast<std::size_t>(fn)];
}

// The intercepted function that a library exports under this name.
std::optional<Fn> find_symbol(std::string_view symbol);
// The intercepted function that cuGetProcAddress(name, version, flags) means.
std::optional<Fn> find_function(std::string_view name, int version, std::uint64_t flags);

}  // namespace redflag::inject
