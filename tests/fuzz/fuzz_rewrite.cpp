// Any PTX that parses: rewritten, or refused with a message; what comes out parses again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/rewrite.h"
#include "frontends/cuda/rewrite/versions.h"

namespace {

// Hooks that return at once.
std::string quiet_runtime() {
  std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .u64 redflag_state;\n";
  for (const redflag::device::HookInfo& hook : redflag::device::kHooks) {
    text += std::string(".visible .func ") + hook.symbol + "(";
    const std::string letters = hook.arguments;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      text += std::string(i == 0 ? "" : ", ") + ".param " + (letters[i] == 'L' ? ".b64" : ".b32") +
              " p" + std::to_string(i);
    }
    text += ")\n{\nret;\n}\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  static const std::string runtime = quiet_runtime();
  const Result<ptx::Module> module =
      ptx::parse("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  if (!module) return 0;
  for (const std::uint32_t splice : {0U, 10U}) {
    const Result<rewrite::Rewritten> made =
        rewrite::rewrite(*module, {.runtime = runtime, .versions = true, .splice_most = splice});
    if (!made) {
      REDFLAG_CHECK(!made.error().message.empty());
      continue;
    }
    const Result<ptx::Module> again = ptx::parse("again.ptx", made->ptx);
    REDFLAG_CHECK(again.has_value());
    // Proofs can be asked, whatever they are of.
    for (const rewrite::Kernel& kernel : made->kernels) {
      const std::vector<std::byte> block(kernel.launch_offset, std::byte{0x11});
      prove::Facts facts;
      facts.sizes = {.threads = {64, 2, 1}, .blocks = {3, 1, 2}};
      facts.parameters = block;
      const auto find = [](std::uint64_t address) { return address >> 20; };
      (void)rewrite::choose(kernel, facts, find, {});
    }
  }
  return 0;
}
