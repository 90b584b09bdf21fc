// SlimFast: FastTrack with shared, immutable metadata (Peng, dissertation, chapter 3; IPDPS 2018).
//
// The idea. Most locations of a program have the same access history as many others: everything a
// thread wrote since its last release, everything a loop read after one writer. FastTrack keeps a
// copy per location; SlimFast keeps each distinct history once, immutable, and a reference per
// location:
//   W_t   the one history "written by t in its current epoch", used by every write of the epoch;
//   S_t   the histories "read by t in this epoch, last written at w", one per distinct w;
//   Q_t   the histories made when t was the second reader (EpochPair to EpochPlusVC), one per
//         distinct (earlier reader, w);
//   Next  in each EpochPlusVC, the histories that differ only in one slot's newest read.
// S_t and Q_t are emptied when t's epoch ends (section 3.3.3). S_t and Q_t are bounded
// (section 3.3.2): an overflow loses sharing, never precision.
//
// What we add. A reference is a 32-bit handle per 8-byte granule, and an epoch's W_t and S_t are
// consecutive handles, so that same-epoch accesses are decided by one load and one compare
// (handle.h). Granules whose bytes differ hold one handle per byte (the split of PARSNIP,
// section 3.3), so results are exact for accesses of any size and alignment. Each thread remembers,
// within an epoch, which handles it already checked and what replaced them (Memo): the next
// location with the same history costs a compare instead of a check. Pages on which hardly two
// locations share a history are kept as plain pairs (pair_page.h); pages that are all alike are kept
// as one handle. Atomics have histories of their own (shadow/mixed_history.h). Unused histories are reclaimed by a sweep over the shadow
// (sweep.cpp), in place of the paper's garbage collector.
//
// Exactness. For every byte, the first access that races with an earlier one is reported, and
// nothing else is ever reported that is not a race; after the first race of a byte, later ones on
// it may be missed, as in FastTrack. Held to the oracle by tests/oracle.
//
// Cost. Time O(1) per access except O(readers) when several threads read without order; memory 4
// bytes per granule touched (20 where the page is kept as pairs), 8 per distinct pair still referred
// to, O(readers) per distinct shared history.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/race_log.h"
#include "core/detect/slimfast/histories.h"
#include "core/detect/slimfast/pair_page.h"
#include "core/detect/slimfast/rules.h"

namespace redflag::slimfast {

class SlimFast final : public Detector {
 public:
  explicit SlimFast(const DetectorOptions& options);

  void on_events(std::span<const Event> events, EventIndex first) override;
  std::vector<Counter> stats() const override;
  std::size_t metadata_bytes() const override;
  std::string broken_promise() const override;

  std::uint64_t count(SlimRule rule) const { return counts_[static_cast<std::size_t>(rule)]; }
  std::uint64_t sweeps() const { return sweeps_; }

 private:
  enum class Op : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };
  static constexpr bool writes(Op op) { return op == Op::kWrite || op == Op::kAtomicWrite; }
  static constexpr bool atomic(Op op) { return op == Op::kAtomicRead || op == Op::kAtomicWrite; }

  // "from, met by this thread in this epoch, becomes to": already checked, so no check is needed
  // again.
  struct Memo {
    Handle from = kNone;
    Handle to = kNone;
    SlimRule rule = SlimRule::kReadSameEpoch;
  };
  static constexpr std::size_t kMemos = 8;
  static std::size_t memo_of(Handle h) { return (bits(h) ^ bits(h) >> 3) % kMemos; }

  struct QEntry {
    Epoch reader;
    Epoch write;
    Handle history = kNone;
  };
  static constexpr std::size_t kQSize = 8;

  // What a thread needs for its accesses, in the order of heat.
  struct ThreadState {
    std::uint32_t base = kNoBase;  // handle of W_t; those of S_t follow
    std::uint32_t room = 0;        // handles from base to the end of its line
    std::uint32_t used = 0;        // how many of them are given out, base included
    std::uint32_t spare = 0;       // where in the last line the next epoch may begin; 0: nowhere
    std::uint32_t full_base = 0;   // where in a line that this epoch filled before; 0: none
    std::uint32_t full_used = 0;
    const ThreadClock* clock = nullptr;
    Epoch epoch;             // for which all below is valid
    bool dirty = false;      // this epoch took handles or entered something into Q_t
    bool memorised = false;  // and something below
    std::array<Memo, kMemos> read_memo;
    std::array<Memo, kMemos> write_memo;
    std::uint32_t q_size = 0;
    std::array<QEntry, kQSize> q;
  };

  // One access, as its granules see it.
  struct Context {
    const Event& event;
    EventIndex index;
    Addr granule{0};
    unsigned low = 0;  // bytes [low, high) of the granule
    unsigned high = 8;
  };

  ThreadState& state(ThreadId id) {
    const std::size_t i = raw(id);
    if (i < by_thread_.size() && by_thread_[i] != nullptr) [[likely]]
      return *by_thread_[i];
    return new_state(id);
  }
  ThreadState& new_state(ThreadId id);
  void drop_state(ThreadId id);
  void synchronise(const Event& e);
  void begin_epoch(ThreadState& t);
  void end_epoch(ThreadState& t);
  static void forget_memos(ThreadState& t);
  void ensure_base(ThreadState& t) {
    if (t.base == kNoBase) take_handles(t);
  }
  void take_handles(ThreadState& t);
  Handle own_write(ThreadState& t) {
    ensure_base(t);
    return make_handle(Form::kPair, t.base);
  }

  // How the next batch is likely to behave, from how the last one did: whether locations mostly
  // have histories that the thread has just met, or mostly each its own.
  enum class Mode : std::uint8_t { kShared, kDistinct };
  template <Mode mode>
  void batch(std::span<const Event> events, std::uint64_t index);
  template <Op op, Mode mode>
  void access(const Event& e, EventIndex index);
  template <Op op, Mode mode>
  void part(ThreadState& t, Context& at, std::uint64_t page, std::uint32_t begin,
            std::uint32_t end);
  template <Op op>
  void whole_page(ThreadState& t, Context& at, std::uint64_t page);
  template <Op op, Mode mode>
  void granule(ThreadState& t, Context& at, Handle& cell);
  template <Op op, Mode mode>
  bool settled(ThreadState& t, Handle& h);
  template <Op op, Mode mode>
  void granule_slow(ThreadState& t, Context& at, Handle& cell);
  template <Op op, Mode mode>
  Handle transition(ThreadState& t, const Context& at, Handle h);
  // Pages kept as pairs.
  template <Op op>
  bool pair_granule(ThreadState& t, const Context& at, PairCell& cell);
  template <Op op, Mode mode>
  void paired(ThreadState& t, Context& at);
  PairCell& pair_cell(Addr granule);
  Handle& shadow_cell(Addr granule) {
    return shadow_.page(page_of(granule)).cells[raw(granule) % kPageBytes / kGranuleBytes];
  }
  void pair_up(std::uint64_t page);
  void unpair();
  Handle to_handle(const PairCell& cell);
  void from_handle(PairCell& cell, Handle h);

  Handle read(ThreadState& t, const Context& at, Handle h);
  Handle read_pair(ThreadState& t, const Context& at, Handle h);
  Handle read_shared(ThreadState& t, const Context& at, Handle h);
  Handle read_exclusive(ThreadState& t, Epoch write);
  Handle inflate(ThreadState& t, Epoch reader, Epoch write);
  Handle write(ThreadState& t, const Context& at, Handle h);
  Handle mixed_access(ThreadState& t, const Context& at, Handle h, Op op);
  MixedHistory* to_mixed(Handle h);

  void forget(Addr addr, std::uint64_t size);
  void set_bytes(Handle& cell, unsigned low, unsigned high, Handle h);
  void merge(Handle& cell);
  void collapse_if_equal(std::uint64_t page);
  void race(const ThreadState& t, const Context& at, Epoch earlier, EventKind kind);
  Handle apply(SlimRule rule, Handle result) {
    last_rule_ = rule;
    ++counts_[static_cast<std::size_t>(rule)];
    return result;
  }

  std::uint64_t histories_made() const {
    return count(SlimRule::kReadExclAlloc) + count(SlimRule::kReadInflAlloc) +
           count(SlimRule::kReadSharedAlloc) + count(SlimRule::kMixedUpdate) +
           count(SlimRule::kReadPaired);
  }
  double locations() const;
  bool sweep_due() const;
  void sweep();
  bool mark_or_forget(Handle& h);
  void sweep_pairs(const VectorClock& floor);

  DetectorOptions options_;
  HappensBefore order_;
  RaceLog races_;
  Histories histories_;
  ShadowMap<Handle> shadow_;
  ShadowMap<PairCell> pairs_;                 // for the pages whose cells in shadow_ are kInPairs
  std::pmr::vector<ThreadState*> by_thread_;  // nullptr: no access yet, or joined
  std::pmr::deque<ThreadState> states_;       // reused after joins
  std::pmr::vector<ThreadState*> free_states_;
  std::array<std::uint64_t, kSlimRuleCount> counts_{};
  SlimRule last_rule_ = SlimRule::kReadSameEpoch;
  Mode mode_ = Mode::kShared;
  std::uint64_t paired_accesses_ = 0;  // that came by way of kInPairs
  std::uint32_t shared_batches_ = 0;   // in a row
  bool raced_ = false;                 // the transition under way found a race: do not memorise it
  std::uint64_t sweeps_ = 0;
  std::size_t shadow_at_sweep_ = 0;
  bool forgot_ = false;                     // some sweep forgot histories, and
  std::uint64_t unforked_when_forgot_ = 0;  // so many threads had appeared unforked by then
  // For table 3.1.
  std::uint64_t epochs_ = 0;
  std::uint64_t s_total_ = 0;
  std::uint64_t q_total_ = 0;
  std::uint64_t s_overflows_ = 0;
  std::uint64_t forgotten_cells_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace redflag::slimfast
