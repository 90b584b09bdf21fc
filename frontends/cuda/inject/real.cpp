#include "frontends/cuda/inject/real.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>

namespace redflag::inject {

// glibc's own, which ours (dlsym.cpp) stands before.
void* next_dlsym(void* handle, const char* name);

namespace {

void* library() {
  static void* const handle = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  return handle;
}

constexpr std::uintptr_t kNotLookedFor = 0;
constexpr std::uintptr_t kNone = 1;
std::array<std::atomic<std::uintptr_t>, kFunctionCount> g_addresses{};

}  // namespace

void* real_address(Fn fn) {
  std::atomic<std::uintptr_t>& place = g_addresses[static_cast<std::size_t>(fn)];
  std::uintptr_t known = place.load(std::memory_order_acquire);
  if (known == kNotLookedFor) {
    void* const handle = library();
    void* const found = handle == nullptr ? nullptr : next_dlsym(handle, info(fn).symbol);
    known = found == nullptr ? kNone : reinterpret_cast<std::uintptr_t>(found);
    place.store(known, std::memory_order_release);
  }
  return known == kNone ? nullptr : reinterpret_cast<void*>(known);
}

}  // namespace redflag::inject
