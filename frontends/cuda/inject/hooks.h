// What is done at each intercepted function (functions.inc), by kind in hook_*.cpp.
//
// A hook calls the driver's function, by pass(), and tells the checker what happened: before the call
// where it takes something away (frees), after it where it gives something or waits. The lock is not
// held while the driver works.
#pragma once

#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/inject/driver_images.h"
#include "frontends/cuda/inject/functions.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

struct Call {
  Fn fn;
  bool per_thread() const { return info(fn).streams == Streams::kPerThread; }
};

template <typename... Arguments>
CUresult pass(const Call& call, Arguments... arguments) {
  return real(call.fn, arguments...);
}

#define REDFLAG_WITH_CALL(...) (const Call& call __VA_OPT__(, ) __VA_ARGS__)
#define HOOK(symbol, name, since, streams, handler, parameters, arguments) \
  CUresult handler REDFLAG_WITH_CALL parameters;
#define CALL(symbol)
#include "frontends/cuda/inject/functions.inc"
#undef HOOK
#undef CALL
#undef REDFLAG_WITH_CALL

}  // namespace redflag::inject
