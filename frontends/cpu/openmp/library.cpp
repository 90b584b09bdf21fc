#include "frontends/cpu/openmp/library.h"

#include <cstdlib>

#include "frontends/cpu/linkage/originals.h"
#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {

void* Real::find() {
  void* const at = linkage::find_openmp(name);
  if (!at) {
    rt::say("the program called an OpenMP function that no OpenMP library here has:");
    rt::say(name);
    rt::say(linkage::kOpenmpRemedy);
    std::abort();
  }
  learn_library(at);
  found.store(at, std::memory_order_relaxed);
  return at;
}

void learn_library(const void* address) {
  if (rt::is_left_alone(address)) return;
  const linkage::CodeRange code = linkage::openmp_code(address);
  if (code.begin != code.end) rt::leave_alone(code.begin, code.end);
}

}  // namespace redflag::openmp
