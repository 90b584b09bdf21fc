// FastTrack (Flanagan and Freund, PLDI 2009), as the dissertation's section 3.2.1 gives it: the
// baseline.
//
// The idea. Writes to a race-free location are totally ordered, so its last write is one epoch, not
// a vector clock; reads are one epoch too, until two of them are unordered and a vector is needed.
// Rules and names are those of figure 3.3, every one counted.
//
// Shape. Each 8-byte granule has its own cell of two words: last write, last read. The read word
// holds an epoch, or points to a read vector, to a history with atomics (shadow/mixed_history.h),
// or to eight cells, one per byte, when the granule's bytes differ. Clocks are 32 bits and more, as
// in the dissertation's modified FastTrack. Nothing is shared between locations: that is what
// SlimFast is measured against.
//
// Exactness: as SlimFast: the first race of each byte, and never a false one.
// Cost: O(1) per access, O(slots) after unordered reads; 16 bytes per granule touched, 128 more
// when split, 8 per slot when read-shared.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "core/detect/detector.h"
#include "core/detect/race_log.h"
#include "core/shadow/mixed_history.h"

namespace redflag::fasttrack {

enum class FastRule : std::uint8_t {
  kReadSameEpoch,
  kReadSharedSameEpoch,
  kReadShared,
  kReadInflate,
  kReadExclusive,
  kWriteSameEpoch,
  kWriteExclusive,
  kWriteShared,
  kMixedSameEpoch,
  kMixedUpdate,
  kMixedWrite,
};
inline constexpr std::size_t kFastRuleCount = 11;
inline constexpr std::array<std::string_view, kFastRuleCount> kFastRules{
    "ReadSameEpoch",  "ReadSharedSameEpoch", "ReadShared",     "ReadInflate",
    "ReadExclusive",  "WriteSameEpoch",      "WriteExclusive", "WriteShared",
    "MixedSameEpoch", "MixedUpdate",         "MixedWrite"};

// The reads of a location by several unordered threads.
struct ReadVector {
  std::uint64_t slots;
  std::uint64_t* clocks() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  static constexpr std::size_t bytes(std::uint64_t slots) { return 8 + 8 * slots; }
};

struct Cell {
  enum class Form : std::uint64_t { kEpoch, kVector, kMixed, kSplit };

  Epoch write;
  std::uint64_t read = 0;  // two bits of form, then an epoch (its clock below 2^42) or a pointer

  Form form() const { return Form{read >> 62}; }
  Epoch read_epoch() const { return Epoch::from_bits(read); }
  template <typename T>
  T* pointer() const {
    return reinterpret_cast<T*>(read & ~(std::uint64_t{3} << 62));
  }
  void point(Form f, const void* at) {
    read = static_cast<std::uint64_t>(f) << 62 | reinterpret_cast<std::uint64_t>(at);
  }
};
static_assert(sizeof(Cell) == 16);

class FastTrack final : public Detector {
 public:
  explicit FastTrack(const DetectorOptions& options);
  ~FastTrack() override;

  void on_events(std::span<const Event> events, EventIndex first) override;
  std::vector<Counter> stats() const override;
  std::size_t metadata_bytes() const override { return options_.memory->bytes_in_use(); }

  std::uint64_t count(FastRule rule) const { return counts_[static_cast<std::size_t>(rule)]; }

 private:
  struct Context {
    const Event& event;
    EventIndex index;
    const ThreadClock& t;
    bool is_write = false;
    bool atomic = false;
    Addr granule{0};
    unsigned low = 0;
    unsigned high = 8;
  };

  void access(const Event& e, EventIndex index, bool is_write, bool atomic);
  void granule(Context& at, Cell& cell);
  void check(Context& at, Cell& cell);
  void read(Context& at, Cell& cell);
  void write(Context& at, Cell& cell);
  void mixed(Context& at, Cell& cell);
  void split(Cell& cell);
  void merge(Cell& cell);
  void clear(Cell& cell);  // gives back what the read word points to; the cell becomes empty
  Cell copy(const Cell& cell);
  ReadVector* new_vector(std::uint64_t slots);
  void forget(Addr addr, std::uint64_t size);
  void race(const Context& at, Epoch earlier, EventKind kind);
  void apply(FastRule rule) { ++counts_[static_cast<std::size_t>(rule)]; }

  DetectorOptions options_;
  HappensBefore order_;
  RaceLog races_;
  ShadowMap<Cell> shadow_;
  std::array<std::uint64_t, kFastRuleCount> counts_{};
  std::size_t peak_bytes_ = 0;
};

}  // namespace redflag::fasttrack
