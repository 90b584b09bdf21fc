// Detector: SlimFast for threads that run now (dissertation, chapter 3).
//
// The rules are those of core/detect/slimfast, and so is what is found: on every byte that has a
// race the first pair is found, nothing that is not a race is reported, and no location is ever
// forgotten because many threads touched it. What differs is that threads work at once:
//
//   - A cell goes from one immutable history to another, by compare-and-swap, or by a plain store
//     where its block has an owner (ownership.cpp). Who loses looks again. Only records,
//     and what a granule owns, change in place (record.h, halves.cpp, bytes.cpp, readers.cpp).
//   - A thread checks by no clock but its own. What others publish is in SyncClocks, under the lock of
//     the record they belong to (record.h, atomic.cpp, sync.cpp). What all know is forgotten (floor.cpp).
//   - Within an epoch a thread remembers which change it made to which history (Memo): the next
//     location with the same history needs no rule, only the change.
//   - Histories that no cell holds any more are found by a sweep, with the world stopped
//     (sweep.cpp).
//
// Levels of cost: the access goes on with a run, to be checked with it (runs.cpp, walk.cpp); its cell
// is one of the thread's own handles (both in the frontend's fast path); it goes into a list; it is
// checked at once (at_once.cpp); a memo; the rules (rules.cpp).
// One object, all zero to begin with: usable before any constructor has run.
#pragma once

#include "core/live/histories.h"
#include "core/live/listener.h"
#include "core/live/record.h"
#include "core/live/thread.h"
#include "core/live/world.h"

namespace redflag::live {

// A race as it is found: what is known of the earlier access, and the present one.
struct LiveRace {
  std::uint64_t addr = 0;  // the bytes both touched
  std::uint64_t size = 0;
  Epoch earlier;
  bool earlier_wrote = false;
  bool earlier_atomic = false;
  std::uint64_t access_addr = 0;  // the present access
  std::uint64_t access_size = 0;
  LogKind kind = LogKind::kRead;
  std::uint8_t flags = 0;
  std::uint32_t context = 0;
};

// The present access, while it is checked.
struct Access {
  std::uint64_t addr;
  std::uint64_t size;
  std::uint64_t pc;
  LogKind kind;
  std::uint8_t flags = 0;
  std::uint32_t context = 0;  // 0: not numbered yet; kInLog: several, each in the log
  std::uint64_t inner = 0;    // the function that pc calls for it; 0: none
  bool whole = false;         // addr and size are those of the whole, whatever piece is checked
  bool alone = false;         // no walk: nothing else is accessed alike
  bool leaves_mark = true;    // in cells; else it is only told of (listener.h)
  LiveRace race{};            // size 0: none pending
};

inline constexpr std::uint32_t kInLog = ~0U;

enum class LockTrait : std::uint32_t { kReentrant = 1, kReadWrite = 2, kStatic = 4 };

// What is kept of a lock or a barrier besides its clock.
struct Object {
  enum class Kind : std::uint32_t { kLock, kBarrier };
  Kind kind = Kind::kLock;
  std::uint32_t traits = 0;
  std::uint64_t id = 0;
  std::uint64_t addr = 0;
  std::uint32_t created = 0;  // context
  std::uint32_t owner = 0;    // number + 1 of the thread that holds it exclusively
  std::uint32_t depth = 0;
  std::uint32_t entered = 0;  // of barriers, in this round
  std::uint32_t round = 0;
  SyncClock readers;    // of locks: released by shared owners since the last exclusive one
  SyncClock rounds[2];  // of barriers
};

struct LockInfo {
  std::uint64_t id = 0;
  std::uint64_t addr = 0;
  std::uint32_t created = 0;
  std::uint32_t traits = 0;
  bool destroyed = false;
};

// Records of an atomic operation, locked: at most one per byte.
struct LockedRecords {
  Record* record[16];
  std::uint64_t granule[16];
  std::uint32_t count = 0;
};

enum class AtomicOp : std::uint8_t { kLoad, kStore, kModify };
enum class MemoryOrder : std::uint8_t {
  kRelaxed,
  kAcquire,
  kRelease,
  kAcqRel
};  // seq_cst: kAcqRel

class Detector {
 public:
  // `on_race` is called on the racing thread, inside the detector.
  void init(void (*on_race)(Thread& t, const LiveRace& race), std::uint32_t log_capacity);
  void destroy();  // tests: gives all memory back

  // --- Threads. `parent` nullptr: the first thread, or one that nobody started.
  Thread* create(Thread* parent, std::uint32_t number);
  void end(Thread& t);                // its last step; the slot may pass on
  void joined(Thread& t, Thread& u);  // u has ended: t knows all it did
  void free(Thread& u);               // ended and joined or detached

  // --- Accesses, of at most 16 bytes for access().
  void access(Thread& t, std::uint64_t addr, unsigned size, bool write, std::uint64_t pc,
              std::uint8_t flags = 0);
  // An access that the fast path does not know, to be checked with others of its instruction.
  // `i` is the open run it may go on with; `inner`, if not 0, the function that `pc` calls for it.
  void wait_or_check(Thread& t, std::uint32_t i, std::uint64_t addr, unsigned size, bool is_write,
                     std::uint64_t pc, std::uint64_t inner = 0);
  // An access that is not to wait (at_once.cpp).
  template <bool is_write>
  void check_at_once(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                     std::uint64_t inner = 0);
  // The cell of the granule at g, to be looked at and changed, inside: may that be by plain stores? May
  // step out for a while, in which the cell may have got another place.
  [[gnu::always_inline]] Cell& hold(Thread& t, std::uint64_t g, bool& mine) {
    for (;;) {
      const std::uint64_t home = shadow.home(g);
      Cell& cell = shadow.get(home);
      Owner& owner = shadow.owner(home);
      const std::uint32_t now = owner.load(std::memory_order_acquire);
      mine = (now & kOwnerMask) == t.number + 1 && now < kMovingBlock;
      if (mine || now == kSharedBlock) [[likely]]
        return cell;
      mine = take_over(t, owner, home, 1);
      if (shadow.home(g) == home) return cell;
    }
  }
  // What a thread needs not look at: its own handles, and some histories of several readers.
  struct Known {
    std::uint32_t base;
    std::uint32_t room;           // 1: for a write
    const std::uint32_t* shared;  // nullptr: for a write
    bool has(std::uint32_t h) const {
      return h - base < room || (shared != nullptr && h != 0 && shared[Hot::place_of(h)] == h);
    }
  };
  // Does it need no look at bytes [low, high) of the granule that has this cell (nullptr: none yet)?
  // A sweep, or the owner of the block, may give halves or a split to another granule meanwhile; then
  // the cell does not lead to them any more. So it may be asked outside, too.
  [[gnu::always_inline]] bool knows_bytes(const Known& known, const Cell* cell, unsigned low,
                                          unsigned high) {
    if (cell == nullptr) return false;
    const std::uint32_t h = cell->load(std::memory_order_acquire);
    if (known.has(h)) return true;
    if (form(h) != Form::kSplit) return false;
    if (is_halves(h)) {
      const std::uint64_t word = halves[halves_index(h)].word.load(std::memory_order_acquire);
      if (low < 4 && !known.has(Halves::half(word, 0))) return false;
      if (high > 4 && !known.has(Halves::half(word, 1))) return false;
    } else {
      const auto* bytes = splits[split_index(h)].bytes;
      for (unsigned k = low; k < high; ++k) {
        if (!known.has(bytes[k].load(std::memory_order_relaxed))) return false;
      }
      std::atomic_thread_fence(std::memory_order_acquire);
    }
    return cell->load(std::memory_order_relaxed) == h;
  }
  // The granule's cell leads to halves that are equal, and known to t.
  [[gnu::noinline]] void join_halves(Thread& t, std::uint64_t addr);
  // The cell, if it is still `from`, becomes `to`.
  [[gnu::always_inline]] static bool change(Cell& cell, std::uint32_t from, std::uint32_t to,
                                            bool mine) {
    if (!mine) return cell.compare_exchange_strong(from, to, std::memory_order_acq_rel);
    cell.store(to, std::memory_order_release);  // nobody else does
    return true;
  }
  // Notes an access in the thread's log, not to be checked later; its context's number.
  std::uint32_t log(Thread& t, std::uint64_t addr, std::uint16_t size, LogKind kind,
                    std::uint8_t flags, std::uint64_t pc, std::uint64_t inner = 0);
  // What is before everything that another thread will do need not be found again.
  bool keeps_log() const { return !listener.is_all; }
  // Checks the runs that wait; the thread is not inside.
  void flush_pending(Thread& t) {
    if (t.waiting_count != 0) flush_all(t);
  }
  [[gnu::noinline]] void flush_all(Thread& t);
  // Only those that touch these bytes.
  void flush_touching(Thread& t, std::uint64_t addr, std::uint64_t size);
  bool is_heard(const Tile& tile, std::uint64_t low, std::uint64_t step) const;
  void check_waiting(Thread& t, std::uint32_t i);
  // An access of at most Brief::kMostBytes; parts of granules wait (parts.h).
  template <bool is_write>
  void check_small(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc);
  void range(Thread& t, std::uint64_t addr, std::uint64_t size, LogKind kind, std::uint64_t pc);
  // `size` bytes at addr, addr + step, ..., `count` times (ranges.cpp).
  void strided(Thread& t, std::uint64_t addr, std::int64_t step, std::uint64_t count, unsigned size,
               bool is_write, std::uint64_t pc);
  void forget(std::uint64_t addr, std::uint64_t size);
  // The program mapped these pages of something that others may map too; until it unmaps them. `t`
  // (nullptr: no known thread) is not inside.
  void mapped(Thread* t, std::uint64_t addr, std::uint64_t size, const Backing& of,
              std::uint64_t offset);
  void unmapped(Thread* t, std::uint64_t addr, std::uint64_t size);
  // All of it was just written by t, and nothing is known of it before.
  void made(Thread& t, std::uint64_t addr, std::uint64_t size, std::uint64_t pc);
  // Nothing is known of it, and nobody is said to have written it.
  void renew(Thread& t, std::uint64_t addr, std::uint64_t size);
  // --- In a process that never had another thread: nothing is owned or shared (alone.cpp).
  // Inside: as forget().
  void forget_alone(std::uint64_t addr, std::uint64_t size);
  // An access that the fast path does not know: true, if nobody needs to know of it; then the fast path knows
  // it the next time, and what is around it.
  [[gnu::always_inline]] bool is_left_out(Thread& t, std::uint64_t addr, std::uint64_t size) {
    if (listener.needs(addr, addr + size)) [[likely]]
      return false;
    leave_out(t, addr);
    return true;
  }

  // --- Atomics. The caller performs the operation between the two.
  // Loads and stores that are not checked as accesses (sampling), of bytes in one granule. Without a
  // lock; false: they must go the long way. (loads.h)
  // Performs `load`, unless false. True: what it saw carries nothing that t does not know.
  template <typename Load>
  bool load_teaches_nothing(Thread& t, std::uint64_t addr, unsigned size, Load load);
  // Has nothing ever been published there? Then a relaxed store does not hide it either.
  bool has_no_record(Thread& t, std::uint64_t addr, unsigned size);
  // When accesses that wait are checked first: before the thread's clock changes, in any case.
  enum class Flush : std::uint8_t { kNever, kIfLearning, kAlways };
  void atomic_begin(Thread& t, std::uint64_t addr, unsigned size, LockedRecords& records,
                    Flush flush = Flush::kAlways);
  void atomic_end(Thread& t, std::uint64_t addr, unsigned size, AtomicOp op, MemoryOrder order,
                  std::uint64_t pc, std::uint8_t flags, LockedRecords& records);
  void fence(Thread& t, MemoryOrder order);

  // --- Synchronisation through the object at an address.
  Object& object(Record& r, std::uint64_t addr, Object::Kind kind, std::uint32_t context);
  void acquire(Thread& t, std::uint64_t addr);
  void release(Thread& t, std::uint64_t addr, bool store);
  void lock_created(Thread& t, std::uint64_t addr, std::uint32_t traits, std::uint64_t pc);
  std::uint32_t lock_traits(Thread& t, std::uint64_t addr);  // 0: no lock is known there
  // False: somebody holds it.
  bool lock_destroyed(Thread& t, std::uint64_t addr);
  enum class LockFault : std::uint8_t { kFine, kDouble, kNotHeld, kWrongMode };
  LockFault lock_acquired(Thread& t, std::uint64_t addr, bool shared, std::uint32_t depth,
                          std::uint64_t pc);
  LockFault lock_released(Thread& t, std::uint64_t addr, bool shared, bool fully,
                          std::uint32_t* depth);
  // Its owner ended without giving it up: nobody holds it now. The owner's number + 1, 0: none.
  std::uint32_t lock_abandoned(Thread& t, std::uint64_t addr);
  bool holds_shared(const Thread& t, std::uint64_t addr) const;
  std::uint32_t barrier_enter(Thread& t, std::uint64_t addr);
  void barrier_exit(Thread& t, std::uint64_t addr, std::uint32_t round);
  LockInfo* lock_info(std::uint64_t id);

  // Where an access is made, as a number.
  std::uint32_t context(Thread& t, std::uint64_t pc) { return child_of(t, node_of(t), pc); }
  // The present call's number.
  std::uint32_t node_of(Thread& t) {
    Frame* const top = t.hot->top;
    if (top > t.frames + 1 && top[-1].node == 0 && top[-2].node != 0) {
      return top[-1].node = child_of(t, top[-2].node, top[-1].pc);
    }
    return contexts.number(arena, t.frames, top);
  }
  std::uint32_t child_of(Thread& t, std::uint32_t node, std::uint64_t pc) {
    Place& p = t.places[(pc ^ pc >> 6 ^ node) % kPlaces];
    if (p.pc == pc && p.node == node) [[likely]]
      return p.context;
    p = {pc, node, contexts.child(arena, node, pc)};
    return p.context;
  }
  std::uint32_t lockset(Thread& t);

  void advance(Thread& t);  // a new epoch
  static void forget_shared(Thread& t) {
    if (!t.shared_known) return;
    __builtin_memset(t.hot->shared, 0, sizeof(t.hot->shared));
    t.shared_known = false;
  }

  // --- What all threads know (floor.cpp).
  [[gnu::always_inline]] bool is_past(Epoch e) const {
    return e.clock() <= floor[static_cast<std::uint32_t>(e.slot())].load(std::memory_order_relaxed);
  }
  void know_floor();
  void refresh_floor();  // now, while threads go on

  bool sweep_due() const { return allocated.load(std::memory_order_relaxed) >= sweep_at; }
  void sweep_if_due(Thread& t);
  void sweep(Thread* t);

  std::size_t history_bytes();

  // Shared by all threads; each is its own story.
  Arena arena;
  World world;
  Slots slots;
  Pairs pairs;
  IndexedPool<SharedHistory, 12, 28> shared;
  IndexedPool<Split, 13, 28> splits;
  IndexedPool<Halves, 14, 28> halves;
  IndexedPool<Record, 12, 28> records;
  Contexts contexts;
  Contexts locksets;
  void (*on_race)(Thread& t, const LiveRace& race) = nullptr;
  // Told inside of bytes about to be checked, by the program's addresses.
  Listener listener;
  void tell(Thread& t, const Access& a, std::uint64_t begin, std::uint64_t end) {
    if (listener.hears(begin, end)) [[unlikely]]
      listener.tell(t, a, begin, end);
  }
  void tell(Thread& t, const Access& a, const Strided& all) {
    if (!listener.hears(all.begin, all.last())) [[likely]]
      return;
    if (listener.tell_strided != nullptr) return listener.tell_strided(t, a, all);
    for (std::uint64_t k = 0; k < all.count; ++k) {
      tell(t, a, all.begin + k * all.step, all.end + k * all.step);
    }
  }
  std::uint32_t log_capacity = 0;
  std::atomic<std::uint64_t> sweeps{0};
  std::atomic<std::uint32_t> sweeping{0};  // a thread is about to, because it is due
  std::atomic<std::uint64_t> next_lock{0};
  std::atomic<std::uint64_t> allocated{0};  // bytes of histories since the last sweep
  std::size_t sweep_at = 0;
  std::atomic<bool> interruptible{
      false};  // signal handlers: a thread that waits may yet do something
  std::atomic<std::uint64_t>* floor = nullptr;  // by slot
  SpinLock floor_lock;
  bool forgetting = false;  // sweeps find much that is past
  static constexpr std::uint32_t kLockInfos = 1U << 14;
  LockInfo* lock_infos = nullptr;
  // Equal histories made by different threads or at different times are found here again, mostly:
  // direct-mapped, an entry is overwritten by the next. Cleared by the sweep.
  static constexpr std::uint32_t kKnown = 1U << 14;
  std::atomic<std::uint32_t> known_shared[kKnown] = {};
  std::atomic<std::uint32_t> known_splits[kKnown] = {};
  Shadow shadow;  // last: it is large

 private:
  friend struct Sweeper;
  static constexpr std::uint64_t kLarge = 1U << 17;  // bytes from which shadow pages are given back
  struct Step {                                      // what a transition found
    std::uint32_t to = 0;
    Epoch earlier;  // not Epoch{}: a race with it
    bool earlier_wrote = false;
    bool earlier_atomic = false;
  };
  [[gnu::noinline]] void leave_out(Thread& t, std::uint64_t addr);
  std::uint64_t will_know(const Thread& t, std::uint32_t i, unsigned depth);
  void touch(std::uint64_t home, std::uint64_t last);
  // The block at `home`; those of the next `length` bytes are about to be needed as well.
  [[gnu::noinline]] bool take_over(Thread& t, Owner& owner, std::uint64_t home,
                                   std::uint64_t length);
  void ensure_base(Thread& t) {
    if (t.base == kNoBase) [[unlikely]]
      take_handles(t);
  }
  [[gnu::noinline]] void take_handles(Thread& t);
  static void publish(Thread& t);
  bool became_past(Thread& t, Epoch w);
  // ReadExclReuse (section 3.3.4): S_t by write epoch alone.
  [[gnu::always_inline]] std::uint32_t read_after(Thread& t, Epoch w) {
    if (is_past(w)) w = Epoch{};
    const ReadEntry& known = t.reads[ReadEntry::place_of(w)];
    if (known.write == w.bits() && known.key == t.key) [[likely]]
      return known.handle;
    return new_read_after(t, w);
  }
  [[gnu::noinline]] std::uint32_t new_read_after(Thread& t, Epoch w);
  // An access that is checked at once.
  struct AtOnce {
    std::uint64_t addr;
    std::uint64_t pc;
    std::uint32_t size;
    std::uint32_t node;  // the call it is made in
    bool noted;          // in the log
  };
  template <bool is_write>
  std::uint32_t simply(Thread& t, std::uint32_t b);
  template <bool is_write>
  void note_at_once(Thread& t, AtOnce& a);
  template <bool is_write>
  std::uint32_t history_at_once(Thread& t, AtOnce& a, std::uint32_t b);
  bool has_read(const Thread& t, std::uint64_t addr, unsigned size);
  template <bool is_write, bool single>
  bool granule_at_once(Thread& t, AtOnce& a, std::uint64_t at, unsigned size);
  template <bool is_write>
  bool part_at_once(Thread& t, std::uint64_t at, unsigned size);
  template <bool is_write>
  void check_bytes(Thread& t, std::uint64_t g, unsigned bytes);
  [[gnu::noinline]] void check_part(Thread& t, unsigned i);
  void check_parts(Thread& t);
  void check_parts_touching(Thread& t, std::uint64_t addr, std::uint64_t size);
  template <bool is_write>
  void add_part(Thread& t, std::uint64_t at, unsigned size);
  template <bool is_write>
  static bool has_part(const Thread& t, std::uint64_t at, unsigned size);
  template <bool is_write>
  [[gnu::noinline]] void check_in_parts(Thread& t, std::uint64_t addr, unsigned size,
                                        std::uint64_t pc, std::uint64_t inner = 0);
  [[gnu::noinline]] void rest_by_rules(Thread& t, const AtOnce& one, LogKind kind,
                                       std::uint64_t inner, std::uint64_t at);
  // `may_own`: what it becomes is for one granule or half alone.
  Step read(Thread& t, std::uint32_t h, bool may_own);
  Step write(Thread& t, std::uint32_t h);
  Step read_shared(Thread& t, std::uint32_t h, bool may_own);
  std::uint32_t new_shared(Thread& t, Epoch w, const Epoch* reads, std::uint32_t n, bool may_own);
  void settle(std::uint32_t h);
  bool read_own(Thread& t, std::uint32_t h);
  // kAny: also one of the granule's own, where that seems better.
  enum class SplitForm : std::uint8_t { kAny, kBytes, kShared };
  std::uint32_t new_split(const std::uint32_t* bytes, Thread* t = nullptr,
                          SplitForm form = SplitForm::kAny);
  void settle_bytes(Thread& t, Cell& cell, std::uint32_t h);
  bool bytes_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                     unsigned low, unsigned high, bool mine);
  std::uint32_t new_halves(std::uint32_t low, std::uint32_t high, Thread& t);
  bool change_halves(std::uint32_t h, std::uint64_t from, std::uint64_t to, bool mine);
  // The granule's halves become a split of bytes, unless somebody was faster.
  void to_bytes(Thread& t, Cell& cell, std::uint32_t h);
  bool halves_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                      unsigned low, unsigned high, bool mine);
  bool split_granule(Thread& t, Access& a, std::uint64_t g, Cell& cell, std::uint32_t h,
                     unsigned low, unsigned high, bool mine);
  void granule(Thread& t, Access& a, std::uint64_t granule, unsigned low, unsigned high);
  static bool is_one_of_many(std::uint64_t g, const Cell& cell, std::uint32_t h);
  bool plain_on_record(Thread& t, Access& a, std::uint64_t granule, Cell& cell, std::uint32_t h,
                       unsigned low, unsigned high);
  // The handle that these bytes of one granule have in common; a split's where there is none.
  std::uint32_t common_handle(std::uint64_t addr, unsigned size) {
    const Cell* cell = shadow.find(addr);
    const std::uint32_t h = cell == nullptr ? 0 : cell->load(std::memory_order_acquire);
    if (form(h) != Form::kSplit) return h;
    const auto low = static_cast<unsigned>(addr % kGranule);
    const std::uint32_t first = handle_at(h, low);
    for (unsigned k = low + 1; k < low + size; ++k) {
      if (handle_at(h, k) != first) return h;
    }
    return first;
  }
  static bool is_plain(std::uint32_t h) {
    return form(h) != Form::kMixed && form(h) != Form::kSplit;
  }
  std::uint32_t handle_at(std::uint32_t cell, unsigned byte) {
    if (form(cell) != Form::kSplit) return cell;
    if (!is_halves(cell)) {
      return splits[split_index(cell)].bytes[byte].load(std::memory_order_acquire);
    }
    return Halves::half(halves[halves_index(cell)].word.load(std::memory_order_acquire), byte / 4);
  }
  bool knows_bytes(const Known& known, std::uint64_t g, unsigned low, unsigned high) {
    return knows_bytes(known, shadow.find(shadow.home(g)), low, high);
  }
  std::uint32_t with_bytes(std::uint32_t cell, unsigned low, unsigned high, std::uint32_t h,
                           Thread* t = nullptr);
  bool cut(Thread& t, Cell& cell, std::uint32_t record, unsigned at);
  std::uint32_t new_record(std::uint32_t history, unsigned low, unsigned high);
  void drop_record(std::uint32_t i);
  bool lock_known(std::uint64_t addr, unsigned size, LockedRecords& out);
  void flush_before(Thread& t, std::uint64_t addr, std::uint64_t size);
  void lock_granule(Thread& t, std::uint64_t g, unsigned low, unsigned high, LockedRecords& out);
  void drop_records(std::uint32_t h);
  void check_record(Thread& t, Record& r, bool write, bool atomic, Step& step);
  // Single accesses that waited, merged.
  struct Span {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t context;
    bool read;
    bool before(const Span& o) const { return read != o.read ? o.read : begin < o.begin; }
  };
  const Run& take_waiting(Thread& t, std::uint32_t i);
  void check_spans(Thread& t, const Span* spans, std::uint32_t n);
  void check_list(Thread& t, std::uint32_t i, const Run& run);
  // Does t need no look at a granule in this state?
  [[gnu::always_inline]] static bool is_known(const Thread& t, std::uint32_t h, bool is_write) {
    return is_write ? h == t.base
                    : h - t.base < t.room || (h != 0 && t.hot->shared[Hot::place_of(h)] == h);
  }
  static Known known_to(const Thread& t, bool is_write) {
    return {t.base, is_write ? 1 : t.room, is_write ? nullptr : t.hot->shared};
  }
  // t has read what has this history now.
  [[gnu::always_inline]] static void know_shared(Thread& t, std::uint32_t h) {
    if (form(h) != Form::kShared || t.everything_slow) return;
    t.hot->shared[Hot::place_of(h)] = h;
    t.shared_known = true;
  }
  // What a walk over cells needs not look up: own handles, and the two changes it made last, "from"
  // becomes "to"; to begin with, none.
  struct Changes {
    Changes(const Thread& t, bool is_write)
        : base(t.base), room(is_write ? 1 : t.room), from{base, base}, to{base, base} {}
    std::uint32_t base;
    std::uint32_t room;
    std::uint32_t from[2];
    std::uint32_t to[2];
  };
  // The same, and for which block `mine` holds. What the rules do in between may end it (lost).
  struct Walk {
    Walk(const Thread& t, bool is_write) : c(t, is_write) {}
    Changes c;
    std::uint64_t block = ~std::uint64_t{0};
    bool mine = false;
    std::uint64_t reach = 0;  // every block up to this address is about to be walked
    void lost() { block = ~std::uint64_t{0}; }
  };
  void forget_cells(std::uint64_t home, std::uint64_t size);
  void move_cells(std::uint64_t from, std::uint64_t size, std::uint64_t to);
  void forget_home(std::uint64_t home, std::uint64_t size);
  Cell* enter_block(Thread& t, const Access& a, Walk& w, std::uint64_t addr, std::uint64_t& end);
  bool again(Thread& t, Access& a, Cell& cell, bool mine, std::uint32_t shape, Changes& c);
  static Cell* alike(Cell* cell, Cell* end, bool mine, const Changes& c);
  void part(Thread& t, Access& a, std::uint64_t granule, unsigned low, unsigned high);
  void stretch(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end) {
    Walk w(t, wrote(a.kind));
    stretch(t, a, w, begin, end);
  }
  void stretch(Thread& t, Access& a, Walk& w, std::uint64_t begin, std::uint64_t end);
  void touched_only(Thread& t, Access& a, std::uint64_t addr, std::uint64_t end);
  void column(Thread& t, Access& a, Walk& w, std::uint64_t low, std::uint64_t high,
              std::uint64_t step, std::uint32_t count);
  void note(Thread& t, Access& a, std::uint64_t addr, std::uint64_t size, const Step& step);
  void flush(Thread& t, Access& a);
  void remember(Thread& t, Access& a);
  void unlock_all(LockedRecords& records);
  void history_taken(std::size_t bytes) { allocated.fetch_add(bytes, std::memory_order_relaxed); }
};

}  // namespace redflag::live
