#include "frontends/cuda/inject/functions.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {
namespace {

using ByName = std::unordered_map<std::string_view, std::vector<Fn>>;

template <typename Key>
ByName index(Key key) {
  ByName made;
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    if (kFunctions[i].name != nullptr) made[key(kFunctions[i])].push_back(static_cast<Fn>(i));
  }
  return made;
}

}  // namespace

std::optional<Fn> find_symbol(std::string_view symbol) {
  static const auto* const all =
      new ByName(index([](const FunctionInfo& row) { return std::string_view(row.symbol); }));
  const auto at = all->find(symbol);
  return at == all->end() ? std::nullopt : std::optional(at->second.front());
}

std::optional<Fn> find_function(std::string_view name, int version, std::uint64_t flags) {
  static const auto* const all =
      new ByName(index([](const FunctionInfo& row) { return std::string_view(row.name); }));
  const auto at = all->find(name);
  if (at == all->end()) return std::nullopt;
  const Streams wanted =
      (flags & kPerThreadStreamSymbols) != 0 ? Streams::kPerThread : Streams::kLegacy;
  std::optional<Fn> best;
  for (const Fn fn : at->second) {
    const FunctionInfo& row = info(fn);
    if (row.since > version || (row.streams != Streams::kAny && row.streams != wanted)) continue;
    if (!best || info(*best).since < row.since) best = fn;
  }
  return best;
}

}  // namespace redflag::inject
