#include "frontends/cpu/rt/hold.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/rt/report.h"
#include "frontends/cpu/wire/hold.h"
#include "frontends/cpu/wire/hold_touch.h"

namespace redflag::rt {
namespace {

using live::os_syscall;
using wire::conflict;
using wire::partners;
using Coming = wire::HoldComing;
using Sides = wire::HoldSides;

wire::HoldBoard& board() {
  return *g_runtime.holding;
}

constexpr std::uint64_t kSlice = 5'000'000;        // nanoseconds between two looks at the others
constexpr std::uint64_t kJobSlice = 1'000'000;     // the same where other ranks may need this one
constexpr std::uint64_t kTelling = 2'000'000'000;  // nanoseconds to wait for the other's report
constexpr std::uint32_t kMostSharedTimeouts = 6;   // holds at shared memory in spite of back-off
constexpr std::uint32_t kLastDoubling = 20;

long word(const void* p) {
  return reinterpret_cast<long>(p);
}

std::uint64_t now() {
  timespec time{};
  os_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, word(&time));
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Not the private kind: the board is common to several processes.
void sleep_while(const std::atomic<std::uint32_t>& at, std::uint32_t value, std::uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  os_syscall(SYS_futex, word(&at), FUTEX_WAIT, value, word(&time));
}
void wake(const std::atomic<std::uint32_t>& at) {
  os_syscall(SYS_futex, word(&at), FUTEX_WAKE, 0x7fffffff);
}

// The board's lock, for a thread that is inside: no signal handler runs meanwhile.
class BoardGuard {
 public:
  explicit BoardGuard(std::uint32_t me) {
    std::uint64_t since = 0;
    for (unsigned turn = 0;; ++turn) {
      std::uint32_t nobody = 0;
      if (board().broken.load(std::memory_order_relaxed) != 0) return;
      if (board().lock.compare_exchange_weak(nobody, me, std::memory_order_acquire)) {
        has_ = true;
        return;
      }
      if (turn < 100) {
        __builtin_ia32_pause();
        continue;
      }
      live::os_yield();
      if (since == 0) since = now();
      if (now() - since > std::uint64_t{wire::kHoldLockMicroseconds} * 1000) {
        board().broken.store(1, std::memory_order_relaxed);
      }
    }
  }
  ~BoardGuard() {
    if (has_) board().lock.store(0, std::memory_order_release);
  }
  BoardGuard(const BoardGuard&) = delete;
  BoardGuard& operator=(const BoardGuard&) = delete;
  explicit operator bool() const { return has_; }

 private:
  bool has_ = false;
};

Sides not_met(Sides sides) {
  for (std::uint32_t p = 0; p < board().pairs; ++p) {
    if (board().pair[p].met.load(std::memory_order_relaxed) != 0) sides &= ~(3U << 2 * p);
  }
  return sides;
}

void name_memory(Thread& t, const Strided& at, Coming& c) {
  live::World& world = g_runtime.detector.world;
  const bool down = at.step < 0;
  const auto step = static_cast<std::uint64_t>(down ? -at.step : at.step);
  c.memory = {down ? at.begin - (at.count - 1) * step : at.begin, step, at.count, at.size};
  // Elements that overlap or touch are as good as one.
  if (step <= at.size) c.memory = {c.memory.begin, 0, 1, (at.count - 1) * step + at.size};
  c.space = c.process;
  std::uint64_t& begin = c.memory.begin;
  if (g_runtime.hold_owner != nullptr) return g_runtime.hold_owner(&c.space, &begin);
  world.enter(*t.live);
  const std::uint64_t common = g_runtime.between != nullptr ? between_home(begin) : 0;
  if (common != 0) {
    c.space = 0;
    begin = common;
  } else if (g_runtime.detector.aliases.any()) {
    std::uint64_t room = at.size;
    begin = g_runtime.detector.aliases.home(begin, room);
  }
  world.leave(*t.live);
}

// Does it wait for a thread that has not ended? Under threads_lock.
bool waits_to_join(const Thread& u) {
  const std::uint32_t joining =
      u.live == nullptr ? 0 : u.live->joining.load(std::memory_order_relaxed);
  if (joining == 0) return false;
  const Thread* const child = find_thread(joining - 1);
  return child != nullptr && !child->ended;
}

// Can nobody come to the other side?
bool is_alone(const Thread& t) {
  if (board().processes.load(std::memory_order_relaxed) > 1) return false;
  const live::Guard guard(g_runtime.threads_lock);
  for (const Thread* u = g_runtime.threads; u != nullptr; u = u->next) {
    if (u != &t && !u->ended && !waits_to_join(*u)) return false;
  }
  return true;
}

// --- Under the board's lock.

// A thread that is held at the other side, with these bytes. `met`: its side.
wire::HoldSlot* find_partner(const Coming& c, std::uint64_t time, std::uint32_t& met) {
  const Sides wanted = partners(not_met(c.sides));
  for (wire::HoldSlot& s : board().slot) {
    if (s.state.load(std::memory_order_relaxed) != wire::kHoldWaiting) continue;
    const Sides both = s.sides & wanted;
    if (both == 0 || time >= s.deadline || s.space != c.space) continue;
    if (s.process == c.process && s.thread == c.thread) continue;
    if (!conflict(static_cast<EventKind>(s.kind), c.kind)) continue;
    if (!overlap(s.memory(), c.memory)) continue;
    met = static_cast<std::uint32_t>(__builtin_ctz(both));
    return &s;
  }
  return nullptr;
}

bool is_hinted(const wire::HoldSide& side, wire::HoldArrival arrival) {
  for (std::uint32_t i = 0; i < side.hints && i < wire::kHoldHints; ++i) {
    if (side.hint[i].thread == arrival.thread && side.hint[i].count == arrival.count) return true;
  }
  return false;
}

// Counts the arrival at every side that the statement is. True: it is worth a hold at one of them.
bool count_arrival(const Thread& t, const Coming& c, bool shared) {
  bool wanted = false;
  for (Sides rest = not_met(c.sides); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(__builtin_ctz(rest));
    wire::HoldSide& side = board().side[i];
    const std::uint32_t n = side.arrivals++;
    const wire::HoldArrival arrival{c.thread, t.arrivals[i]};
    if (side.held == 0) continue;
    wanted |= is_hinted(side, arrival) || (shared && side.timeouts < kMostSharedTimeouts) ||
              (side.only_hints == 0 && n >= side.next);
  }
  return wanted;
}

wire::HoldSlot* take_slot(const Thread& t, const Coming& c, std::uint64_t deadline) {
  for (wire::HoldSlot& s : board().slot) {
    // Who went away by a jump, or was killed, left its slot behind.
    if (s.state.load(std::memory_order_relaxed) != wire::kHoldFree &&
        (deadline < s.deadline + kTelling || s.state == wire::kHoldMet)) {
      continue;
    }
    s.process = c.process;
    s.thread = c.thread;
    s.sides = static_cast<std::uint16_t>(c.sides);
    s.kind = static_cast<std::uint8_t>(c.kind);
    s.space = c.space;
    s.begin = c.memory.begin;
    s.step = c.memory.step;
    s.count = c.memory.count;
    s.size = c.memory.size;
    s.deadline = deadline;
    for (Sides rest = c.sides; rest != 0; rest &= rest - 1) {
      s.arrival[__builtin_ctz(rest)] = t.arrivals[__builtin_ctz(rest)];
    }
    s.state.store(wire::kHoldWaiting, std::memory_order_release);
    return &s;
  }
  return nullptr;
}

// The calling thread, at the other side of `met`, where the slot's is.
void note_meeting(const Thread& t, const Coming& c, const wire::HoldSlot& s, std::uint32_t met) {
  wire::HoldPair& pair = board().pair[met / 2];
  pair.place[met & 1] = {{s.thread, s.arrival[met]}, s.process, s.kind, s.memory()};
  pair.place[(met & 1) ^ 1] = {
      {c.thread, t.arrivals[met ^ 1]}, c.process, static_cast<std::uint32_t>(c.kind), c.memory};
  pair.met.store(1, std::memory_order_release);
}

void count_hold(const Coming& c, bool in_vain) {
  for (Sides rest = c.sides; rest != 0; rest &= rest - 1) {
    wire::HoldSide& side = board().side[__builtin_ctz(rest)];
    ++side.holds;
    if (!in_vain) continue;
    ++side.timeouts;
    const std::uint32_t doubling =
        2 * side.timeouts < kLastDoubling ? 2 * side.timeouts : kLastDoubling;
    // Some jitter, so that runs do not all hold the same arrivals of a loop.
    const std::uint64_t mixed = (board().seed + side.timeouts) * 0x9e3779b97f4a7c15U >> 40;
    side.next =
        side.arrivals + (1U << doubling) + static_cast<std::uint32_t>(mixed % (1U << doubling));
  }
}

// --- Without it.

// `tellers`: an operation says nothing, so a thread that met one tells for both.
void tell(Thread& t, std::uint32_t side, const Strided& memory, EventKind kind, std::uint64_t pc,
          std::uint32_t tellers) {
  report_met(t, side, memory.begin, memory.size, kind, pc);
  wire::HoldPair& pair = board().pair[side / 2];
  pair.told.fetch_add(tellers, std::memory_order_acq_rel);
  wake(pair.told);
  // Letting go may end the program: not before both have told.
  const std::uint64_t until = now() + kTelling;
  for (std::uint64_t time = now(); time < until; time = now()) {
    const std::uint32_t told = pair.told.load(std::memory_order_acquire);
    if (told >= 2) return;
    sleep_while(pair.told, told, until - time);
  }
}

// The other ranks of a job, whose library may serve them only when this one calls it.
void help_others(Thread& t) {
  if (g_runtime.hold_progress == nullptr || t.in_signal_handler) return;
  let_go(t);
  g_runtime.hold_progress();
  take_over(t);
}

// Whether it met another thread.
bool wait(Thread& t, wire::HoldSlot& slot, std::uint64_t begin, bool& in_vain) {
  const std::uint64_t slice = g_runtime.hold_progress == nullptr ? kSlice : kJobSlice;
  for (;;) {
    const std::uint64_t time = now();
    const bool alone = is_alone(t);
    if (time < slot.deadline && !alone) {
      const std::uint64_t left = slot.deadline - time;
      sleep_while(slot.state, wire::kHoldWaiting, left < slice ? left : slice);
      help_others(t);
      if (slot.state.load(std::memory_order_acquire) == wire::kHoldWaiting) continue;
    }
    board().spent.fetch_add(static_cast<std::uint32_t>((time - begin) / 1000),
                            std::memory_order_relaxed);
    std::uint32_t waiting = wire::kHoldWaiting;
    in_vain = !alone;
    return !slot.state.compare_exchange_strong(waiting, wire::kHoldFree, std::memory_order_acq_rel);
  }
}

}  // namespace

void hold_strided(Thread& t, const Strided& memory, EventKind kind, std::uint64_t pc) {
  if (t.in_hold || memory.size == 0 || memory.count == 0) return;  // a handler interrupted it
  const bool by_library = pc >> 63 != 0;
  if (by_library && (t.live->hot->top == nullptr || t.live->hot->top == t.live->frames)) return;
  const std::uint64_t code = (by_library ? t.live->hot->top[-1].pc : pc) - 1;
  Coming c{};
  c.sides = hold_sides_at(t, code);
  if (c.sides == 0) [[likely]]
    return;
  t.in_hold = true;
  c.process = static_cast<std::uint32_t>(os_syscall(SYS_getpid));
  c.thread = wire::hold_thread(t.number, g_runtime.hold_rank);
  c.kind = kind;
  name_memory(t, memory, c);
  for (Sides rest = c.sides; rest != 0; rest &= rest - 1) ++t.arrivals[__builtin_ctz(rest)];
  const wire::HoldArrival arrival{c.thread, t.arrivals[__builtin_ctz(c.sides)]};
  const std::uint64_t begin = now();
  const std::uint32_t spent = board().spent.load(std::memory_order_relaxed);
  const bool may_hold = spent < board().budget && !is_alone(t);
  live::World& world = g_runtime.detector.world;
  world.enter(*t.live);
  std::uint32_t met = 0;
  wire::HoldSlot* partner = nullptr;
  wire::HoldSlot* mine = nullptr;
  if (const BoardGuard guard(c.process); guard) {
    partner = find_partner(c, begin, met);
    if (partner != nullptr) {
      partner->met = static_cast<std::uint8_t>(met);
      std::uint32_t waiting = wire::kHoldWaiting;
      if (partner->state.compare_exchange_strong(waiting, wire::kHoldMet)) {
        note_meeting(t, c, *partner, met);
      } else {
        partner = nullptr;  // its time was up, just now
      }
    }
    if (partner == nullptr) {
      const bool shared = wire::touch(board(), c, arrival);
      if (count_arrival(t, c, shared) && may_hold) {
        mine = take_slot(t, c, begin + std::uint64_t{board().patience} * 1000);
      }
    }
  }
  world.leave(*t.live);
  if (partner != nullptr) {
    wake(partner->state);
    tell(t, met ^ 1, memory, kind, pc, (partner->thread & wire::kHoldOperation) != 0 ? 2 : 1);
  } else if (mine != nullptr) {
    bool in_vain = false;
    const bool has_met = wait(t, *mine, begin, in_vain);
    world.enter(*t.live);
    if (const BoardGuard guard(c.process); guard) count_hold(c, in_vain && !has_met);
    world.leave(*t.live);
    if (has_met) {
      tell(t, mine->met, memory, kind, pc, 1);
      mine->state.store(wire::kHoldFree, std::memory_order_release);
    }
  }
  t.in_hold = false;
}

void hold_left(Thread& t) {
  if (!t.in_hold) return;
  t.in_hold = false;
  const auto process = static_cast<std::uint32_t>(os_syscall(SYS_getpid));
  for (wire::HoldSlot& s : board().slot) {
    std::uint32_t waiting = wire::kHoldWaiting;
    if (s.process != process || s.thread != wire::hold_thread(t.number, g_runtime.hold_rank)) {
      continue;
    }
    s.state.compare_exchange_strong(waiting, wire::kHoldFree, std::memory_order_acq_rel);
  }
}

void hold_fork_before() {
  if (g_runtime.holding != nullptr) board().processes.fetch_add(1, std::memory_order_relaxed);
}

void hold_begin(const char* path) {
  const std::intptr_t fd = os_syscall(SYS_openat, AT_FDCWD, word(path), O_RDWR | O_CLOEXEC);
  if (fd < 0) return say("cannot open the file of 'redflag confirm': no thread is held back");
  const std::intptr_t p =
      os_syscall(SYS_mmap, 0, sizeof(wire::HoldBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  os_syscall(SYS_close, fd);
  auto* const mapped = reinterpret_cast<wire::HoldBoard*>(p);
  if ((p < 0 && p > -4096) || mapped->magic != wire::kHoldMagic) {
    return say("the file of 'redflag confirm' is of another version: no thread is held back");
  }
  mapped->processes.fetch_add(1, std::memory_order_relaxed);
  g_runtime.holding = mapped;
  g_runtime.strong_atomics = mapped->strong != 0;
}

// --- For layers of jobs (abi/hold.h).
namespace {

void join(std::uint32_t rank, abi::HoldOwner owner, abi::HoldProgress progress) {
  g_runtime.hold_rank = rank + 1;
  g_runtime.hold_owner = owner;
  g_runtime.hold_progress = progress;
}

void pause(void* thread, bool is_paused) {
  static_cast<Thread*>(thread)->in_hold = is_paused;
}

constexpr abi::HoldTable kTable{.join = join, .pause = pause};

}  // namespace
}  // namespace redflag::rt

extern "C" [[gnu::visibility("default")]] const redflag::abi::HoldTable* __redflag_hold_table() {
  return &redflag::rt::kTable;
}
