#include "frontends/cpu/interpose/descriptor.h"

#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr int kMost = 1 << 16;  // descriptors with higher numbers are not followed

// Touched only for the descriptors that the program has.
struct Place {
  std::uint64_t shadowed;  // what accesses of the descriptor are recorded on
  rt::SyncKey key;         // 0: orders nothing
  rt::SyncKey watcher;     // the key of an epoll that watches it, or 0
  std::uint32_t stack;     // of the opening, or of the closing
  std::uint32_t thread : 31;
  std::uint32_t closed : 1;
};
static_assert(sizeof(Place) == 32, "find_descriptor divides by it");
Place places[kMost];

char files_key;
char sockets_key;
char connections_key;

Place* place_of(int fd) {
  return fd >= 0 && fd < kMost ? &places[fd] : nullptr;
}

rt::SyncKey own_key(const Place& p) {
  return key_of(&p.key);
}

void open_with(rt::Thread& t, int fd, rt::SyncKey key, bool replaces = false) {
  Place* const p = place_of(fd);
  if (p == nullptr) return;
  if (replaces) {
    rt::read(t, &p->shadowed, sizeof p->shadowed);
  } else {
    rt::write(t, &p->shadowed, sizeof p->shadowed);
  }
  p->key = key;
  p->watcher = 0;
  p->stack = rt::where(t);
  p->thread = rt::number(t) & 0x7fffffff;
  p->closed = 0;
}

}  // namespace

void fd_opened(const rt::LibraryCall& call, int fd, DescriptorKind kind) {
  Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  rt::SyncKey key = 0;
  if (kind == DescriptorKind::kFile) key = key_of(&files_key);
  if (kind == DescriptorKind::kSocket) key = key_of(&sockets_key);
  if (kind == DescriptorKind::kOwn) key = own_key(*p);
  open_with(*call.thread, fd, key);
}

void fd_pair_opened(const rt::LibraryCall& call, int a, int b) {
  const Place* const p = place_of(a);
  if (!call || p == nullptr) return;
  open_with(*call.thread, a, own_key(*p));
  open_with(*call.thread, b, own_key(*p));
}

void fd_copied(const rt::LibraryCall& call, int from, int to, bool replaces) {
  const Place* const p = place_of(from);
  if (!call || p == nullptr || to < 0 || from == to) return;
  fd_used(call, from);
  open_with(*call.thread, to, p->key, replaces);
}

void fd_closing(const rt::LibraryCall& call, int fd) {
  Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  rt::write(*call.thread, &p->shadowed, sizeof p->shadowed);
  // Descriptors are also opened by calls we do not see: the next owner starts without a past.
  rt::memory_replaced(&p->shadowed, sizeof p->shadowed);
  p->key = 0;
  p->watcher = 0;
  p->stack = rt::where(*call.thread);
  p->thread = rt::number(*call.thread) & 0x7fffffff;
  p->closed = 1;
}

void fd_used(const rt::LibraryCall& call, int fd) {
  Place* const p = place_of(fd);
  if (call && p != nullptr) rt::read(*call.thread, &p->shadowed, sizeof p->shadowed);
}

void fd_read(const rt::LibraryCall& call, int fd) {
  const Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  fd_used(call, fd);
  if (p->key != 0) rt::acquire(*call.thread, p->key);
}

void fd_writing(const rt::LibraryCall& call, int fd) {
  const Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  // Used first: whoever reads what is written may close the descriptor.
  fd_used(call, fd);
  if (p->key != 0) rt::release(*call.thread, p->key);
  if (p->watcher != 0) rt::release(*call.thread, p->watcher);
}

void fd_watched(const rt::LibraryCall& call, int poll, int fd) {
  const Place* const watcher = place_of(poll);
  Place* const p = place_of(fd);
  if (call && watcher != nullptr && p != nullptr) p->watcher = watcher->key;
}

void connecting(const rt::LibraryCall& call) {
  if (call) rt::release(*call.thread, key_of(&connections_key));
}

void accepted(const rt::LibraryCall& call) {
  if (call) rt::acquire(*call.thread, key_of(&connections_key));
}

}  // namespace redflag::interpose

bool redflag::rt::find_descriptor(std::uintptr_t address, Descriptor& descriptor) {
  using namespace redflag::interpose;
  const auto first = reinterpret_cast<std::uintptr_t>(&places[0]);
  if (address < first || address >= first + sizeof places) return false;
  const Place& p = places[(address - first) / sizeof(Place)];
  descriptor = {static_cast<int>(&p - places), p.stack, p.thread, p.closed != 0};
  return true;
}
