// Device runtimes for tests: one that does nothing, and one that writes down every call.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::rewrite::testing {

inline std::string head_of(const device::HookInfo& hook) {
  std::string text = std::string(".visible .func ") + hook.symbol + "(";
  const std::string letters = hook.arguments;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    text += std::string(i == 0 ? "" : ", ") + ".param " + (letters[i] == 'L' ? ".b64" : ".b32") +
            " p" + std::to_string(i);
  }
  return text + ")\n";
}
inline std::string runtime_header() {
  return ".version 7.0\n.target sm_75\n.address_size 64\n"
         ".visible .global .align 8 .u64 redflag_state;\n";
}

// Hooks that return at once.
inline std::string quiet_runtime() {
  std::string text = runtime_header();
  for (const device::HookInfo& hook : device::kHooks) text += head_of(hook) + "{\nret;\n}\n";
  return text;
}

// A call as it is written down: hook, block and thread, arguments.
struct Record {
  std::uint64_t hook = 0;
  std::uint32_t thread = 0;  // linear, in its block
  std::uint32_t block = 0;   // linear
  std::uint64_t arguments[14] = {};

  device::Hook which() const { return static_cast<device::Hook>(hook); }
};
static_assert(sizeof(Record) == 128);
inline constexpr std::uint64_t kMostRecords = 1 << 20;

// redflag_state is the address of a counter, and of kMostRecords records 64 bytes behind it.
inline std::string recording_runtime() {
  std::string text = runtime_header();
  for (std::size_t h = 0; h < device::kHookCount; ++h) {
    const device::HookInfo& hook = device::kHooks[h];
    text += head_of(hook) +
            "{\n.reg .pred %p<2>; .reg .b64 %l<6>; .reg .b32 %r<12>;\n"
            "ld.global.u64 %l0, [redflag_state]; setp.eq.u64 %p0, %l0, 0; @%p0 ret;\n"
            "atom.global.add.u64 %l1, [%l0], 1; setp.ge.u64 %p1, %l1, " +
            std::to_string(kMostRecords) +
            "; @%p1 ret;\n"
            "shl.b64 %l2, %l1, 7; add.s64 %l3, %l0, %l2;\n"
            "mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.x; "
            "mov.u32 %r4, %ntid.y; mad.lo.u32 %r5, %r2, %r4, %r1; mad.lo.u32 %r5, %r5, %r3, %r0;\n"
            "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mov.u32 %r3, "
            "%nctaid.x; mov.u32 %r4, %nctaid.y; mad.lo.u32 %r6, %r2, %r4, %r1; mad.lo.u32 %r6, "
            "%r6, %r3, %r0;\n"
            "st.global.u64 [%l3+64], " +
            std::to_string(h) + "; st.global.u32 [%l3+72], %r5; st.global.u32 [%l3+76], %r6;\n";
    const std::string letters = hook.arguments;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const std::string at = std::to_string(80 + 8 * i);
      if (letters[i] == 'L') {
        text += "ld.param.u64 %l4, [p" + std::to_string(i) + "]; ";
      } else {
        text += "ld.param.u32 %r7, [p" + std::to_string(i) + "]; cvt.u64.u32 %l4, %r7; ";
      }
      text += "st.global.u64 [%l3+" + at + "], %l4;\n";
    }
    text += "ret;\n}\n";
  }
  return text;
}

inline Rewritten rewritten(const std::string& ptx, const std::string& runtime = quiet_runtime(),
                           bool prune = true, std::uint32_t splice_most = 0) {
  const Result<ptx::Module> module = ptx::parse("test.ptx", ptx);
  EXPECT_TRUE(module) << (module ? "" : module.error().message);
  if (!module) return {};
  Result<Rewritten> made =
      rewrite(*module, {.runtime = runtime, .prune = prune, .splice_most = splice_most});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? std::move(*made) : Rewritten{};
}

// The memory that the recording runtime writes to.
class Recorder {
 public:
  Recorder(cuda::Device& device, cuda::ModuleId module) {
    const Result<std::uint64_t> memory = device.allocate(64 + kMostRecords * sizeof(Record));
    const Result<cuda::Symbol> state = device.find_symbol(module, device::kStateSymbol);
    EXPECT_TRUE(memory);
    EXPECT_TRUE(state) << (state ? "" : state.error().message);
    if (!memory || !state) return;
    at_ = *memory;
    state_ = state->address;
    std::memset(reinterpret_cast<void*>(at_), 0, 8);
    std::memcpy(reinterpret_cast<void*>(state->address), &at_, 8);
  }
  // The runtime's own accesses.
  bool owns(std::uint64_t address) const {
    return address == state_ ||
           (address >= at_ && address < at_ + 64 + kMostRecords * sizeof(Record));
  }
  std::vector<Record> take() {
    std::uint64_t count = 0;
    std::memcpy(&count, reinterpret_cast<const void*>(at_), 8);
    EXPECT_LE(count, kMostRecords);
    std::vector<Record> all(std::min(count, kMostRecords));
    std::memcpy(all.data(), reinterpret_cast<const void*>(at_ + 64), all.size() * sizeof(Record));
    std::memset(reinterpret_cast<void*>(at_), 0, 8);
    return all;
  }

 private:
  std::uint64_t at_ = 0, state_ = 0;
};

}  // namespace redflag::rewrite::testing
