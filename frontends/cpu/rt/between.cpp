// Processes and memory in the common recording: who is there, and what is the same for all.
#include "frontends/cpu/rt/between.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's

#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/rt/text.h"

namespace redflag::rt {

BetweenSelf g_between;

namespace {

using live::os_syscall;

long word(const void* p) {
  return reinterpret_cast<long>(p);
}
constexpr std::uint32_t kNoNumber = ~0U;

bool failed(std::intptr_t result) {
  return result < 0 && result > -4096;
}
std::uint32_t own_pid() {
  return static_cast<std::uint32_t>(os_syscall(SYS_getpid));
}

// The reporter's file, or one for this process and its children.
std::intptr_t open_common(bool& own) {
  own = false;
  if (const char* path = environment_variable(wire::kBetweenVariable); path != nullptr) {
    const std::intptr_t fd = os_syscall(SYS_openat, AT_FDCWD, word(path), O_RDWR | O_CLOEXEC);
    if (!failed(fd)) return fd;
  }
  own = true;
  const std::intptr_t fd =
      os_syscall(SYS_memfd_create, word("redflag-between"), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (failed(fd)) return fd;
  const std::intptr_t sized = os_syscall(SYS_ftruncate, fd, static_cast<long>(wire::kBetweenBytes));
  return failed(sized) ? sized : fd;
}

std::uint32_t new_process(std::uint32_t parent) {
  wire::BetweenHeader& common = *g_runtime.between;
  const std::uint32_t n = common.processes.fetch_add(1, std::memory_order_relaxed);
  if (n >= wire::kBetweenProcesses) {
    between_stop("more processes share memory than can be followed");
    return 0;
  }
  common.process[n].parent = parent;
  return n;
}

bool join(Thread& t) {
  if (g_runtime.between != nullptr) return true;
  if (g_between.failed) return false;
  g_between.failed = true;
  const std::intptr_t opened = open_common(g_between.own_file);
  if (failed(opened)) {
    say("cannot create a memory file for accesses to memory that processes share: races between "
        "processes are not found");
    return false;
  }
  // High, so that programs which expect the lowest free number get it.
  const std::intptr_t high = os_syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
  g_between.fd = static_cast<int>(failed(high) ? opened : high);
  if (!failed(high)) os_syscall(SYS_close, opened);
  const std::intptr_t p =
      os_syscall(SYS_mmap, 0, static_cast<long>(wire::kBetweenBytes), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_NORESERVE, g_between.fd, 0);
  auto* const common = reinterpret_cast<wire::BetweenHeader*>(p);
  if (!failed(p) && g_between.own_file) common->magic = wire::kBetweenMagic;
  if (failed(p) || common->magic != wire::kBetweenMagic) {
    say("cannot map the recording that processes share: races between processes are not found");
    return false;
  }
  g_between.failed = false;
  // Told before anybody asks: threads record as soon as they see that there is a recording.
  g_between.process = common->processes.fetch_add(1, std::memory_order_relaxed);
  if (g_between.process >= wire::kBetweenProcesses) {
    g_between.failed = true;
    say("too many processes share memory: races of this one with others are not found");
    return false;
  }
  common->process[g_between.process].pid.store(own_pid(), std::memory_order_release);
  live::World& world = g_runtime.detector.world;
  world.stop(t.live);
  g_runtime.between = common;
  world.resume(t.live);
  // It comes late, and nobody who is watched forked it: it knows what there is.
  if (between_on()) step_numbered(t, EventKind::kFork, between_number(t));
  return true;
}

// From now on this process's accesses to shared memory are told of.
void listen(Thread& t) {
  live::Detector& d = g_runtime.detector;
  static constexpr live::Heard kAll{0, live::kAddressLimit};
  if (d.listener.any()) return;
  d.world.stop(t.live);
  d.listener = live::listener_to(&step_access, &kAll, 1);
  d.world.resume(t.live);
}

void activate() {
  std::uint32_t off = 0;
  g_runtime.between->active.compare_exchange_strong(off, 1, std::memory_order_acq_rel);
}

bool may_have_reporter() {
  return environment_variable(wire::kBetweenVariable) != nullptr;
}

// The number of a memory; kBetweenMemories: there is no room for it.
std::uint32_t memory_number(const live::Mapping& m) {
  wire::BetweenHeader& common = *g_runtime.between;
  const auto find = [&](std::uint32_t from, std::uint32_t to) {
    for (; from < to; ++from) {
      const wire::BetweenMemory& one = common.memory[from];
      if (one.device == m.of.device && one.inode == m.of.inode) return from;
    }
    return wire::kBetweenMemories;
  };
  const auto known = [&] {
    const std::uint32_t n = common.memories.load(std::memory_order_acquire);
    return n < wire::kBetweenMemories ? n : wire::kBetweenMemories;
  };
  std::uint32_t n = find(0, known());
  if (n == wire::kBetweenMemories) {
    const std::uint32_t me = g_between.process + 1;
    lock_common(common.memory_owner, me);
    n = find(0, known());
    if (n == wire::kBetweenMemories && known() < wire::kBetweenMemories) {
      n = known();
      wire::BetweenMemory& one = common.memory[n];
      one.device = m.of.device;
      one.inode = m.of.inode;
      one.seen_at = m.begin - m.offset;
      one.size = m.offset + m.size;
      one.process = g_between.process;
      common.memories.store(n + 1, std::memory_order_release);
    }
    unlock_common(common.memory_owner, me);
  }
  return n;
}

// Of this process's mappings the numbers found last, by what is mapped. Read and written inside, by
// any thread, and each entry is one word: who reads a stale one looks again.
constexpr std::uint32_t kNumbers = 64;
struct Number {
  std::atomic<std::uint64_t> inode;   // hashed with the device, 0: none
  std::atomic<std::uint32_t> number;  // + 1; 0 while it changes
};
Number g_numbers[kNumbers];

// Has it ended, whether it said so or not?
bool is_gone(const wire::BetweenProcess& process) {
  const std::uint32_t pid = process.pid.load(std::memory_order_acquire);
  if (pid == 0 || process.ended.load(std::memory_order_acquire) != 0) return true;
  TextBuffer<64> path;
  path.add("/proc/").add_number(pid).add("/stat");
  const std::intptr_t fd =
      os_syscall(SYS_openat, AT_FDCWD, word(path.text()), O_RDONLY | O_CLOEXEC);
  if (failed(fd)) return true;
  char text[256];
  const std::intptr_t n = os_syscall(SYS_read, fd, word(text), sizeof(text));
  os_syscall(SYS_close, fd);
  // "PID (NAME) STATE": the name may have anything in it.
  for (std::intptr_t i = n - 2; i > 0; --i) {
    if (text[i - 1] == ')') return text[i + 1] == 'Z' || text[i + 1] == 'X';
  }
  return false;
}

void join_threads_of(Thread& t, std::uint32_t process) {
  wire::BetweenHeader& common = *g_runtime.between;
  common.process[process].ended.store(2, std::memory_order_release);
  const std::uint32_t made = common.threads.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < made && i < wire::kBetweenThreads; ++i) {
    wire::BetweenThread& one = common.thread[i];
    if (one.process != process || one.joined.exchange(1, std::memory_order_relaxed) != 0) continue;
    step_numbered(t, EventKind::kJoin, i);
  }
}

}  // namespace

void between_stop(const char* why) {
  wire::BetweenHeader& common = *g_runtime.between;
  if (common.active.exchange(2, std::memory_order_acq_rel) == 2) return;
  common.stopped_at.store(common.sequence.load(std::memory_order_acquire) + 1,
                          std::memory_order_release);
  TextBuffer<400> text;
  text.add(why).add("; races between processes are not found from here on");
  say(text.text());
}

void lock_common(std::atomic<std::uint32_t>& owner, std::uint32_t me) {
  timespec since{};
  for (std::uint32_t turn = 0;; ++turn) {
    std::uint32_t expected = 0;
    if (owner.compare_exchange_weak(expected, me, std::memory_order_acquire)) return;
    if (turn < 100) {
      __builtin_ia32_pause();
      continue;
    }
    live::os_yield();
    timespec now{};
    os_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, word(&now));
    if (since.tv_sec == 0) since = now;
    // Held for a few instructions: its process was killed in the middle of them.
    if (now.tv_sec - since.tv_sec > 2 && expected != 0 &&
        owner.compare_exchange_strong(expected, me, std::memory_order_acquire)) {
      return;
    }
  }
}

void unlock_common(std::atomic<std::uint32_t>& owner, std::uint32_t me) {
  // Unless it was taken away meanwhile.
  owner.compare_exchange_strong(me, 0, std::memory_order_release);
}

void between_mapped(Thread& t, const live::Mapping& mapping) {
  // Without a reporter nobody but children can have a part in the recording: see the fork.
  if (mapping.of.device == wire::kAnonymousDevice) return;
  if (g_runtime.between == nullptr && !may_have_reporter()) return;
  if (!join(t)) return;
  listen(t);
  memory_number(mapping);
  if (g_runtime.between->processes.load(std::memory_order_acquire) > 1) activate();
}

std::uint64_t between_home(std::uint64_t addr) {
  const live::Mapping* const m = g_runtime.detector.aliases.find(addr);
  if (m == nullptr) return 0;
  const std::uint64_t offset = m->offset + (addr - m->begin);
  if (offset >> wire::kMemoryShift != 0) return 0;
  const std::uint64_t name = (m->of.inode * 0x9e3779b97f4a7c15U ^ m->of.device) | 1;
  Number& known = g_numbers[name >> 58];
  std::uint32_t n = known.number.load(std::memory_order_acquire);
  if (n == 0 || known.inode.load(std::memory_order_relaxed) != name ||
      known.number.load(std::memory_order_relaxed) != n) {
    n = memory_number(*m) + 1;
    if (n > wire::kBetweenMemories) return 0;
    known.number.store(0, std::memory_order_relaxed);
    known.inode.store(name, std::memory_order_release);
    known.number.store(n, std::memory_order_release);
  }
  return std::uint64_t{n} << wire::kMemoryShift | offset;
}

void between_fork_before(Thread& t) {
  g_between.next = 0;
  g_between.next_thread = kNoNumber;
  // Under a reporter also processes without shared memory are followed from their fork on: they may
  // map some later, and what orders them is known from the beginning then.
  const bool shares = g_runtime.has_shared_memory;
  if (g_runtime.between == nullptr && !shares && !may_have_reporter()) return;
  if (!join(t)) return;
  if (shares) {
    listen(t);
    activate();
  }
  if (g_runtime.between->active.load(std::memory_order_acquire) == 2) return;
  g_between.next = new_process(g_between.process + 1);
  if (g_between.next == 0 || !between_on()) return;
  between_number(t);
  g_between.next_thread = new_thread_number(g_between.next, t.number, "");
  step_numbered(t, EventKind::kFork, g_between.next_thread);
  // What this thread did so far is known to the child; what it does again is not.
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  d.advance(*t.live);
  d.world.leave(*t.live);
}

void between_fork_in_child(Thread& t) {
  if (g_runtime.between == nullptr) return;
  if (g_between.next == 0) {  // nothing is recorded any more
    g_runtime.between = nullptr;
    g_runtime.detector.listener = {};
    g_between.failed = true;
    return;
  }
  g_between.process = g_between.next;
  g_between.told = false;
  g_runtime.between->process[g_between.process].pid.store(own_pid(), std::memory_order_release);
  contexts_forked();
  if (g_between.next_thread == kNoNumber) return;
  g_between.told = true;
  record_modules();
  set_between_number(t, g_between.next_thread);
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  d.advance(*t.live);
  d.world.leave(*t.live);
}

void between_waited(Thread& t, std::uint32_t pid) {
  if (!between_on() || t.live->ignore_sync != 0) return;
  meet_outside(t, EventKind::kAcquire, Order::kPlain);
  wire::BetweenHeader& common = *g_runtime.between;
  const std::uint32_t made = common.processes.load(std::memory_order_acquire);
  bool known = false;
  for (std::uint32_t i = 0; i < made && i < wire::kBetweenProcesses; ++i) {
    wire::BetweenProcess& one = common.process[i];
    if (one.pid.load(std::memory_order_acquire) != pid || i == g_between.process) continue;
    known = true;
    if (one.ended.load(std::memory_order_acquire) != 2) join_threads_of(t, i);
  }
  if (known) return;
  // Perhaps a shell that ran a checked program.
  for (std::uint32_t i = 0; i < made && i < wire::kBetweenProcesses; ++i) {
    const wire::BetweenProcess& one = common.process[i];
    if (i == g_between.process || one.parent != 0) continue;
    if (one.ended.load(std::memory_order_acquire) != 2 && is_gone(one)) join_threads_of(t, i);
  }
}

std::uint32_t between_finish() {
  if (g_runtime.between == nullptr) return kNotAsked;
  wire::BetweenHeader& common = *g_runtime.between;
  if (common.active.load(std::memory_order_acquire) == 0) return kNotAsked;
  record_modules();
  common.process[g_between.process].ended.store(1, std::memory_order_release);
  if (!g_between.own_file) return kNotAsked;
  const std::uint32_t made = common.processes.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < made && i < wire::kBetweenProcesses; ++i) {
    if (i != g_between.process && !is_gone(common.process[i])) return kNotAsked;
  }
  return send_between(static_cast<std::uint32_t>(g_between.fd)).findings;
}

}  // namespace redflag::rt
