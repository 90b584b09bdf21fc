#include "frontends/pgas/hold/board.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>
#include <thread>

#include "core/model/event.h"

namespace redflag::pgas::hold {
namespace {

constexpr std::chrono::milliseconds kSlice{1};  // between two looks at what is waited for
// An operation waits on the board as long as it is not complete; of a process that was killed, its slot is
// somebody else's after this.
constexpr std::uint64_t kLongest = 3'600'000'000'000;  // nanoseconds
constexpr std::uint64_t kGone = 5'000'000'000;         // past its deadline, whoever left a slot
constexpr std::uint32_t kLastDoubling = 20;
constexpr std::uint32_t kMostSharedTimeouts = 6;  // holds at shared memory in spite of back-off

std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void wake(std::atomic<std::uint32_t>& at) {
  ::syscall(SYS_futex, &at, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
}

std::uint32_t kind_of(const Touched& touched) {
  return static_cast<std::uint32_t>(touched.writes ? EventKind::kWrite : EventKind::kRead);
}

template <typename Do>
void for_each_side(Sides sides, Do what) {
  for (; sides != 0; sides &= sides - 1) what(static_cast<std::uint32_t>(std::countr_zero(sides)));
}

}  // namespace

// As in rt/hold.cpp: who does not get it in time marks the board broken, since its holder was killed.
class Board::Guard {
 public:
  explicit Guard(Board& board) : shared_(board.shared_) {
    const std::uint64_t since = now();
    while (shared_.broken.load(std::memory_order_relaxed) == 0) {
      std::uint32_t nobody = 0;
      has_ = shared_.lock.compare_exchange_weak(nobody, board.process_, std::memory_order_acquire);
      if (has_) return;
      ::sched_yield();
      if (now() - since > std::uint64_t{wire::kHoldLockMicroseconds} * 1000) {
        shared_.broken.store(1, std::memory_order_relaxed);
      }
    }
  }
  ~Guard() {
    if (has_) shared_.lock.store(0, std::memory_order_release);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  explicit operator bool() const { return has_; }

 private:
  wire::HoldBoard& shared_;
  bool has_ = false;
};

std::unique_ptr<Board> Board::open(const char* path) {
  const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const bool is_whole = ::lseek(fd, 0, SEEK_END) == static_cast<off_t>(sizeof(wire::HoldBoard));
  void* const mapped =
      is_whole ? ::mmap(nullptr, sizeof(wire::HoldBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
               : MAP_FAILED;
  ::close(fd);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const shared = static_cast<wire::HoldBoard*>(mapped);
  if (shared->magic != wire::kHoldMagic) return nullptr;
  shared->processes.fetch_add(1, std::memory_order_relaxed);
  return std::make_unique<Board>(*shared, static_cast<std::uint32_t>(::getpid()));
}

Sides Board::not_met(Sides sides) const {
  for (std::uint32_t p = 0; p < wire::kHoldPairs; ++p) {
    if (shared_.pair[p].met.load(std::memory_order_relaxed) != 0) sides &= ~(3U << 2 * p);
  }
  return sides;
}

// Under the lock. `met`: the side of the other.
void Board::note_meeting(const Coming& coming, const Touched& touched, const Slot& other,
                         std::uint32_t met) {
  wire::HoldPair& pair = shared_.pair[met / 2];
  pair.place[met & 1] = {
      {other.thread, other.arrival[met]}, other.process, other.kind, other.memory()};
  pair.place[(met & 1) ^ 1] = {
      {thread_, coming.arrival[met ^ 1]}, process_, kind_of(touched), touched.memory};
  pair.met.store(1, std::memory_order_release);
  // A thread that was met waits until the other side has told of itself, too.
  pair.told.fetch_add(1, std::memory_order_acq_rel);
  wake(pair.told);
}

void Board::meet(const Coming& coming, std::span<const Touched> touched) {
  const Guard guard(*this);
  if (!guard) return;
  const std::uint64_t time = now();
  for (const Touched& mine : touched) {
    for (Slot& other : shared_.slot) {
      if (other.state.load(std::memory_order_relaxed) != wire::kHoldWaiting) continue;
      const Sides both = other.sides & wire::partners(not_met(coming.sides));
      if (both == 0 || time >= other.deadline || other.space != mine.space) continue;
      if (!(mine.writes || wire::changes(static_cast<EventKind>(other.kind))) ||
          !overlap(other.memory(), mine.memory))
        continue;
      const auto met = static_cast<std::uint32_t>(std::countr_zero(both));
      other.met = static_cast<std::uint8_t>(met);
      std::uint32_t waiting = wire::kHoldWaiting;
      if (!other.state.compare_exchange_strong(waiting, wire::kHoldMet)) continue;
      note_meeting(coming, mine, other, met);
      wake(other.state);
    }
  }
}

Board::Slot* Board::post(const Coming& coming, const Touched& touched) {
  const Guard guard(*this);
  if (!guard || not_met(coming.sides) == 0) return nullptr;
  const std::uint64_t time = now();
  for (Slot& slot : shared_.slot) {
    if (slot.state.load(std::memory_order_relaxed) != wire::kHoldFree &&
        time < slot.deadline + kGone) {
      continue;
    }
    slot.process = process_;
    slot.thread = thread_;
    slot.sides = static_cast<std::uint16_t>(coming.sides);
    slot.kind = static_cast<std::uint8_t>(kind_of(touched));
    slot.space = touched.space;
    slot.begin = touched.memory.begin;
    slot.step = touched.memory.step;
    slot.count = touched.memory.count;
    slot.size = touched.memory.size;
    slot.deadline = time + kLongest;
    std::copy(coming.arrival.begin(), coming.arrival.end(), slot.arrival);
    slot.state.store(wire::kHoldWaiting, std::memory_order_release);
    return &slot;
  }
  return nullptr;
}

void Board::take_back(Slot* slot) {
  slot->state.store(wire::kHoldFree, std::memory_order_release);
}

bool Board::is_hinted(const wire::HoldSide& side, std::uint32_t count) const {
  const auto end = side.hint + std::min(side.hints, wire::kHoldHints);
  return std::any_of(side.hint, end, [&](const wire::HoldArrival& hint) {
    return hint.thread == thread_ && hint.count == count;
  });
}

wire::HoldComing Board::named(const Coming& coming, const Touched& touched) const {
  return {process_,      thread_,
          coming.sides,  touched.writes ? EventKind::kWrite : EventKind::kRead,
          touched.space, touched.memory};
}

Board::Worth Board::arrive(const Coming& coming, std::span<const Touched> touched) {
  const Guard guard(*this);
  Worth worth;
  if (!guard || coming.sides == 0) return worth;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(coming.sides));
  bool shared = false;
  for (const Touched& each : touched) {
    shared |= wire::touch(shared_, named(coming, each), {thread_, coming.arrival[first]});
  }
  for_each_side(not_met(coming.sides), [&](std::uint32_t i) {
    wire::HoldSide& side = shared_.side[i];
    const std::uint32_t n = side.arrivals++;
    const bool is_wanted =
        is_hinted(side, coming.arrival[i]) || (shared && side.timeouts < kMostSharedTimeouts);
    worth.posted |= is_wanted || side.only_hints == 0;
    worth.held |= side.held != 0 && (is_wanted || (side.only_hints == 0 && n >= side.next));
  });
  return worth;
}

void Board::count_hold(Sides sides, bool in_vain) {
  const Guard guard(*this);
  if (!guard) return;
  for_each_side(sides, [&](std::uint32_t i) {
    wire::HoldSide& side = shared_.side[i];
    ++side.holds;
    if (!in_vain) return;
    const std::uint32_t doubling = std::min(2 * ++side.timeouts, kLastDoubling);
    const std::uint64_t mixed = (shared_.seed + side.timeouts) * 0x9e3779b97f4a7c15U >> 40;
    side.next =
        side.arrivals + (1U << doubling) + static_cast<std::uint32_t>(mixed % (1U << doubling));
  });
}

void Board::wait(std::span<Slot* const> slots, Sides sides) {
  const std::uint64_t begin = now();
  const std::uint64_t deadline = begin + std::uint64_t{shared_.patience} * 1000;
  const auto is_open = [this](const Slot* slot) {
    return slot->state.load(std::memory_order_acquire) == wire::kHoldWaiting &&
           not_met(slot->sides) != 0;
  };
  bool open = std::any_of(slots.begin(), slots.end(), is_open);
  if (!open || shared_.spent.load(std::memory_order_relaxed) >= shared_.budget) return;
  while (open && now() < deadline && shared_.broken.load(std::memory_order_relaxed) == 0) {
    std::this_thread::sleep_for(kSlice);
    if (progress_) progress_();
    open = std::any_of(slots.begin(), slots.end(), is_open);
  }
  shared_.spent.fetch_add(static_cast<std::uint32_t>((now() - begin) / 1000),
                          std::memory_order_relaxed);
  count_hold(sides, open);
}

void Board::let_others_lock() {
  // Two runs after each other: the one half, then the other.
  const std::uint64_t mixed = (shared_.seed / 2 + 1) * 0x9e3779b97f4a7c15U;
  const bool is_one = (mixed >> (32 + wire::hold_rank(thread_) % 32) & 1) != 0;
  if (shared_.locks == 0 || is_one == (shared_.seed % 2 == 0)) return;
  const std::uint64_t begin = now();
  const std::uint64_t deadline = begin + std::uint64_t{shared_.patience} * 1000;
  if (shared_.spent.load(std::memory_order_relaxed) >= shared_.budget) return;
  while (now() < deadline && shared_.broken.load(std::memory_order_relaxed) == 0) {
    std::this_thread::sleep_for(kSlice);
    if (progress_) progress_();
  }
  shared_.spent.fetch_add(static_cast<std::uint32_t>((now() - begin) / 1000),
                          std::memory_order_relaxed);
}

wire::HoldDefer Board::defer(Sides sides) const {
  std::uint32_t most = wire::kHoldAtOnce;
  for_each_side(sides, [&](std::uint32_t i) { most = std::max(most, shared_.side[i].defer); });
  return static_cast<wire::HoldDefer>(std::min<std::uint32_t>(most, wire::kHoldReversed));
}

}  // namespace redflag::pgas::hold
