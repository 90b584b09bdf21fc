// Hierarchy: the caches of a multicore, coherent by MESI with a directory.
//
// Every core has an L1 and an L2 (or none); all share an L3. Inclusive: what is in L1 is in L2, what
// is in L2 is in L3, and what L3 gives up leaves all. An L3 line holds the directory entry: which
// cores have it, and whether a single one has it for itself (E or M). A core's state of a line is
// kept with its L1 and L2 copies; an E line becomes M without asking anybody.
//
// access() does one load or store of one line and says how many cycles it takes, by where the line
// is found (CpuMachine): this core's L1, its L2, another core's caches (any other holder gives it,
// and stores to shared lines wait for the others to give it up), L3, or memory. Write-backs take no
// time: they wait in buffers.
//
// Lines whose address has a bit of `watched` are reported when they leave L1 or the hierarchy: their
// owner looks into evictions() after every access and empties it. Nothing is called back, so owners
// may make further accesses while they handle them.
//
// O(ways) per level that is asked; no allocation per access. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mem/cpu_machine.h"

namespace redflag::sim {

enum class Mesi : std::uint8_t { kInvalid, kShared, kExclusive, kModified };

enum class Access : std::uint8_t {
  kRead,
  kWrite,
  kCreate,  // a write that needs no old contents: memory is not asked for a line that is nowhere
};

// Where an access found its line.
enum class Level : std::uint8_t { kL1, kL2, kRemote, kL3, kMemory };
inline constexpr std::size_t kLevelCount = 5;

struct Eviction {
  std::uint64_t address;
  std::uint32_t core;
  bool from_all;  // it is in no cache any more; otherwise it left this core's L1
};

class Hierarchy {
 public:
  explicit Hierarchy(const CpuMachine& machine, std::uint64_t watched = 0);

  // One access of the line with this byte. Cycles.
  std::uint32_t access(std::uint32_t core, std::uint64_t address, Access kind) {
    ++accesses_;
    Copy* copy = cores_[core].l1.lookup(address);
    if (copy != nullptr) [[likely]] {
      if (kind == Access::kRead || copy->state == Mesi::kModified) return machine_.l1_cycles;
      if (copy->state == Mesi::kExclusive) {
        copy->state = Mesi::kModified;
        return machine_.l1_cycles;
      }
      ++found_[static_cast<std::size_t>(Level::kRemote)];
      upgrade(core, address, copy->way);
      return machine_.remote_l2_cycles;
    }
    return miss(core, address, kind);
  }

  // An access of this line by this core is near: what it will need if it misses is brought to the host's
  // caches.
  void prefetch(std::uint32_t core, std::uint64_t address) const {
    if (!cores_[core].l1.contains(address)) l3_.prefetch(address);
  }

  // Takes the line out of this core's caches, and out of L3 when no other core has it. True: it is
  // nowhere any more.
  bool drop(std::uint32_t core, std::uint64_t address);
  // Takes the line out of all caches. False: it was in none.
  bool drop_everywhere(std::uint64_t address);

  // What left since it was last emptied, watched lines only.
  std::vector<Eviction>& evictions() { return evictions_; }

  Mesi state(std::uint32_t core, std::uint64_t address);  // for tests and assertions
  bool holds(std::uint64_t address) { return l3_.contains(address); }
  bool in_l1(std::uint32_t core, std::uint64_t address) const {
    return cores_[core].l1.contains(address);
  }
  std::uint64_t count(Level level) const;
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t invalidations() const { return invalidations_; }
  // Inclusion, one owner at most, directory as the caches say: empty, or the first violation.
  std::string_view inconsistency();

 private:
  struct SharedLine {
    std::uint64_t sharers : 63 = 0;
    std::uint64_t exclusive : 1 = 0;  // the one sharer has it in E or M
  };
  static_assert(sizeof(SharedLine) == 8, "there is one for every line of L3");
  // A core's copy of a line. L3 keeps the line as long as a core has it, and where it was put: so the
  // directory's entry is found without a search.
  struct Copy {
    Mesi state = Mesi::kInvalid;
    std::uint16_t way = 0;  // of L3
  };
  struct Core {
    explicit Core(const CpuMachine& m) : l1(m.l1()), l2(m.l2_bytes != 0 ? m.l2() : m.l1()) {}
    Cache<Copy> l1;
    Cache<Copy> l2;  // unused when the machine has none
  };

  std::uint32_t miss(std::uint32_t core, std::uint64_t address, Access kind);
  void upgrade(std::uint32_t core, std::uint64_t address, std::uint32_t way);
  void set_state(std::uint32_t core, std::uint64_t address, Mesi state);
  void take_from(std::uint64_t sharers, std::uint64_t address);
  void fill_l1(std::uint32_t core, std::uint64_t address, Copy copy);
  void fill_private(std::uint32_t core, std::uint64_t address, const SharedLine& line, Mesi state);
  void left_private(std::uint32_t core, std::uint64_t address, std::uint32_t way);
  void note(std::uint64_t address, std::uint32_t core, bool from_all) {
    if ((address & watched_) != 0) evictions_.push_back({address, core, from_all});
  }
  std::uint32_t found(Level level, std::uint32_t cycles) {
    ++found_[static_cast<std::size_t>(level)];
    return cycles;
  }

  CpuMachine machine_;
  std::uint64_t watched_;
  std::vector<Core> cores_;
  Cache<SharedLine> l3_;
  std::vector<Eviction> evictions_;
  std::uint64_t accesses_ = 0;
  std::uint64_t invalidations_ = 0;
  std::uint64_t found_[kLevelCount]{};  // but L1 hits, which are the rest
};

}  // namespace redflag::sim
