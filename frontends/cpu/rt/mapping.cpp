// What the program maps and unmaps: pages with new contents, and pages that it has mapped already.
//
// Pages of one file that are mapped twice are one memory, with one history (core/live/aliases.h). A
// file is known by its device and inode, which nothing else has while the pages are mapped. Only
// regular files (memory files and POSIX shared memory are such) and System V segments: two mappings of
// a device are the same memory or not, as the device pleases. Anonymous shared memory is known by a
// number of its own, which a forked process inherits. What is writable may be shared with other
// processes (between.h).
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/rt/runtime.h"

namespace redflag::rt {
namespace {

bool ready() {
  return g_runtime.ready.load(std::memory_order_relaxed);
}
std::uint64_t address(const volatile void* p) {
  return reinterpret_cast<std::uint64_t>(p);
}
live::Thread* live_self() {
  Thread* const t = self();
  return t == nullptr ? nullptr : t->live;
}
void shared(void* p, std::size_t n, const live::Backing& of, std::uint64_t offset, bool writable) {
  Thread* const t = self();
  if (t == nullptr || n == 0) return;
  g_runtime.detector.mapped(t->live, address(p), n, of, offset);
  if (!writable) return;
  g_runtime.has_shared_memory = true;
  between_mapped(*t, {address(p), n, of, offset});
}

}  // namespace

void memory_remapped(volatile void* p, std::size_t n) {
  if (!ready() || n == 0) return;
  if (!live::LinearMemory::cover(address(p), address(p) + n)) {
    live::os_die(
        "redflag: needed: memory of the program that is not where the shadow is\n"
        "found: a mapping at an address that the program chose, in the shadow or beside it\n"
        "to mend it: let the kernel choose the address, or map below 1 TiB "
        "(docs/how/live.md#limits)\n");
  }
  live::Thread* const t = live_self();
  g_runtime.detector.unmapped(t, address(p), n);
  if (g_runtime.holding != nullptr) [[unlikely]]
    hold_unmapped(address(p), n);
  memory_replaced(p, n);
}

void memory_is_file(void* p, std::size_t n, int fd, std::uint64_t offset, bool writable) {
  struct stat about;
  if (!ready() || live::os_syscall(SYS_fstat, fd, reinterpret_cast<long>(&about)) != 0) return;
  if (!S_ISREG(about.st_mode)) return;
  // What can be made writable later counts as such.
  if (!writable) writable = (live::os_syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  shared(p, n, {about.st_dev, about.st_ino}, offset, writable);
}

void memory_is_named_file(void* p, std::size_t n, const char* path) {
  struct stat about;
  if (!ready() || live::os_syscall(SYS_stat, reinterpret_cast<long>(path),
                                   reinterpret_cast<long>(&about)) != 0) {
    return;
  }
  shared(p, n, {about.st_dev, about.st_ino}, 0, true);
}

void memory_is_segment(void* p, std::size_t n, int id) {
  if (ready()) shared(p, n, {wire::kSegmentDevice, static_cast<std::uint64_t>(id)}, 0, true);
}

void memory_is_shared(void* p, std::size_t n) {
  static std::atomic<std::uint32_t> count{0};
  if (!ready()) return;
  const auto pid = static_cast<std::uint64_t>(live::os_syscall(SYS_getpid));
  shared(p, n, {wire::kAnonymousDevice, pid << 32 | count.fetch_add(1, std::memory_order_relaxed)},
         0, true);
}

void memory_moved(void* from, std::size_t old_size, void* to, std::size_t size) {
  live::Thread* const t = live_self();
  if (!ready() || t == nullptr) return;
  live::Mapping was;  // as of `from`
  g_runtime.detector.world.enter(*t);
  if (const live::Mapping* m = g_runtime.detector.aliases.find(address(from)); m != nullptr) {
    was = *m;
    was.offset += address(from) - m->begin;
  }
  g_runtime.detector.world.leave(*t);
  std::size_t kept = 0;  // bytes at `to` that have been there before
  if (from != to) {
    memory_remapped(from, old_size);
  } else {
    kept = old_size < size ? old_size : size;
    memory_remapped(static_cast<char*>(from) + kept, old_size - kept);
  }
  memory_remapped(static_cast<char*>(to) + kept, size - kept);
  if (was.size != 0) {
    shared(static_cast<char*>(to) + kept, size - kept, was.of, was.offset + kept, true);
  }
}

}  // namespace redflag::rt
