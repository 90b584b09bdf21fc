// Originals by the dynamic linker: what stands behind us in the order of the loaded libraries.
//
// A plug-in may bring an OpenMP library with RTLD_LOCAL, which is not among RTLD_NEXT's: the known
// names are asked one by one.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>

#include <cstddef>

#include "frontends/cpu/linkage/originals.h"

namespace redflag::linkage {
namespace {

constexpr const char* kLibraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};

struct Wanted {
  std::uintptr_t address;
  CodeRange found;
};

int find_range(dl_phdr_info* info, std::size_t, void* argument) {
  auto& wanted = *static_cast<Wanted*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (wanted.address < begin || wanted.address >= begin + segment.p_memsz) continue;
    wanted.found = {begin, begin + segment.p_memsz};
    return 1;
  }
  return 0;
}

}  // namespace

const char* const kOpenmpRemedy =
    "libredflag needs libgomp or libomp as a shared library: link with -fopenmp";

void* find_original(const char* name, const char* version) {
  void* const at = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return at != nullptr ? at : dlsym(RTLD_NEXT, name);
}

void* find_openmp(const char* name) {
  void* at = dlsym(RTLD_NEXT, name);
  for (const char* library : kLibraries) {
    if (at != nullptr) break;
    if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) at = dlsym(handle, name);
  }
  return at;
}

CodeRange openmp_code(const void* address) {
  Wanted wanted{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(&find_range, &wanted);
  return wanted.found;
}

}  // namespace redflag::linkage
