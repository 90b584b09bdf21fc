#include "frontends/cpu/rt/report.h"

#include <sys/syscall.h>

#include "core/model/race.h"
#include "core/model/sources.h"
#include "frontends/cpu/rt/benign.h"
#include "frontends/cpu/rt/message.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::rt {
namespace {

struct Reports {
  // How often a place was the later side of a race: after some, its further ones are not sent.
  static constexpr std::uint32_t kPlaces = 4096;
  struct Seen {
    std::uint32_t context;
    std::uint32_t count;
  } seen[kPlaces];
};
Reports g_reports;
constexpr std::uint32_t kPerPlace = 64;

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
    const live::Guard guard(g_report_lock);
    if (seen_enough(found.context)) return;
    MessageBuilder b;
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
    const live::Guard guard(g_report_lock);
    MessageBuilder b;
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
    const live::Guard guard(g_report_lock);
    MessageBuilder b;
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
