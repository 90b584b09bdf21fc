#include "frontends/cpu/rt/report.h"

#include <sys/syscall.h>

#include "core/model/race.h"
#include "core/model/sources.h"
#include "frontends/cpu/rt/benign.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::rt {
namespace {

constexpr std::uint32_t kMostThreads = 16;
constexpr std::uint32_t kMostLocks = 40;
constexpr std::uint32_t kMostWords = 8192;
constexpr std::uint32_t kMostFrames = 256;

// One message, put together in place; under the report lock.
struct Message {
  wire::Race race;
  wire::ThreadRecord threads[kMostThreads];
  wire::LockRecord locks[kMostLocks];
  wire::HeldRecord helds[kMostLocks];
  std::uint64_t words[kMostWords];
};

struct Reports {
  live::SpinLock lock;
  Message message;
  char bytes[sizeof(Message)];
  // How often a place was the later side of a race: after some, its further ones are not sent.
  static constexpr std::uint32_t kPlaces = 4096;
  struct Seen {
    std::uint32_t context;
    std::uint32_t count;
  } seen[kPlaces];
};
Reports g_reports;
constexpr std::uint32_t kPerPlace = 64;

class Builder {
 public:
  Builder() : m_(g_reports.message) { m_.race = wire::Race{}; }

  wire::Race& race() { return m_.race; }

  wire::StackRef stack(std::uint32_t context) {
    wire::StackRef ref;
    ref.first = m_.race.words;
    if (context == 0 || m_.race.words + kMostFrames > kMostWords) return ref;
    ref.count = g_runtime.detector.contexts.stack(context, m_.words + m_.race.words, kMostFrames);
    m_.race.words += ref.count;
    return ref;
  }

  // The thread and those that made it.
  void thread(std::uint32_t number) {
    while (number != wire::kNoThread && m_.race.threads < kMostThreads) {
      for (std::uint32_t i = 0; i < m_.race.threads; ++i) {
        if (m_.threads[i].number == number) return;
      }
      const Thread* t = find_thread(number);
      wire::ThreadRecord& r = m_.threads[m_.race.threads++];
      r = wire::ThreadRecord{};
      r.number = number;
      if (t == nullptr) return;
      r.tid = t->tid;
      r.running = t->running ? 1 : 0;
      r.is_fiber = t->is_fiber ? 1 : 0;
      r.parent = number == 0 ? wire::kNoThread : t->parent;
      r.created = stack(t->created);
      live::os_copy(r.name, t->name, sizeof(r.name));
      number = r.parent;
    }
  }

  void held(wire::AccessRecord& a, std::uint32_t lockset) {
    std::uint64_t locks[kMostLocks];
    const std::uint32_t n =
        g_runtime.detector.locksets.stack(lockset, locks, kMostLocks);  // innermost first
    a.first_held = m_.race.helds;
    for (std::uint32_t i = n; i > 0 && m_.race.helds < kMostLocks; --i) {
      const std::uint64_t id = locks[i - 1] >> 25;
      wire::HeldRecord& h = m_.helds[m_.race.helds];
      h = wire::HeldRecord{};
      if (!lock(id, h.lock)) continue;
      h.shared = locks[i - 1] & 1;
      h.acquired = stack(static_cast<std::uint32_t>(locks[i - 1] >> 1) & 0xffffff);
      ++m_.race.helds;
      ++a.held;
    }
  }

  bool lock(std::uint64_t id, std::uint32_t& index) {
    for (index = 0; index < m_.race.locks; ++index) {
      if (m_.locks[index].id == id) return true;
    }
    const live::LockInfo* info = g_runtime.detector.lock_info(id);
    if (info == nullptr || index == kMostLocks) return false;
    wire::LockRecord& r = m_.locks[m_.race.locks++];
    r = wire::LockRecord{};
    r.id = id;
    r.addr = info->addr;
    r.destroyed = info->destroyed ? 1 : 0;
    r.read_write = (info->traits & kLockReadWrite) != 0 ? 1 : 0;
    r.created = stack(info->created);
    return true;
  }

  void memory(std::uint64_t addr) {
    wire::MemoryRecord& m = m_.race.memory;
    HeapBlock block;
    if (find_heap_block(addr, block)) {
      m.kind = static_cast<std::uint8_t>(RegionKind::kHeap);
      m.addr = block.begin;
      m.size = block.size;
      m.thread = block.thread;
      m.allocated = stack(block.stack);
      m.freed = block.freed ? 1 : 0;
      if (block.freed) {
        m.freed_at = stack(block.free_stack);
        m.freed_by = block.free_thread;
        thread(block.free_thread);
      }
      thread(block.thread);
      return;
    }
    if (Descriptor descriptor; find_descriptor(addr, descriptor)) {
      m.is_fd = 1;
      m.addr = static_cast<std::uint64_t>(descriptor.fd);
      m.size = 1;
      m.thread = descriptor.thread;
      m.freed = descriptor.closed ? 1 : 0;
      m.allocated = stack(descriptor.stack);
      thread(descriptor.thread);
      return;
    }
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
      const bool tls = addr >= t->tls_low && addr < t->tls_high;
      if (!tls && (addr < t->stack_low || addr >= t->stack_high)) continue;
      m.kind = static_cast<std::uint8_t>(tls ? RegionKind::kThreadLocal : RegionKind::kStack);
      m.addr = tls ? t->tls_low : t->stack_low;
      m.size = (tls ? t->tls_high : t->stack_high) - m.addr;
      m.thread = t->number;
      thread(t->number);
      return;
    }
  }

  wire::Reply send(wire::Kind kind = wire::Kind::kRace) {
    char* p = g_reports.bytes;
    const auto put = [&](const void* from, std::size_t n) {
      live::os_copy(p, from, n);
      p += n;
    };
    put(&m_.race, sizeof(m_.race));
    put(m_.threads, m_.race.threads * sizeof(m_.threads[0]));
    put(m_.locks, m_.race.locks * sizeof(m_.locks[0]));
    put(m_.helds, m_.race.helds * sizeof(m_.helds[0]));
    put(m_.words, m_.race.words * sizeof(m_.words[0]));
    return send_race(g_reports.bytes, static_cast<std::uint32_t>(p - g_reports.bytes), kind);
  }

 private:
  Message& m_;
};

EventKind kind_of(live::LogKind kind) {
  switch (kind) {
    case live::LogKind::kRead:
      return EventKind::kRead;
    case live::LogKind::kWrite:
      return EventKind::kWrite;
    case live::LogKind::kAtomicRead:
      return EventKind::kAtomicLoad;
    case live::LogKind::kAtomicWrite:
      return EventKind::kAtomicStore;
    case live::LogKind::kFree:
      return EventKind::kFree;
  }
  return EventKind::kRead;
}

// What is to happen after a finding was told.
void follow_up(const wire::Reply& reply) {
  g_runtime.findings.store(reply.findings, std::memory_order_relaxed);
  if (reply.verdict != wire::Verdict::kReported || g_options.on_race == OnRace::kReport) return;
  if (g_options.on_race == OnRace::kAbort) {
    live::os_syscall(SYS_exit_group, finish(static_cast<int>(g_options.exit_status)));
  }
  say("stopped at a race: attach a debugger to this process, then continue");
  asm volatile("int3");
}

// The earlier access in its thread's log. It may have been made at another address of these bytes.
bool find_earlier(const live::Thread& u, const live::LiveRace& race, live::Run& run,
                  std::uint64_t& at) {
  const auto made_at = [&](std::uint64_t addr) {
    return u.log.find(race.earlier.clock(), race.earlier_wrote, race.earlier_atomic, addr,
                      race.size, run, at);
  };
  bool found = made_at(race.addr);
  if (found) return true;
  g_runtime.detector.shadow.aliases.for_each_other_name(race.addr, [&](std::uint64_t name) {
    found = made_at(name);
    return found;
  });
  return found;
}

bool seen_enough(std::uint32_t context) {
  Reports::Seen& s = g_reports.seen[context % Reports::kPlaces];
  if (s.context != context) s = {context, 0};
  return s.count++ >= kPerPlace;
}

}  // namespace

void report_race(live::Thread& lt, const live::LiveRace& found) {
  if (g_runtime.finished.load(std::memory_order_relaxed)) return;
  if (is_benign(found.addr, found.size)) return;
  Thread& t = of(lt);
  wire::Reply reply;
  {
    const live::Guard guard(g_reports.lock);
    if (seen_enough(found.context)) return;
    Builder b;
    {
      const live::Guard threads(g_runtime.threads_lock);
      wire::Race& race = b.race();
      race.addr = found.addr;
      race.size = static_cast<std::uint32_t>(found.size);
      race.in_signal_handler = t.in_signal_handler ? 1 : 0;

      wire::AccessRecord& second = race.second;
      second.addr = found.access_addr;
      second.size = static_cast<std::uint32_t>(found.access_size);
      second.thread = t.number;
      second.clock = lt.clock.epoch.clock();
      second.kind = static_cast<std::uint8_t>(kind_of(found.kind));
      second.order = found.flags >> live::kRunOrderShift;
      second.is_volatile = found.flags & live::kRunVolatile;
      second.is_vptr = (found.flags & live::kRunVptr) != 0 ? 1 : 0;
      second.stack = b.stack(found.context);
      b.held(second, g_runtime.detector.lockset(lt));
      second.more_held = lt.held_count > second.held ? lt.held_count - second.held : 0;
      b.thread(t.number);

      wire::AccessRecord& first = race.first;
      first.addr = found.addr;
      first.size = race.size;
      first.clock = found.earlier.clock();
      first.kind = static_cast<std::uint8_t>(
          found.earlier_atomic
              ? (found.earlier_wrote ? EventKind::kAtomicStore : EventKind::kAtomicLoad)
              : (found.earlier_wrote ? EventKind::kWrite : EventKind::kRead));
      std::uint32_t number = 0;
      if (g_runtime.detector.slots.owner(found.earlier, number)) {
        first.thread = number;
        const Thread* u = find_thread(number);
        live::Run run;
        std::uint64_t at = 0;
        if (u != nullptr && u->live != nullptr && find_earlier(*u->live, found, run, at)) {
          first.addr = at;
          first.size = run.size != 0 ? run.size : run.count;
          first.kind = static_cast<std::uint8_t>(kind_of(run.kind));
          first.order = run.flags >> live::kRunOrderShift;
          first.is_volatile = run.flags & live::kRunVolatile;
          first.is_vptr = (run.flags & live::kRunVptr) != 0 ? 1 : 0;
          first.stack = b.stack(run.context);
          b.held(first, run.locks);
        }
        b.thread(number);
      }
      b.memory(found.addr);
      race.rule = static_cast<std::uint32_t>(
          classify(static_cast<EventKind>(first.kind), static_cast<EventKind>(second.kind)));
      if (first.is_vptr != 0 || second.is_vptr != 0) {
        race.rule = static_cast<std::uint32_t>(Rule::kVptr);
      }
      if (static_cast<EventKind>(first.kind) == EventKind::kFree) {
        race.rule = static_cast<std::uint32_t>(Rule::kUseAfterFree);
        race.memory.freed = 1;
      }
    }
    reply = b.send();
  }
  follow_up(reply);
}

void report_misuse(Thread& t, Misuse what, std::uint64_t object, std::uint32_t detail,
                   std::uint32_t held) {
  if (g_runtime.finished.load(std::memory_order_relaxed)) return;
  const bool of_lock = what <= Misuse::kReadUnlockWrong;
  if (of_lock ? !g_options.lock_misuse : what != Misuse::kThreadLeak && !g_options.signal_misuse) {
    return;
  }
  static constexpr Rule kRuleOf[] = {
      Rule::kDestroyLocked,   Rule::kDoubleLock, Rule::kUnlockUnlocked, Rule::kReadLockWrong,
      Rule::kReadUnlockWrong, Rule::kThreadLeak, Rule::kSignalUnsafe,   Rule::kErrnoInSignal};
  const std::uint32_t context = what == Misuse::kThreadLeak ? 0 : where(t);
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  wire::Reply reply;
  {
    const live::Guard guard(g_reports.lock);
    Builder b;
    {
      const live::Guard threads(g_runtime.threads_lock);
      wire::Race& race = b.race();
      race.rule = static_cast<std::uint32_t>(kRuleOf[static_cast<int>(what)]);
      race.addr = object;
      race.size = detail;
      race.has_first = 0;
      race.second.addr = object;
      race.second.size = 1;
      race.second.kind = static_cast<std::uint8_t>(EventKind::kWrite);
      if (what == Misuse::kThreadLeak) {
        race.second.thread = static_cast<std::uint32_t>(object);
        race.addr = race.second.addr = 0;
        b.thread(static_cast<std::uint32_t>(object));
      } else {
        race.second.thread = t.number;
        race.second.stack = b.stack(context);
        b.thread(t.number);
        b.memory(object);
        if (held != 0) b.held(race.second, held);
        if (of_lock) {
          for (std::uint64_t i = 0; i < live::Detector::kLockInfos; ++i) {
            const live::LockInfo& info = d.lock_infos[i];
            std::uint32_t index = 0;
            if (info.id == 0 || info.addr != object) continue;
            // Never seen before this: as good as created here.
            if (info.created == 0) d.lock_infos[i].created = context;
            b.lock(info.id, index);
          }
        }
      }
    }
    reply = b.send();
  }
  d.world.leave(*t.live);
  follow_up(reply);
}

void report_met(Thread& t, std::uint32_t side, std::uint64_t addr, std::uint64_t size,
                EventKind kind, std::uint64_t pc) {
  if (g_runtime.finished.load(std::memory_order_relaxed)) return;
  live::Detector& d = g_runtime.detector;
  d.world.enter(*t.live);
  const std::uint32_t context = pc == 0
                                    ? d.contexts.number(d.arena, t.live->frames, t.live->hot->top)
                                    : d.context(*t.live, pc);
  {
    const live::Guard guard(g_reports.lock);
    Builder b;
    {
      const live::Guard threads(g_runtime.threads_lock);
      wire::Race& race = b.race();
      race.met_side = static_cast<std::uint16_t>(side);
      race.addr = addr;
      race.size = static_cast<std::uint32_t>(size);
      race.has_first = 0;
      race.in_signal_handler = t.in_signal_handler ? 1 : 0;
      wire::AccessRecord& access = race.second;
      access.addr = addr;
      access.size = race.size;
      access.thread = t.number;
      access.kind = static_cast<std::uint8_t>(kind);
      access.stack = b.stack(context);
      b.held(access, d.lockset(*t.live));
      b.thread(t.number);
    }
    b.send(wire::Kind::kMet);
  }
  d.world.leave(*t.live);
}

// Threads made at the same place are told of together.
void report_leaks() {
  Thread* me = self();
  if (!g_options.thread_leaks || me == nullptr) return;
  struct Leak {
    std::uint32_t number;  // of the first of them
    std::uint32_t created;
    std::uint32_t count;
  } leaks[64];
  std::uint32_t n = 0;
  {
    const live::Guard threads(g_runtime.threads_lock);
    for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
      if (!t->ended || t->joined || t->detached || t->is_fiber) continue;
      std::uint32_t i = 0;
      while (i < n && leaks[i].created != t->created) ++i;
      if (i == 64) continue;
      if (i == n) leaks[n++] = {t->number, t->created, 0};
      leaks[i].number = t->number;  // newest first
      ++leaks[i].count;
    }
  }
  while (n != 0) {
    --n;
    report_misuse(*me, Misuse::kThreadLeak, leaks[n].number, leaks[n].count);
  }
}

}  // namespace redflag::rt
