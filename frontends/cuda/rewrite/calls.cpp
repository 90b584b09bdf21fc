#include "frontends/cuda/rewrite/calls.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/check.h"

namespace redflag::rewrite {
namespace {

const device::HookInfo& info(device::Hook hook) {
  return device::kHooks[static_cast<std::size_t>(hook)];
}
std::string type_of(char letter) {
  return letter == 'L' ? ".b64" : ".b32";
}

}  // namespace

Calls::Calls(const ptx::Module* runtime, std::uint32_t splice_most) {
  if (runtime == nullptr) return;
  has_hot_ = runtime->find_function(device::kHotEnter) != nullptr;
  has_roots_ = runtime->find_function(device::kRoots) != nullptr;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ptx::Function* const body = runtime->find_function(symbol(i));
    states_[i].is_there = body != nullptr;
    if (body != nullptr && can_splice(*body, splice_most)) {
      states_[i].body = prepare(*runtime, *body);
    }
  }
  has_direct_ = std::all_of(states_.begin() + kFirstDirect, states_.end(),
                            [](const State& each) { return each.is_there; });
}

const char* Calls::symbol(std::size_t index) {
  if (index < device::kHookCount) return device::kHooks[index].symbol;
  if (index < kFirstDirect) return device::kSpecialHooks[index - device::kHookCount].symbol;
  return device::kDirectHooks[index - kFirstDirect].symbol;
}

namespace {

bool is_access(device::Hook hook) {
  using device::Hook;
  return hook == Hook::kLoad || hook == Hook::kStore || hook == Hook::kAtomicBegin ||
         hook == Hook::kAtomicEnd;
}
device::What what_of(std::span<const std::string> arguments) {  // of an access
  return device::What::of(
      static_cast<std::uint32_t>(std::strtoul(arguments[2].c_str(), nullptr, 10)));
}
// Of hooks for direct cells.
bool is_needed(device::Hook hook, const device::What& what) {
  using device::Deed;
  return !(hook == device::Hook::kAtomicBegin && what.deed == Deed::kAtomicLoad) &&
         !(hook == device::Hook::kAtomicEnd && what.deed == Deed::kAtomicStore);
}

}  // namespace

std::size_t Calls::serves(device::Hook hook, std::span<const std::string> arguments) const {
  if (!is_access(hook)) return index(hook);
  const device::What what = what_of(arguments);
  for (std::size_t i = 0; is_direct_ && i < std::size(device::kDirectHooks); ++i) {
    const device::DirectHook& direct = device::kDirectHooks[i];
    const bool is_meant = what.memory == device::Memory::kGlobal && !what.is_volatile;
    if (direct.of == hook && is_meant) return kFirstDirect + i;
  }
  for (std::size_t i = 0; i < std::size(device::kSpecialHooks); ++i) {
    const device::SpecialHook& special = device::kSpecialHooks[i];
    const std::size_t at = device::kHookCount + i;
    if (special.of == hook && special.memory == what.memory && special.bytes == what.bytes &&
        states_[at].is_there) {
      return at;
    }
  }
  return index(hook);
}

void Calls::need(const char* symbol) {
  ++made_;
  if (std::find(needed_.begin(), needed_.end(), symbol) == needed_.end()) needed_.push_back(symbol);
}

std::vector<Calls::Use> Calls::uses() const {
  std::vector<Use> out;
  for (const char* symbol : needed_) out.push_back({symbol, true, false});
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.calls + state.spliced != 0) {
      out.push_back({symbol(i), state.calls != 0, state.spliced != 0});
    }
  }
  return out;
}

void Calls::call(std::string& out, device::Hook hook,
                 std::initializer_list<std::string> arguments) {
  const std::string_view letters = info(hook).arguments;
  REDFLAG_CHECK(arguments.size() == letters.size());
  const std::span<const std::string> given{arguments.begin(), arguments.size()};
  const std::size_t at_hook = serves(hook, given);
  if (at_hook >= kFirstDirect && !is_needed(hook, what_of(given))) return;
  State& state = states_[at_hook];
  ++made_;
  if (state.body) {
    ++state.spliced;
    local_bytes_ = std::max(local_bytes_, state.body->local_bytes);
    splice(*state.body, {arguments.begin(), arguments.size()}, "$redflag_s" + std::to_string(made_),
           out);
    return;
  }
  ++state.calls;
  out += "{\n";
  std::string names;
  std::size_t at = 0;
  for (const std::string& each : arguments) {
    const std::string type = type_of(letters[at]);
    const std::string name = "redflag_p" + std::to_string(at++);
    out +=
        ".param " + type + " " + name + ";\nst.param" + type + " [" + name + "], " + each + ";\n";
    names += (names.empty() ? "" : ", ") + name;
  }
  out += std::string("call.uni ") + symbol(at_hook);
  if (!names.empty()) out += ", (" + names + ")";
  out += ";\n}\n";
}

std::string prototype_of(device::Hook hook) {
  std::string text = std::string(".func ") + info(hook).symbol + "(";
  const std::string_view letters = info(hook).arguments;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    text +=
        (i == 0 ? ".param " : ", .param ") + type_of(letters[i]) + " redflag_a" + std::to_string(i);
  }
  return text + ")";
}

}  // namespace redflag::rewrite
