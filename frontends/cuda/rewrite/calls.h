// Calls of hooks as text: a call, or the hook's body where that is small.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/splice.h"

namespace redflag::rewrite {

class Calls {
 public:
  // `runtime` may be nullptr: hooks are only declared.
  Calls(const ptx::Module* runtime, std::uint32_t splice_most);

  // Appends the call; arguments are registers or numbers, in the order of hooks.inc.
  void call(std::string& out, device::Hook hook, std::initializer_list<std::string> arguments);

  // Whether the runtime has hooks for kernels with barriers alone; that one of them is called.
  bool has_hot() const { return has_hot_; }
  // Whether it can be asked which of a kernel's pointers are quiet (roots.h).
  bool has_roots() const { return has_roots_; }
  // Whether it has hooks for direct cells (abi.h, kDirectHooks); from now on those are called.
  bool has_direct() const { return has_direct_; }
  void set_direct(bool is_direct) { is_direct_ = is_direct; }
  void need(const char* symbol);

  bool is_called(device::Hook hook) const { return states_[index(hook)].calls != 0; }
  // What the runtime must have: functions that are called, and those whose bodies were put in.
  struct Use {
    const char* symbol;
    bool called, spliced;
  };
  std::vector<Use> uses() const;
  std::uint64_t made() const { return made_; }
  // Bytes of kDepot that hooks put in since the last time need.
  std::uint64_t take_local_bytes() { return std::exchange(local_bytes_, 0); }

 private:
  // Hooks, behind them the special ones, and those for direct cells.
  struct State {
    bool is_there = false;        // in the runtime
    std::optional<Spliced> body;  // to put in place of a call
    std::uint64_t calls = 0, spliced = 0;
  };
  static std::size_t index(device::Hook hook) { return static_cast<std::size_t>(hook); }
  static const char* symbol(std::size_t index);
  // Which function serves a call with this `what`.
  std::size_t serves(device::Hook hook, std::span<const std::string> arguments) const;

  static constexpr std::size_t kFirstDirect = device::kHookCount + std::size(device::kSpecialHooks);
  std::array<State, kFirstDirect + std::size(device::kDirectHooks)> states_{};
  std::uint64_t made_ = 0, local_bytes_ = 0;
  bool has_hot_ = false, has_roots_ = false, has_direct_ = false, is_direct_ = false;
  std::vector<const char*> needed_;  // each once
};

// `.func redflag_load(.param .b64 ...)`, without linkage and end.
std::string prototype_of(device::Hook hook);

}  // namespace redflag::rewrite
