// Everything else of the runtime API: an error that names itself.
#include <atomic>
#include <string>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

// `said`: one for each function.
Error unsupported(const void* caller, const char* name, std::atomic<bool>& said) {
  return call_always(caller, [&](Runtime& runtime) {
    if (!said.exchange(true)) {
      runtime.note(std::string(name) +
                   " is not supported by the emulated GPU: it returns cudaErrorNotSupported");
    }
    return Error::kNotSupported;
  });
}

}  // namespace
}  // namespace redflag::cudart

// Their parameters are never looked at, and the caller takes care of its own registers and stack.
#define X(name)                                                      \
  CUDART_EXPORT redflag::cudart::Error name() {                      \
    static std::atomic<bool> said{false};                            \
    return redflag::cudart::unsupported(CUDART_CALLER, #name, said); \
  }
#include "frontends/cuda/cudart/unsupported.inc"
#undef X
