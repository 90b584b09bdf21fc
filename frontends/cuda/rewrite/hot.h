// Hot: what stands in place of a hook in kernels that synchronise by barriers alone.
//
// Such a kernel has registers of ours, set at its entry: the thread's tag (core/detect/gpu/compact/tag.h),
// where the tags of shared memory are, where the warp's log goes on (log.h), and the block's time. A load of a word of
// shared memory is 12 instructions, a store 18, an atomic 18, an access of global memory by all lanes of a warp,
// one after the other, 14, without a load from global memory, and a barrier 14; all else is a call
// (abi.h, HotHook). Budgets are in device/compact_log_test.cpp.
//
// Registers are the same in all lanes of a warp but for the thread in the tag: what changes them is
// done by all lanes at once, or before a lane waits at a barrier.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/cuda/rewrite/calls.h"
#include "frontends/cuda/rewrite/plan.h"
#include "frontends/cuda/rewrite/ranges.h"

namespace redflag::rewrite {

class Hot {
 public:
  explicit Hot(Calls& calls) : calls_(calls) {}

  // Declares the registers, in front of the kernel's first instruction.
  void declare(std::string& out) const;
  // Sets those that `body` has, in place of Hook::kEnter. `launch`: a register; `uses`: device::HotUses.
  void enter(const std::string& launch, std::uint32_t uses, const std::string& body,
             std::string& out);
  // Before a thread ends. `together`: no thread of the block comes to a barrier any more.
  void exit(bool together, std::string& out);
  // A weak load or store, before it happens. The address is a register of 32 bits if it is of shared
  // memory and told in place (is_narrow), else of 64. `value`: what is stored.
  static bool is_narrow(const Plan& plan);
  void access(const Plan& plan, std::uint32_t site, const std::string& address,
              const std::string& value, std::string& out);
  // An atomic, or an access that is volatile.
  void atomic(const Plan& plan, std::uint32_t site, const std::string& address,
              const std::string& value, std::string& out);
  // All words that a loop will load, from `address` on, a register of 64 bits.
  void range(const Plan& plan, std::uint32_t site, const std::string& address, const Range& range,
             std::string& out);
  // An access that is told by a call alone.
  void call(const device::HotHook& hook, std::initializer_list<std::string> arguments,
            std::string& out);
  void arrive(const std::string& site, const std::string& what, const std::string& number,
              std::string& out);
  void pass(std::string& out);
  // All lanes have met.
  void met(std::string& out);
  // They have if they are all here.
  static void count(std::string& out);

 private:
  void shared(const Plan& plan, std::uint32_t site, const std::string& address,
              const std::string& value, std::string& out);
  void global(const Plan& plan, std::uint32_t site, const std::string& address,
              const std::string& value, std::string& out);
  void swapped(const Plan& plan, std::uint32_t site, const std::string& address,
               const std::string& value, std::string& out);
  void halves(bool writes, std::uint32_t site, const std::string& address, const std::string& rest,
              const std::string& next, std::string& out);
  // The call as text; `to`: the register that takes what it returns.
  void slow(const device::HotHook& hook, std::initializer_list<std::string> arguments,
            const std::string& tag, const std::string& last, const char* to, std::string& out);
  std::string label() { return "$redflag_h" + std::to_string(labels_++); }

  Calls& calls_;
  std::uint64_t labels_ = 0;
};

}  // namespace redflag::rewrite
