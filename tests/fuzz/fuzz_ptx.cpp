// Any text as PTX: an error with a message, or a module whose text parses to the same module again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "frontends/cuda/ptx/cfg.h"
#include "frontends/cuda/ptx/compare.h"
#include "frontends/cuda/ptx/debug_strings.h"
#include "frontends/cuda/ptx/image.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/ptx/print.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  const Result<ptx::Module> module =
      ptx::parse("fuzz.ptx", std::string(reinterpret_cast<const char*>(data), size));
  if (!module) {
    REDFLAG_CHECK(module.error().message.starts_with("fuzz.ptx:"));
    return 0;
  }
  for (const ptx::Variable& each : module->variables) (void)ptx::initial_image(*module, each);
  const ptx::DebugStrings strings(*module);
  for (const ptx::Function& each : module->functions) {
    const ptx::Cfg cfg(*module, each);
    (void)ptx::describe(each, cfg);
    for (const ptx::Location& location : each.body.locations) (void)strings.function_of(location);
    for (std::uint32_t i = 0; i < each.body.instructions.size(); ++i) {
      REDFLAG_CHECK(cfg.reconvergence(i) <= each.body.instructions.size());
    }
  }
  const Result<ptx::Module> again = ptx::parse("again.ptx", ptx::print(*module));
  REDFLAG_CHECK(again.has_value());
  REDFLAG_CHECK(ptx::difference(*module, *again).empty());
  return 0;
}
