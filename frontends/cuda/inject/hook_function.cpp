// What the program asks about its kernels, and sets: the answers are about its own, where that does no harm.
//
// The runtime's static shared memory is left out (to 16 bytes, by which the compiler rounds up), and so
// is what a launch was allowed besides. Registers, local memory and the largest block are those of the
// rewritten kernel: a launch must fit. Occupancy counts the shared memory that launches get, so that a
// grid that must fit as a whole does, checked. What is set on a kernel is set on its versions too.
#include <functional>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

CUresult told(CUresult done, int* value, int attribute, const void* handle) {
  if (done != kSuccess || value == nullptr) return done;
  if (attribute != kFunctionShared && attribute != kFunctionMostDynamic) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  const Kernel kernel = checker.kernel(handle);
  if (!kernel.checked()) return done;
  if (attribute == kFunctionShared) {
    *value = static_cast<int>(checker.own_shared(static_cast<std::uint64_t>(*value)));
  }
  if (attribute == kFunctionMostDynamic) {
    *value = kernel.dynamic_limit >= 0 ? kernel.dynamic_limit : checker.own_limit(*value);
  }
  return done;
}

// `again`: sets the same on another handle. The kernel as the program has it may have what the rewritten one, with the
// runtime's shared memory, cannot: then launches that need it are of that one.
CUresult set(CUresult done, const void* handle, const std::function<CUresult(CUfunction)>& again) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  const Kernel kernel = checker.kernel(handle);
  if (!kernel.checked()) return done;
  if (done != kSuccess) {
    CUfunction const plain = checker.plain_of(kernel);
    if (plain == nullptr || again(plain) != kSuccess) return done;
  }
  checker.set_on_versions(kernel, again);
  return kSuccess;
}

CUresult allowed(CUresult done, int attribute, int value, const void* handle) {
  if (done != kSuccess || attribute != kFunctionMostDynamic) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  if (checker.kernel(handle).checked()) checker.modules().set_dynamic_limit(handle, value);
  return done;
}

// Dynamic shared memory of such a launch as it will be.
std::size_t with_more(CUfunction function, int threads, std::size_t dynamic) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  const Kernel kernel = checker.kernel(function);
  if (!kernel.checked() || threads <= 0) return dynamic;
  return dynamic + checker.more_shared(function, dynamic, static_cast<std::uint64_t>(threads));
}

CUfunction plain_of(CUfunction function) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  const Kernel kernel = checker.kernel(function);
  return kernel.checked() ? checker.plain_of(kernel) : nullptr;
}

// `ask`: of this function, with this much. As it would be launched, or as the program knows it where that does not fit.
CUresult occupancy(int* blocks, CUfunction function, int threads, std::size_t dynamic,
                   const auto& ask) {
  const auto fits = [&](CUresult done) {
    return done == kSuccess && blocks != nullptr && *blocks > 0;
  };
  const std::size_t all = with_more(function, threads, dynamic);
  CUresult done = ask(function, all);
  if (!fits(done) && all != dynamic) done = ask(function, dynamic);
  CUfunction const plain = fits(done) ? nullptr : plain_of(function);
  return plain == nullptr ? done : ask(plain, dynamic);
}

using DynamicOf = std::size_t (*)(int threads);
// The driver's functions take no more than a function.
struct Asked {
  CUfunction function;
  DynamicOf dynamic_of;
  std::size_t dynamic;
};
thread_local Asked t_asked{};

std::size_t dynamic_of(int threads) {
  const std::size_t own =
      t_asked.dynamic_of == nullptr ? t_asked.dynamic : t_asked.dynamic_of(threads);
  return with_more(t_asked.function, threads, own);
}

CUresult potential(int* size, CUfunction function, DynamicOf of, std::size_t dynamic,
                   const auto& ask) {
  t_asked = {function, of, dynamic};
  const CUresult done = ask(&dynamic_of, std::size_t{0});
  return done == kSuccess && size != nullptr && *size > 0 ? done : ask(of, dynamic);
}

}  // namespace

CUresult function_attribute(const Call& call, int* value, int attribute, CUfunction function) {
  return told(pass(call, value, attribute, function), value, attribute, function);
}

CUresult kernel_attribute(const Call& call, int* value, int attribute, CUkernel kernel,
                          CUdevice device) {
  return told(pass(call, value, attribute, kernel, device), value, attribute, kernel);
}

CUresult set_function_attribute(const Call& call, CUfunction function, int attribute, int value) {
  const CUresult done = set(pass(call, function, attribute, value), function,
                            [&](CUfunction own) { return pass(call, own, attribute, value); });
  return allowed(done, attribute, value, function);
}

CUresult set_kernel_attribute(const Call& call, int attribute, int value, CUkernel kernel,
                              CUdevice device) {
  const CUresult done =
      set(pass(call, attribute, value, kernel, device), kernel, [&](CUfunction own) {
        return pass(call, attribute, value, reinterpret_cast<CUkernel>(own), device);
      });
  return allowed(done, attribute, value, kernel);
}

CUresult set_function_cache(const Call& call, CUfunction function, int config) {
  return set(pass(call, function, config), function,
             [&](CUfunction own) { return pass(call, own, config); });
}

CUresult set_kernel_cache(const Call& call, CUkernel kernel, int config, CUdevice device) {
  return set(pass(call, kernel, config, device), kernel, [&](CUfunction own) {
    return pass(call, reinterpret_cast<CUkernel>(own), config, device);
  });
}

CUresult most_blocks(const Call& call, int* blocks, CUfunction function, int threads,
                     std::size_t dynamic) {
  return occupancy(blocks, function, threads, dynamic, [&](CUfunction of, std::size_t bytes) {
    return pass(call, blocks, of, threads, bytes);
  });
}

CUresult most_blocks_flags(const Call& call, int* blocks, CUfunction function, int threads,
                           std::size_t dynamic, unsigned flags) {
  return occupancy(blocks, function, threads, dynamic, [&](CUfunction of, std::size_t bytes) {
    return pass(call, blocks, of, threads, bytes, flags);
  });
}

CUresult best_block(const Call& call, int* grid, int* size, CUfunction function,
                    std::size_t (*of)(int), std::size_t dynamic, int most) {
  return potential(size, function, of, dynamic, [&](DynamicOf given, std::size_t bytes) {
    return pass(call, grid, size, function, given, bytes, most);
  });
}

CUresult best_block_flags(const Call& call, int* grid, int* size, CUfunction function,
                          std::size_t (*of)(int), std::size_t dynamic, int most, unsigned flags) {
  return potential(size, function, of, dynamic, [&](DynamicOf given, std::size_t bytes) {
    return pass(call, grid, size, function, given, bytes, most, flags);
  });
}

}  // namespace redflag::inject
