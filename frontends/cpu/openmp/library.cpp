#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "frontends/cpu/openmp/library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {

namespace {

// Libraries that a plug-in brought with RTLD_LOCAL are not among RTLD_NEXT's.
constexpr const char* kLibraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

int find_range(dl_phdr_info* info, std::size_t, void* argument) {
  auto* wanted = static_cast<std::uintptr_t*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (wanted[0] < begin || wanted[0] >= begin + segment.p_memsz) continue;
    wanted[1] = begin;
    wanted[2] = begin + segment.p_memsz;
    return 1;
  }
  return 0;
}

}  // namespace

void* Real::find() {
  void* at = dlsym(RTLD_NEXT, name);
  for (const char* library : kLibraries) {
    if (at) break;
    if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) at = dlsym(handle, name);
  }
  if (!at) {
    rt::say("the program called an OpenMP function that no loaded OpenMP library has:");
    rt::say(name);
    rt::say(
        "libredflag needs libgomp or libomp as a shared library: link with -fopenmp and without "
        "-static");
    std::abort();
  }
  learn_library(at);
  found.store(at, std::memory_order_relaxed);
  return at;
}

void learn_library(const void* address) {
  if (rt::is_left_alone(address)) return;
  std::uintptr_t range[3] = {reinterpret_cast<std::uintptr_t>(address), 0, 0};
  if (dl_iterate_phdr(find_range, range)) rt::leave_alone(range[1], range[2]);
}

}  // namespace redflag::openmp
