// Any bytes as a file with GPU code: found, listed and unpacked, or refused with a message.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/check.h"
#include "frontends/cuda/fatbin/binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  const Result<fatbin::Binary> binary =
      fatbin::parse_binary("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  if (!binary) {
    REDFLAG_CHECK(binary.error().message.starts_with("fuzz:"));
    return 0;
  }
  (void)fatbin::describe(*binary);
  for (const fatbin::Entry& entry : binary->entries) {
    // Bombs are refused by size in earnest; here they would only be slow.
    if (entry.unpacked < (1U << 24)) (void)fatbin::unpack(entry);
  }
  if (binary->kind == fatbin::FileKind::kPtx) REDFLAG_CHECK(fatbin::ptx_of(*binary).has_value());
  return 0;
}
