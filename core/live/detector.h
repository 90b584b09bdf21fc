// Detector: FastTrack for threads that run now, with its state in shadow cells.
//
// On every byte that has a race the first pair is found, and nothing that is not a race is reported.
// No location is forgotten because many threads touched it. The parts, each with its own story:
//
//   entry.h, granule.h    what a cell remembers, and the rules for any access
//   usual.h, cells.h      the hot path, and the only code that changes a cell
//   columns.h             reads of what several threads read
//   linear.h              where cells are
//   record.h, atomic.cpp  atomics; sync.cpp: locks, barriers, anything known by an address
//   clock.h, epochs.h     what threads know, and 23-bit names for epochs
//   sweep.cpp             epochs and records that nothing names any more
//   world.h               how to make everybody wait: sweeps, forks, mappings
//
// A thread checks by no clock but its own. What others publish is in SyncClocks, under the lock of the
// record they belong to. An access is checked when it happens; what is settled without a call is in
// usual.h, is_done().
//
// One object, all zero to begin with: usable before any constructor has run.
#pragma once

#include "core/live/aliases.h"
#include "core/live/cells.h"
#include "core/live/linear.h"
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
  std::uint32_t context = 0;  // 0: not numbered yet
  std::uint64_t inner = 0;    // the function that pc calls for it; 0: none
  bool leaves_mark = true;    // in cells; else it is only heard (listener.h)
  LiveRace race{};            // size 0: none pending
};

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

  // --- Accesses; `inner`, if not 0: the function that `pc` calls for it. Of up to Brief::kMostBytes:
  void access(Thread& t, std::uint64_t addr, unsigned size, bool is_write, std::uint64_t pc,
              std::uint8_t flags = 0, std::uint64_t inner = 0) {
    is_write ? check_few<true>(t, addr, size, pc, flags, inner)
             : check_few<false>(t, addr, size, pc, flags, inner);
  }
  template <bool is_write>
  void check_few(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc,
                 std::uint8_t flags = 0, std::uint64_t inner = 0);
  // The same of up to 8 bytes, if it is one usual step in one granule; false: it is for access().
  template <bool is_write>
  bool check_usual(Thread& t, std::uint64_t addr, unsigned size, std::uint64_t pc);
  // Of any size.
  void range(Thread& t, std::uint64_t addr, std::uint64_t size, LogKind kind, std::uint64_t pc,
             std::uint64_t inner = 0);
  // `size` bytes at addr, addr + step, ..., `count` times.
  void strided(Thread& t, std::uint64_t addr, std::int64_t step, std::uint64_t count, unsigned size,
               bool is_write, std::uint64_t pc);

  // --- Memory with a new life (renewal.cpp).
  void forget(std::uint64_t addr, std::uint64_t size);  // inside, or by no known thread
  // All of it was just written by t, and nothing is known of it before.
  void made(Thread& t, std::uint64_t addr, std::uint64_t size, std::uint64_t pc);
  // Nothing is known of it, and nobody is said to have written it.
  void renew(Thread& t, std::uint64_t addr, std::uint64_t size);
  // The program mapped these pages of something that others may map too; until it unmaps them. `t`
  // (nullptr: no known thread) is not inside.
  void mapped(Thread* t, std::uint64_t addr, std::uint64_t size, const Backing& of,
              std::uint64_t offset);
  void unmapped(Thread* t, std::uint64_t addr, std::uint64_t size);
  // Where the cells of the granule at g are, as an address: itself, but for aliases.
  [[gnu::always_inline]] std::uint64_t home(std::uint64_t g) const {
    if (!aliases.any()) [[likely]]
      return g;
    std::uint64_t room = 1;
    return aliases.home(g, room);
  }

  // --- In a process that never had another thread: nothing is shared (alone.cpp).
  // Inside: as forget().
  void forget_alone(std::uint64_t addr, std::uint64_t size);
  // An access that the fast path does not know: true, if nobody needs to know of it; then the fast
  // path knows it the next time, and what is around it.
  [[gnu::always_inline]] bool is_left_out(Thread& t, std::uint64_t addr, std::uint64_t size) {
    if (listener.needs(addr, addr + size)) [[likely]]
      return false;
    leave_out(t, addr);
    return true;
  }

  // --- Atomics. The caller performs the operation between the two.
  void atomic_begin(Thread& t, std::uint64_t addr, unsigned size, LockedRecords& records);
  void atomic_end(Thread& t, std::uint64_t addr, unsigned size, AtomicOp op, MemoryOrder order,
                  std::uint64_t pc, std::uint8_t flags, LockedRecords& records);
  void fence(Thread& t, MemoryOrder order);
  // Loads and stores that are not checked as accesses (sampling), of bytes in one granule. Without a
  // lock; false: they must go the long way. (loads.h)
  // Performs `load`, unless false. True: what it saw carries nothing that t does not know.
  template <typename Load>
  bool load_teaches_nothing(Thread& t, std::uint64_t addr, unsigned size, Load load);
  // Has nothing ever been published there? Then a relaxed store does not hide it either.
  bool has_no_record(Thread& t, std::uint64_t addr, unsigned size);

  // --- Synchronisation through the object at an address.
  Object& object(Record& r, std::uint64_t addr, Object::Kind kind, std::uint32_t context);
  // Inside: the record of the byte, locked; made if there is none.
  Record& lock_byte(Thread& t, std::uint64_t addr);
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

  // What t did so far is published: what it does from now on is in a new epoch. Inside.
  void advance(Thread& t);
  // t's clock has grown: its view of it.
  static void see(Thread& t) {
    t.view.clocks = t.clock.clocks;
    t.view.slots = t.clock.size;
  }

  // --- Sweeps (sweep.cpp).
  bool sweep_due() const { return wants_sweep.load(std::memory_order_relaxed); }
  void sweep_if_due(Thread& t);
  void sweep(Thread* t);

  std::size_t history_bytes();
  std::size_t shadow_bytes();

  // Shared by all threads; each is its own story.
  Arena arena;
  World world;
  Slots slots;
  Contexts contexts;
  Contexts locksets;
  Cells<LinearMemory> cells;
  Aliases aliases;
  IndexedPool<Record, 12, 28> records;
  SpinLock making_lock;        // who makes a record for bytes that have none
  SpinLock lists_lock;         // of all granules' lists of records
  Column** columns = nullptr;  // by slot; nullptr: never used
  std::atomic<std::uint32_t> column_count{0};
  void (*on_race)(Thread& t, const LiveRace& race) = nullptr;
  // Hears inside of bytes about to be checked, by the program's addresses.
  Listener listener;
  void tell(Thread& t, const Access& a, std::uint64_t begin, std::uint64_t end) {
    if (listener.hears(begin, end)) [[unlikely]]
      listener.tell(t, a, begin, end);
  }
  void tell(Thread& t, const Access& a, const Strided& all);
  std::uint32_t log_capacity = 0;
  std::atomic<std::uint64_t> sweeps{0};
  std::atomic<bool> wants_sweep{false};
  std::atomic<std::uint32_t> sweeping{0};  // a thread is about to, because it is due
  std::uint64_t forgotten_epochs = 0;      // for want of handles: see sweep.cpp
  std::atomic<std::uint64_t> next_lock{0};
  std::atomic<bool> interruptible{
      false};                      // signal handlers: a thread that waits may yet do something
  std::uint64_t* floor = nullptr;  // by slot; of a sweep
  static constexpr std::uint32_t kLockInfos = 1U << 14;
  LockInfo* lock_infos = nullptr;

 private:
  friend struct Sweeper;
  static constexpr std::uint64_t kLarge = 1U << 17;  // bytes from which shadow pages are given back
  struct Found {                                     // what an access to a record's bytes found
    Epoch earlier;                                   // not Epoch{}: a race with it
    bool earlier_wrote = false;
    bool earlier_atomic = false;
  };
  [[gnu::noinline]] void leave_out(Thread& t, std::uint64_t addr);
  void new_epoch(Thread& t);
  template <bool is_write>
  bool check_granule(Thread& t, Access& a, std::uint64_t g, Entry bytes);
  template <bool is_write>
  [[gnu::noinline]] bool check_fully(Thread& t, Access& a, std::uint64_t g, Entry bytes);
  template <bool is_write>
  [[gnu::noinline]] void found(Thread& t, Access& a, std::uint64_t g, std::uint64_t home,
                               const Conflicts& conflicts);
  template <bool is_write>
  bool walk(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end);
  template <bool is_write>
  bool touched_only(Thread& t, Access& a, std::uint64_t begin, std::uint64_t end);
  void note(Thread& t, Access& a);
  void note_race(Thread& t, Access& a, std::uint64_t addr, std::uint64_t size, const Found& step);
  void flush(Thread& t, Access& a);

  std::uint64_t will_know(const Thread& t, std::uint32_t i, unsigned depth);
  void know_floor();

  Record* find_record(std::uint64_t g, unsigned byte);
  Record* locked_record(std::uint64_t g, unsigned byte);
  Record& make_record(std::uint64_t g, unsigned low, unsigned high);
  void cut(Record& r, unsigned at);
  void take_bytes(Record& r);
  void unlink(Record& r);
  void drop_records(std::uint64_t g);
  void lock_granule(std::uint64_t g, unsigned low, unsigned high, LockedRecords& out);
  void check_record(Thread& t, Record& r, bool write, bool atomic, Found& step);
  void on_records(Thread& t, Access& a, std::uint64_t g, std::uint64_t home, Entry bytes,
                  bool is_write);
  void move_cells(std::uint64_t from, std::uint64_t size, std::uint64_t to);
  void forget_cells(std::uint64_t begin, std::uint64_t size);
  void forget_home(std::uint64_t home, std::uint64_t size);
};

}  // namespace redflag::live
