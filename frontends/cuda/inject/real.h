// The driver itself: its functions behind the ones that we export.
//
// libcuda.so.1 is loaded at the first call, by its own name: a program that is linked with it has it
// already. Our calls go to the functions found there, so they never come back here.
#pragma once

#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/inject/functions.h"

namespace redflag::inject {

inline constexpr CUresult kErrorNotFound = 500;

// nullptr: this driver has no such function.
void* real_address(Fn fn);
// Of our own function, to be handed out in its place.
void* hook_address(Fn fn);

// Calls the driver's function. Arguments must have the very types of its parameters.
template <typename... Arguments>
CUresult real(Fn fn, Arguments... arguments) {
  auto* const function = reinterpret_cast<CUresult (*)(Arguments...)>(real_address(fn));
  return function == nullptr ? kErrorNotFound : function(arguments...);
}

}  // namespace redflag::inject
