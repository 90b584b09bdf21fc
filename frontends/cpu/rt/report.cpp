#include "frontends/cpu/rt/report.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <sys/syscall.h>

#include "core/model/race.h"
#include "core/model/sources.h"
#include "frontends/cpu/rt/benign.h"
#include "frontends/cpu/rt/message.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/reporter.h"
#include "frontends/cpu/wire/wire.h"

// The program's own, or a place for a debugger's breakpoint.
extern "C" __attribute__((weak, noinline, visibility("default"))) void __tsan_on_report(void*) {
  asm volatile("");
}

namespace redflag::rt {
namespace {

void (*g_death_callback)() = nullptr;
thread_local bool g_is_reporting = false;

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

// Under g_report_lock, and inside the runtime: what the callback does is not checked.
void call_on_report(const wire::Reply& reply) {
  if (reply.verdict != wire::Verdict::kReported) return;
  g_is_reporting = true;
  __tsan_on_report(const_cast<wire::Race*>(&last_message().race));
  g_is_reporting = false;
}

// Whatever the program does with the signal, and though this thread may block it.
void end_by_abort() {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } const usual{SIG_DFL, 0, nullptr, 0};
  const std::uint64_t abort_alone = std::uint64_t{1} << (SIGABRT - 1);
  const auto word = [](const void* p) { return reinterpret_cast<long>(p); };
  live::os_syscall(SYS_rt_sigaction, SIGABRT, word(&usual), 0, sizeof(abort_alone));
  live::os_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, word(&abort_alone), 0, sizeof(abort_alone));
  live::os_syscall(SYS_tgkill, live::os_syscall(SYS_getpid), live::os_syscall(SYS_gettid), SIGABRT);
}

[[noreturn]] void end_at_race() {
  if (g_death_callback != nullptr) g_death_callback();
  const auto status = static_cast<int>(g_options.exit_status);
  conclude(status);
  if (g_options.abort_signal) end_by_abort();
  for (;;) live::os_syscall(SYS_exit_group, status);
}

// What is to happen after a finding was reported.
void follow_up(const wire::Reply& reply) {
  g_runtime.findings.store(reply.findings, std::memory_order_relaxed);
  if (reply.verdict != wire::Verdict::kReported || g_options.on_race == OnRace::kReport) return;
  if (g_options.on_race == OnRace::kAbort) {
    end_at_race();
  }
  say("stopped at a race: attach a debugger to this process, then continue");
  asm volatile("int3");
}

// The earlier access in its thread's log. It may have been made at another address of these bytes:
// `name` is what they are called there.
bool look_for_earlier(const live::Thread& u, const live::LiveRace& race, live::Run& run,
                      std::uint64_t& at, std::uint64_t& name) {
  const auto made_at = [&](std::uint64_t addr) {
    name = addr;
    return u.log.find(race.earlier.clock(), race.earlier_wrote, race.earlier_atomic, addr,
                      race.size, run, at);
  };
  bool found = made_at(race.addr);
  if (found) return true;
  g_runtime.detector.aliases.for_each_other_name(race.addr, [&](std::uint64_t other) {
    found = made_at(other);
    return found;
  });
  return found;
}

// The same. A thread that has just changed the cell notes the access before it leaves the detector,
// which it does soon, unless it waits for us.
bool find_earlier(const live::Thread& u, const live::LiveRace& race, live::Run& run,
                  std::uint64_t& at, std::uint64_t& name) {
  constexpr unsigned kTurns = 50;
  for (unsigned turn = 0;; ++turn) {
    const bool is_inside = live::is_inside(u.inside.load(std::memory_order_acquire));
    if (look_for_earlier(u, race, run, at, name)) return true;
    if (!is_inside || turn == kTurns) return false;
    live::os_yield();
  }
}

// Of a rule that the user does not want to hear of.
bool is_unwanted(Rule rule) {
  switch (rule) {
    case Rule::kAtomicPlain:
      return !g_options.reports_atomic_races;
    case Rule::kDestroyLocked:
      return !g_options.lock_misuse || !g_options.reports_destroyed_locks;
    case Rule::kDoubleLock:
    case Rule::kUnlockUnlocked:
    case Rule::kReadLockWrong:
    case Rule::kReadUnlockWrong:
      return !g_options.lock_misuse || !g_options.reports_mutex_bugs;
    case Rule::kSignalUnsafe:
      return !g_options.signal_misuse || !g_options.reports_unsafe_calls;
    case Rule::kErrnoInSignal:
      return !g_options.signal_misuse;
    default:
      return false;
  }
}

bool seen_enough(std::uint32_t context) {
  Reports::Seen& s = g_reports.seen[context % Reports::kPlaces];
  if (s.context != context) s = {context, 0};
  return s.count++ >= kPerPlace;
}

}  // namespace

void report_race(live::Thread& lt, const live::LiveRace& found) {
  if (g_runtime.finished.load(std::memory_order_relaxed) || !g_options.reports) return;
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
      race.sync_ignored = g_runtime.sync_ignored.load(std::memory_order_relaxed) ? 1 : 0;

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
        std::uint64_t name = 0;
        if (u != nullptr && u->live != nullptr && find_earlier(*u->live, found, run, at, name)) {
          race.history = wire::History::kFound;
          race.first_addr = name;
          first.addr = at;
          first.size = run.size != 0 ? run.size : run.count;
          first.kind = static_cast<std::uint8_t>(kind_of(run.kind));
          first.order = run.flags >> live::kRunOrderShift;
          first.is_volatile = run.flags & live::kRunVolatile;
          first.is_vptr = (run.flags & live::kRunVptr) != 0 ? 1 : 0;
          first.stack = b.stack(run.context);
          b.held(first, run.locks);
        } else if (u != nullptr && u->ended && u->live != nullptr && u->live->log.is_whole()) {
          // Of a thread that goes on, an entry that changes just now would not be found.
          race.history = wire::History::kDenied;
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
    if (is_unwanted(static_cast<Rule>(b.race().rule))) return;
    reply = b.send();
    call_on_report(reply);
  }
  follow_up(reply);
}

void report_misuse(Thread& t, Misuse what, std::uint64_t object, std::uint32_t detail,
                   std::uint32_t held) {
  if (g_runtime.finished.load(std::memory_order_relaxed)) return;
  const bool of_lock = what <= Misuse::kReadUnlockWrong;
  static constexpr Rule kRuleOf[] = {
      Rule::kDestroyLocked,   Rule::kDoubleLock, Rule::kUnlockUnlocked, Rule::kReadLockWrong,
      Rule::kReadUnlockWrong, Rule::kThreadLeak, Rule::kSignalUnsafe,   Rule::kErrnoInSignal};
  if (!g_options.reports || is_unwanted(kRuleOf[static_cast<int>(what)])) return;
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
    call_on_report(reply);
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

void print_stack(Thread& t) {
  live::Detector& d = g_runtime.detector;
  const std::uint32_t context = where(t);
  d.world.enter(*t.live);
  {
    const live::Guard guard(g_report_lock);
    MessageBuilder b;
    {
      const live::Guard threads(g_runtime.threads_lock);
      wire::Race& race = b.race();
      race.rule = static_cast<std::uint32_t>(Rule::kSignalUnsafe);  // one of those with one place
      race.has_first = 0;
      race.second.size = 1;
      race.second.kind = static_cast<std::uint8_t>(EventKind::kRead);
      race.second.thread = t.number;
      race.second.stack = b.stack(context);
      b.thread(t.number);
    }
    b.send(wire::Kind::kStack);
  }
  d.world.leave(*t.live);
}

void set_death_callback(void (*callback)()) {
  g_death_callback = callback;
}

bool is_reporting() {
  return g_is_reporting;
}

// Threads made at the same place are reported together.
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
      if (!t->ended || t->joined || t->detached || t->is_fiber || t->has_appeared) continue;
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
