// What the program maps and unmaps: pages with new contents, and pages that it has mapped already.
//
// Pages of one file that are mapped twice are one memory, with one history (core/live/aliases.h). A
// file is known by its device and inode, which nothing else has while the pages are mapped. Only
// regular files (memory files and POSIX shared memory are such) and System V segments: two mappings of
// a device are the same memory or not, as the device pleases.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {
namespace {

constexpr std::uint64_t kSegments = ~std::uint64_t{0};  // as a device: System V

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
void shared(void* p, std::size_t n, const live::Backing& of, std::uint64_t offset) {
  live::Thread* const t = live_self();
  if (t == nullptr || n == 0) return;
  g_runtime.detector.flush_pending(*t);
  g_runtime.detector.mapped(t, address(p), n, of, offset);
}

}  // namespace

void memory_remapped(volatile void* p, std::size_t n) {
  if (!ready() || n == 0) return;
  live::Thread* const t = live_self();
  if (t != nullptr) g_runtime.detector.flush_pending(*t);
  g_runtime.detector.unmapped(t, address(p), n);
  memory_replaced(p, n);
}

void memory_is_file(void* p, std::size_t n, int fd, std::uint64_t offset) {
  struct stat about;
  if (!ready() || live::os_syscall(SYS_fstat, fd, reinterpret_cast<long>(&about)) != 0) return;
  if (S_ISREG(about.st_mode)) shared(p, n, {about.st_dev, about.st_ino}, offset);
}

void memory_is_segment(void* p, std::size_t n, int id) {
  if (ready()) shared(p, n, {kSegments, static_cast<std::uint64_t>(id)}, 0);
}

void memory_moved(void* from, std::size_t old_size, void* to, std::size_t size) {
  live::Thread* const t = live_self();
  if (!ready() || t == nullptr) return;
  live::Mapping was;  // as of `from`
  g_runtime.detector.world.enter(*t);
  if (const live::Mapping* m = g_runtime.detector.shadow.aliases.find(address(from));
      m != nullptr) {
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
  if (was.size != 0) shared(static_cast<char*>(to) + kept, size - kept, was.of, was.offset + kept);
}

}  // namespace redflag::rt
