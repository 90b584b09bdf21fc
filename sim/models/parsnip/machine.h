// ParsnipMachine: a multicore with PARSNIP (Peng, Wood, Devietti, MICRO 2017), as a detector that
// counts cycles.
//
// The idea. Every line of data has a Primary ParsnipLine in the same caches (line.h): for each byte
// who made the last access, of which kind, and where its clock is. Most checks need no more: a
// thread that comes back to its own data, or a clock from one of the small tables (table.h). The
// last write before a read is in the Secondary line; everything else is in software (software.h),
// which is asked when hardware does not know enough, and learns what hardware has no room for,
// through buffers (epoch_buffer.h).
//
// It is precise: the first race of every byte, never a false one, as FastTrack. What the paper leaves
// open and what is different here is in docs/how/reproduction.md; the main points:
//   - a write after the thread's own read looks at the Secondary ref as well, to see that there were
//     no other readers (the paper's step 13 does not, and would miss races with them);
//   - atomics are synchronisation: software checks them, at synchronisation_cycles;
//   - memory that is allocated becomes new, in refs and software, at no cost.
//
// Threads are their slots (core/clock): tid and core (slot modulo cores) pass to a new thread with
// the slot. A table is its thread's: at a context switch it is saved; until its thread runs again
// other cores have to ask software for its clocks.
//
// Where things are: check.cpp the checks of section 3.7, record.cpp updates of refs, handlers.cpp
// what software does when it is asked, saving.cpp how it learns what hardware knew. Cost: a few cache look-ups per access, no allocation but for new pages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/race_log.h"
#include "sim/mem/hierarchy.h"
#include "sim/mem/paging.h"
#include "sim/models/parsnip/epoch_buffer.h"
#include "sim/models/parsnip/lines.h"
#include "sim/models/parsnip/parameters.h"
#include "sim/models/parsnip/software.h"
#include "sim/models/parsnip/stats.h"
#include "sim/models/parsnip/table.h"

namespace redflag::sim::parsnip {

// Figure 2: metadata has physical addresses of its own, in other sets than its data. The bits stolen
// are at the top; the program's addresses must be below 2^60, as all user addresses are.
inline constexpr std::uint64_t kPrimaryBit = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kSecondaryBit = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kSoftwareBit = std::uint64_t{1} << 61;
constexpr std::uint64_t data_address(std::uint64_t line) {
  return physical_line(line) * 64;
}
constexpr std::uint64_t primary_address(std::uint64_t line) {
  return (physical_line(line) ^ 0x15) * 64 | kPrimaryBit;
}
constexpr std::uint64_t secondary_address(std::uint64_t line) {
  return (physical_line(line) ^ 0x2a) * 64 | kSecondaryBit;
}
constexpr std::uint64_t line_of_metadata(std::uint64_t address) {
  const bool primary = (address & kPrimaryBit) != 0;
  return virtual_line((address & (kSoftwareBit - 1)) / 64 ^ (primary ? 0x15U : 0x2aU));
}
// Software's history of a byte: 16 bytes for each 8 of the program.
constexpr std::uint64_t software_address(std::uint64_t line, unsigned byte) {
  return (physical_line(line) * 2 + byte / 32) * 64 | kSoftwareBit;
}

class ParsnipMachine final : public Detector {
 public:
  ParsnipMachine(const CpuMachine& machine, const ParsnipParameters& parameters,
                 const DetectorOptions& options);
  ~ParsnipMachine() override;

  void on_events(std::span<const Event> events, EventIndex first) override;
  void on_event(const Event& event, EventIndex index);
  // A plain access that is not checked: its time in the memory system, nothing else.
  void on_unchecked(const Event& event);
  // An access of this line by this core is near.
  void prefetch(std::uint32_t core, std::uint64_t line) const {
    memory_.prefetch(core, data_address(line));
    memory_.prefetch(core, primary_address(line));
    lines_.prefetch(line);
  }
  std::size_t metadata_bytes() const override { return options_.memory->bytes_in_use(); }
  // Cycles of all cores together, and of the busiest.
  std::uint64_t total_cycles() const;
  std::uint64_t longest_cycles() const;
  std::uint32_t core_of(ThreadId thread) {
    return static_cast<std::uint32_t>(order_.thread(thread).epoch.slot()) % machine_.cores;
  }
  void add_cycles(std::uint32_t core, std::uint64_t n) { core_cycles_[core] += n; }
  ParsnipStats stats_so_far();

  // For tests: what is known of a byte, of a thread, of software.
  Ref primary(std::uint64_t address);
  Ref secondary(std::uint64_t address);
  const ParsnipTable& table(std::uint32_t tid) const { return tables_[tid]; }
  const fasttrack::Cell& software(std::uint64_t address);
  const HappensBefore& order() const { return order_; }
  Hierarchy& memory() { return memory_; }
  // Counts of tables as the refs in cache say, buffers, presence: empty, or the first violation.
  std::string_view inconsistency();

 private:
  // The access that is being checked: all of it in one line.
  struct Now {
    Checked who;
    std::uint32_t tid;
    std::uint32_t core;
    bool write;
    LineState* state = nullptr;
    std::uint64_t line = 0;
    std::uint32_t data_cycles = 0;
    Source source = Source::kRef;
    bool missing = false;      // the Primary line was in no cache
    bool in_software = false;  // the handler was called already
    bool updated = false;      // the Primary line was written already
    bool secondary_read = false;
  };
  // What hold() and drop() of the lines' refs mean.
  struct TableCounts {
    std::vector<ParsnipTable>& tables;
    void hold(Ref ref) {
      if (ref.has_clock()) tables[ref.tid()].hold(ref.index());
    }
    void drop(Ref ref) {
      if (ref.has_clock()) tables[ref.tid()].drop(ref.index());
    }
  };

  // machine.cpp
  void access(const Event& e, EventIndex index, bool is_write);
  void in_software_only(const Event& e, EventIndex index, bool is_write, bool atomic);
  void forget(const Event& e);
  std::uint32_t run_on_core(const ThreadClock& t);
  void spend(std::uint32_t core, Cost cost, std::uint64_t cycles) {
    stats_.cycles[static_cast<std::size_t>(cost)] += cycles;
    core_cycles_[core] += cycles;
  }

  // check.cpp
  void check(Now& now, unsigned low, unsigned high);
  void check_read(Now& now, unsigned low, unsigned high, Ref p);
  void check_write(Now& now, unsigned low, unsigned high, Ref p);
  std::optional<Epoch> resolve(Now& now, unsigned low, unsigned high, Ref ref);
  Ref read_secondary(Now& now, unsigned byte);
  bool table_in_reach(std::uint32_t tid) const;
  void seen(Now& now, Source source) {
    if (source > now.source) now.source = source;
  }

  // record.cpp
  void record_write(Now& now, unsigned low, unsigned high, Ref p);
  void record_read_after_write(Now& now, unsigned low, unsigned high, Ref p);
  void record_read_again(Now& now, unsigned low, unsigned high, Ref p, bool reads_in_software);
  void record_read_beside(Now& now, unsigned low, unsigned high, Ref p, Ref s);
  std::uint32_t index_for(Now& now, unsigned low, unsigned high, Ref old);
  void set_primary(Now& now, unsigned low, unsigned high, Ref ref);
  void set_secondary(Now& now, unsigned low, unsigned high, Ref ref);
  void clear_secondary(Now& now, unsigned low, unsigned high);
  void make_short(std::uint32_t core, std::uint64_t line, LineState& state, bool primary,
                  unsigned low, unsigned high);
  void persist(std::uint32_t core, const PendingEpoch& what);
  void persist_now(Now& now, unsigned low, unsigned high, bool write, bool supersedes) {
    persist(now.core, {now.line, static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high),
                       write, supersedes, now.who.t->epoch});
  }
  Epoch epoch_of(Ref ref) const { return {Slot{ref.tid()}, tables_[ref.tid()].clock(ref.index())}; }

  // handlers.cpp
  void software_read(Now& now, unsigned low, unsigned high);
  void software_write(Now& now, unsigned low, unsigned high, Ref p);
  void enter_software(Now& now, unsigned byte);
  void fill_line(Now& now, unsigned low, unsigned high);
  static bool asks_software(const Now& now, Ref p, Ref s);
  void fill_part(Now& now, unsigned low, unsigned high, Ref p, Ref s);
  Known known_of(const LineState& state, unsigned byte, Ref p) const;

  // saving.cpp
  void apply_pending(std::uint64_t line, LineState& state);
  void flush(LineState& state, unsigned low, unsigned high);
  void flush_to_unknown(std::uint32_t core, std::uint64_t line, LineState& state, unsigned low,
                        unsigned high);
  void drain(std::uint32_t core);
  void handle_evictions();
  void evict_primary(std::uint32_t core, std::uint64_t line);
  void evict_secondary(std::uint32_t core, std::uint64_t line);
  void consider_residence();
  std::uint64_t touch_software(std::uint32_t core, std::uint64_t line, unsigned byte, Access kind) {
    return memory_.access(core, software_address(line, byte), kind);
  }

  CpuMachine machine_;
  ParsnipParameters parameters_;
  DetectorOptions options_;
  HappensBefore order_;
  RaceLog races_;
  SoftwareLayer software_;
  Lines lines_;
  Hierarchy memory_;
  EpochBuffers buffers_;
  std::vector<ParsnipTable> tables_;  // by tid
  TableCounts counts_{tables_};
  std::vector<std::uint32_t> running_;  // by core: the slot that runs there
  std::vector<std::uint64_t> core_cycles_;
  ParsnipStats stats_;

  // Section 4.3: the policy now, and what its window has seen.
  bool l1_only_;
  std::uint64_t window_checks_ = 0;
  std::uint64_t window_unresolved_ = 0;  // software checks although the refs were in cache
  std::uint64_t rejections_before_ = 0;  // up to the last window
  std::uint64_t handlers_before_ = 0;    // calls of software up to the last window
  std::uint64_t handlers_in_llc_ = 0;    // in the last window with lines in the last level
  std::uint64_t patience_ = 1;           // windows after which L1 is tried again
  std::uint64_t windows_in_llc_ = 0;
};

}  // namespace redflag::sim::parsnip
