// The driver's functions as this library exports them: each calls its handler (functions.inc).
//
// Programs that are linked with libcuda.so.1 are bound to these by the loader, since this library
// comes first; the others get their addresses from dlsym or cuGetProcAddress. What the driver and we touch
// meanwhile is not the program's doing.
#include "frontends/cuda/inject/hooks.h"
#include "frontends/cuda/watch/keyed.h"

namespace redflag::inject {

#define REDFLAG_CALLED(...) (call __VA_OPT__(, ) __VA_ARGS__)
#define HOOK(symbol, name, since, streams, handler, parameters, arguments)      \
  extern "C" __attribute__((visibility("default"))) CUresult symbol parameters; \
  extern "C" CUresult symbol parameters {                                       \
    const Call call{Fn::k_##symbol};                                            \
    const watch::Allowed allowed;                                               \
    return handler REDFLAG_CALLED arguments;                                    \
  }
#define CALL(symbol)
#include "frontends/cuda/inject/functions.inc"
#undef HOOK
#undef CALL
#undef REDFLAG_CALLED

void* hook_address(Fn fn) {
#define HOOK(symbol, name, since, streams, handler, parameters, arguments) \
  reinterpret_cast<void*>(&(symbol)),
#define CALL(symbol) nullptr,
  static void* const kHooks[] = {
#include "frontends/cuda/inject/functions.inc"
  };
#undef HOOK
#undef CALL
  return kHooks[static_cast<std::size_t>(fn)];
}

}  // namespace redflag::inject
