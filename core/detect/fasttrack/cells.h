// Cells: FastTrack's history of one granule, and its rules on it, without a detector around.
//
// A cell is two words: last write, last read. The read word holds an epoch, or points to a read
// vector, to a history with atomics (shadow/mixed_history.h), or to eight cells, one per byte, when
// the granule's bytes differ. access() checks an access against a cell, reports races and records the
// access. FastTrack keeps its cells in a shadow map; the software layer of the PARSNIP model
// (sim/models/parsnip) has its own place for them.
//
// Memory comes from the given resource; what cells point to is given back by clear(), or whole when
// the resource goes. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "core/detect/race_log.h"
#include "core/shadow/mixed_history.h"
#include "core/shadow/shadow_map.h"

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

class Cells {
 public:
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

  Cells(std::pmr::memory_resource* memory, RaceLog& races) : memory_(memory), races_(races) {}

  // Bytes [at.low, at.high) of the granule. The same-epoch exits come first, whatever part of the
  // granule is touched: they change nothing.
  void access(Context& at, Cell& cell) {
    if (!at.atomic) {
      const Epoch now = at.t.epoch;
      if (at.is_write ? cell.write == now && cell.form() != Cell::Form::kSplit
                      : cell.read == now.bits()) {
        return apply(at.is_write ? FastRule::kWriteSameEpoch : FastRule::kReadSameEpoch);
      }
    }
    if (cell.form() != Cell::Form::kSplit && at.high - at.low == kGranuleBytes) {
      return check(at, cell);
    }
    access_bytes(at, cell);
  }

  void forget(Cell& cell, unsigned low, unsigned high);  // these bytes were never accessed
  void clear(Cell& cell);  // gives back what the read word points to; the cell becomes empty
  void split(Cell& cell);
  void merge(Cell& cell);  // a split cell becomes whole again if its bytes are alike
  ReadVector* new_vector(std::uint64_t slots);
  void add_read(Cell& cell, Epoch read);  // to the reads of a cell that is not split or mixed

  std::uint64_t count(FastRule rule) const { return counts_[static_cast<std::size_t>(rule)]; }
  const std::array<std::uint64_t, kFastRuleCount>& counts() const { return counts_; }

 private:
  void access_bytes(Context& at, Cell& cell);
  void check(Context& at, Cell& cell);
  void read(Context& at, Cell& cell);
  void write(Context& at, Cell& cell);
  void mixed(Context& at, Cell& cell);
  Cell copy(const Cell& cell);
  void race(const Context& at, Epoch earlier, EventKind kind);
  void apply(FastRule rule) { ++counts_[static_cast<std::size_t>(rule)]; }

  std::pmr::memory_resource* memory_;
  RaceLog& races_;
  std::array<std::uint64_t, kFastRuleCount> counts_{};
};

}  // namespace redflag::fasttrack
