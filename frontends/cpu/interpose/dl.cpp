// The dynamic linker: its own memory, and dlclose.
//
// The linker keeps its lists, names and libraries' thread-local storage in blocks that it allocates
// and frees under a lock of its own, which nobody outside sees. The callback of dl_iterate_phdr
// reads them under that lock. So what the linker allocates and frees is its own business
// (leave_alone): such a block begins without a past, and freeing it conflicts with nothing.
// Callbacks of two threads are not ordered by that lock: its documentation promises nothing of the
// kind.
//
// The memory of libraries that dlclose took away has no past. dlopen is not intercepted. It
// searches relative to its caller, so a frame of ours in between would change what it finds; and
// the pages it maps were forgotten when they were given back: by dlclose here, by munmap, by free
// of large blocks.
#include <dlfcn.h>
#include <link.h>

#include "frontends/cpu/interpose/intercept.h"

// Absent from programs linked with -static.
extern struct r_debug _r_debug __attribute__((weak));

namespace redflag::interpose {
namespace {

struct Range {
  std::uintptr_t begin;
  std::size_t size;
};

// The segments of all loaded libraries: callbacks read also those that are not writable, and
// another library may be loaded there. Those beyond the room are not followed.
struct Ranges {
  static constexpr std::size_t kRoom = 4096;
  std::size_t count = 0;
  Range at[kRoom];

  bool has(std::uintptr_t begin) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (at[i].begin == begin) return true;
    }
    return false;
  }
};

int collect(dl_phdr_info* info, std::size_t, void* data) {
  auto& ranges = *static_cast<Ranges*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    if (ranges.count == Ranges::kRoom) return 1;
    ranges.at[ranges.count++] = {info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
  }
  return 0;
}

}  // namespace

// Before the program can load anything.
void start_linker() {
  const std::uintptr_t base = &_r_debug != nullptr ? _r_debug.r_ldbase : 0;
  if (base == 0) return;
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(base);
  const auto* const segments = reinterpret_cast<const ElfW(Phdr)*>(base + header.e_phoff);
  for (int i = 0; i < header.e_phnum; ++i) {
    const ElfW(Phdr)& segment = segments[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    rt::leave_alone(base + segment.p_vaddr, base + segment.p_vaddr + segment.p_memsz);
  }
}

REDFLAG_INTERCEPT(int, dlclose, void* library) {
  REDFLAG_CALL(dlclose);
  if (!call) return REDFLAG_REAL(dlclose)(library);
  auto* const lists = static_cast<Ranges*>(map_pages(2 * sizeof(Ranges)));
  if (lists == nullptr) return REDFLAG_REAL(dlclose)(library);
  dl_iterate_phdr(&collect, &lists[0]);
  const int result = REDFLAG_REAL(dlclose)(library);
  rt::libraries_changed();
  dl_iterate_phdr(&collect, &lists[1]);
  for (std::size_t i = 0; i < lists[0].count; ++i) {
    const Range& r = lists[0].at[i];
    if (!lists[1].has(r.begin)) rt::memory_remapped(reinterpret_cast<void*>(r.begin), r.size);
  }
  unmap_pages(lists, 2 * sizeof(Ranges));
  return result;
}

}  // namespace redflag::interpose
