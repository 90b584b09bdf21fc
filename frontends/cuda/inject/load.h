// How a module of the program is loaded, whatever function it calls for that: rewritten if that works, else
// its own, whose kernels are then listed at the end.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

// `own`: loads the image that it is given; `original`: does what the program asked for.
template <typename Handle, typename Own, typename Original>
CUresult load(Handle* made, const void* image, const std::string& name, Own own,
              Original original) {
  if (made == nullptr || image == nullptr) return original();
  Checker& checker = Checker::get();
  std::shared_ptr<Module> module = checker.prepare(image, name);
  CUresult done = kErrorNotFound;
  if (module->code != nullptr) {
    done = own(*module);
    if (done != kSuccess) {
      module->why = "the driver does not load the rewritten module: " + error_name(done);
      module->code = nullptr;
    }
  }
  if (module->code == nullptr) done = original();
  if (done != kSuccess) return done;
  module->handle = *made;
  module->is_library = std::is_same_v<Handle, CUlibrary>;
  const Lock lock = checker.lock();
  checker.modules().add(*made, std::move(module));
  return done;
}

}  // namespace redflag::inject
