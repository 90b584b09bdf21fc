#include "frontends/cpu/interpose/descriptor.h"

#include <sys/stat.h>
#include <unistd.h>

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
  std::uint32_t thread : 29;
  std::uint32_t closed : 1;
  std::uint32_t sort : 2;  // Sort, of the present life
  std::uint64_t name;      // of what `key` is, among all processes; 0: it has none
};
static_assert(sizeof(Place) == 40, "find_descriptor divides by it");
Place places[kMost];

char files_key;
char sockets_key;
char connections_key;

// As wire/between.h has them.
constexpr std::uint64_t kFilesName = 1;
constexpr std::uint64_t kSocketsName = 2;
constexpr std::uint64_t kConnectionsName = 3;
constexpr std::uint64_t kPipes = std::uint64_t{1} << 60;  // by inode
constexpr std::uint64_t kOwnNames = std::uint64_t{1} << 59;

int highest = -1;  // that was opened; grows only, and who reads it late misses the newest

Place* place_of(int fd) {
  return fd >= 0 && fd < kMost ? &places[fd] : nullptr;
}

// Not used twice, also not by processes that this one forks.
std::uint64_t new_name() {
  static std::uint32_t count = 0;
  const auto pid = static_cast<std::uint64_t>(getpid());
  return kOwnNames | pid << 32 | __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
}

// A pipe has one inode, which names both of its ends in every process, however it came to them.
std::uint64_t pipe_name(int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) return 0;
  return kPipes | (about.st_ino ^ about.st_dev << 48) % kOwnNames;
}

rt::SyncKey own_key(const Place& p) {
  return key_of(&p.key);
}

// What tables are indexed by.
enum class Sort : std::uint8_t { kOther, kFile, kConnection };

Sort sort_of(DescriptorKind kind) {
  return kind == DescriptorKind::kFile         ? Sort::kFile
         : kind == DescriptorKind::kConnection ? Sort::kConnection
                                               : Sort::kOther;
}

// Of the number itself, from one life to the next of the same sort.
rt::SyncKey number_key(const Place& p, Sort sort) {
  return key_of(&p.name) + static_cast<rt::SyncKey>(sort);
}

// The key that a descriptor gets instead, when the user wants other order from all of them.
rt::SyncKey wanted_key(rt::SyncKey key) {
  if (key == 0 || rt::io_sync() == 1) return key;
  return rt::io_sync() == 0 ? 0 : key_of(&files_key);
}

// What comes with no word of its opening may be a pipe that was there before exec.
std::uint64_t name_of(const Place& p, int fd) {
  return p.name != 0 || p.key != 0 ? p.name : pipe_name(fd);
}

bool tells_its_end(const Place& p) {
  return p.name > kFilesName;
}

// What the number was before: free, whether or not its closing was seen (closedir closes inside
// libc); the same descriptor (connect); or one that is replaced.
enum class Before { kFree, kSame, kReplaced };

void open_with(rt::Thread& t, int fd, rt::SyncKey key, std::uint64_t name,
               Before before = Before::kFree, Sort sort = Sort::kOther) {
  Place* const p = place_of(fd);
  if (p == nullptr) return;
  if (before == Before::kFree) {
    rt::memory_replaced(&p->shadowed, sizeof p->shadowed);
    if (sort != Sort::kOther) rt::acquire(t, number_key(*p, sort));
    p->sort = static_cast<std::uint32_t>(sort) & 3;
  }
  if (before == Before::kReplaced) {
    rt::read(t, &p->shadowed, sizeof p->shadowed);
  } else {
    rt::write(t, &p->shadowed, sizeof p->shadowed);
  }
  p->key = key;
  p->name = name;
  if (fd > highest) highest = fd;
  p->watcher = 0;
  p->stack = rt::where(t);
  p->thread = rt::number(t) & 0x1fffffff;
  p->closed = 0;
}

}  // namespace

void fd_opened(const rt::LibraryCall& call, int fd, DescriptorKind kind, bool again) {
  Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  rt::SyncKey key = 0;
  if (kind == DescriptorKind::kFile) key = key_of(&files_key);
  const bool is_socket = kind == DescriptorKind::kSocket || kind == DescriptorKind::kConnection;
  if (is_socket) key = key_of(&sockets_key);
  if (kind == DescriptorKind::kOwn) key = own_key(*p);
  std::uint64_t name = 0;
  if (kind == DescriptorKind::kFile) name = kFilesName;
  if (is_socket) name = kSocketsName;
  if (kind == DescriptorKind::kOwn) name = new_name();
  open_with(*call.thread, fd, wanted_key(key), name, again ? Before::kSame : Before::kFree,
            sort_of(kind));
}

void fd_pair_opened(const rt::LibraryCall& call, int a, int b) {
  const Place* const p = place_of(a);
  if (!call || p == nullptr) return;
  std::uint64_t name = pipe_name(a);
  if (name == 0) name = new_name();
  open_with(*call.thread, a, wanted_key(own_key(*p)), name);
  open_with(*call.thread, b, wanted_key(own_key(*p)), name);
}

void fd_copied(const rt::LibraryCall& call, int from, int to, bool replaces) {
  const Place* const p = place_of(from);
  if (!call || p == nullptr || to < 0 || from == to) return;
  fd_used(call, from);
  open_with(*call.thread, to, p->key, p->name, replaces ? Before::kReplaced : Before::kFree);
}

void fd_closing(const rt::LibraryCall& call, int fd) {
  Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  rt::write(*call.thread, &p->shadowed, sizeof p->shadowed);
  // Descriptors are also opened by calls we do not see: the next owner starts without a past.
  rt::memory_replaced(&p->shadowed, sizeof p->shadowed);
  // Who reads the end of it from another process knows what was done before.
  if (tells_its_end(*p)) rt::release_named(*call.thread, p->name);
  p->key = 0;
  p->name = 0;
  p->watcher = 0;
  p->stack = rt::where(*call.thread);
  p->thread = rt::number(*call.thread) & 0x1fffffff;
  p->closed = 1;
  const auto sort = static_cast<Sort>(p->sort);
  if (sort != Sort::kOther) rt::release(*call.thread, number_key(*p, sort));
  p->sort = 0;
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
  if (rt::watches_processes()) rt::acquire_named(*call.thread, name_of(*p, fd));
}

void fd_writing(const rt::LibraryCall& call, int fd) {
  const Place* const p = place_of(fd);
  if (!call || p == nullptr) return;
  // Used first: whoever reads what is written may close the descriptor.
  fd_used(call, fd);
  if (rt::watches_processes()) rt::release_named(*call.thread, name_of(*p, fd));
  if (p->key != 0) rt::release(*call.thread, p->key);
  if (p->watcher != 0) rt::release(*call.thread, p->watcher);
}

void fd_watched(const rt::LibraryCall& call, int poll, int fd) {
  const Place* const watcher = place_of(poll);
  Place* const p = place_of(fd);
  if (call && watcher != nullptr && p != nullptr) p->watcher = watcher->key;
}

void connecting(const rt::LibraryCall& call) {
  if (!call) return;
  rt::release_named(*call.thread, kConnectionsName);
  rt::release(*call.thread, key_of(&connections_key));
}

void accepted(const rt::LibraryCall& call) {
  if (!call) return;
  rt::acquire(*call.thread, key_of(&connections_key));
  rt::acquire_named(*call.thread, kConnectionsName);
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

bool redflag::rt::is_descriptor_key(std::uintptr_t key) {
  using namespace redflag::interpose;
  const auto first = reinterpret_cast<std::uintptr_t>(&places[0]);
  return (key >= first && key < first + sizeof places) || key == key_of(&files_key) ||
         key == key_of(&sockets_key) || key == key_of(&connections_key);
}

void redflag::rt::close_descriptors(Thread& t) {
  using namespace redflag::interpose;
  if (!watches_processes()) return;
  for (int fd = 0; fd <= highest; ++fd) {
    const Place& p = places[fd];
    if (p.closed == 0 && tells_its_end(p)) release_named(t, p.name);
  }
}
