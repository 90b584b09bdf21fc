// MixedHistory: the accesses that matter at a location which atomics touch too.
//
// Epoch pairs suffice while accesses exclude each other. Atomics do not: two atomic writes may be
// concurrent without racing, so the last one says nothing about the others. What must be kept since
// the last plain write are, per slot, the last plain read, the last atomic write and the last
// atomic read:
//
//   a plain read   races with uncovered:  plain write, atomic writes
//   a plain write  races with uncovered:  plain write, plain reads, atomic writes, atomic reads
//   an atomic read races with uncovered:  plain write
//   an atomic write (store, RMW) with:    plain write, plain reads
//
// A plain write that races with nothing orders all of them before itself, and the history starts
// afresh. Immutable once made; size O(slots that touched it). Used by FastTrack and SlimFast (the
// oracle has its own).
#pragma once

#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>

#include "core/clock/happens_before.h"
#include "core/model/event.h"

namespace redflag {

enum class Mark : std::uint8_t { kRead, kAtomicWrite, kAtomicRead };

class MixedHistory {
 public:
  // A history with only the plain accesses known so far: `reads` holds `count` epochs.
  static MixedHistory* make(std::pmr::memory_resource* memory, Epoch write, const Epoch* reads,
                            std::uint32_t count) {
    MixedHistory* h = allocate(memory, count);
    h->write_ = write;
    h->counts_[0] = count;
    h->counts_[1] = h->counts_[2] = 0;
    if (count != 0) std::memcpy(h->marks(), reads, count * sizeof(Epoch));
    return h;
  }

  // This history with `epoch` as its slot's last access of kind `mark`.
  MixedHistory* with(std::pmr::memory_resource* memory, Mark mark, Epoch epoch) const {
    const auto section = static_cast<std::size_t>(mark);
    const Epoch* old = find(mark, epoch.slot());
    const std::uint32_t before = offset(section) + counts_[section];  // where a new mark goes
    MixedHistory* h = allocate(memory, size() + (old == nullptr ? 1 : 0));
    h->write_ = write_;
    std::memcpy(h->counts_, counts_, sizeof(counts_));
    if (old != nullptr) {
      std::memcpy(h->marks(), marks(), size() * sizeof(Epoch));
      h->marks()[old - marks()] = epoch;
      return h;
    }
    std::memcpy(h->marks(), marks(), before * sizeof(Epoch));
    h->marks()[before] = epoch;
    std::memcpy(h->marks() + before + 1, marks() + before, (size() - before) * sizeof(Epoch));
    ++h->counts_[section];
    return h;
  }

  MixedHistory* copy(std::pmr::memory_resource* memory) const {
    MixedHistory* h = allocate(memory, size());
    std::memcpy(static_cast<void*>(h), this, bytes(size()));
    return h;
  }

  void destroy(std::pmr::memory_resource* memory) { memory->deallocate(this, bytes(size()), 8); }

  Epoch write() const { return write_; }
  bool has(Mark mark, Epoch epoch) const {
    const Epoch* found = find(mark, epoch.slot());
    return found != nullptr && *found == epoch;
  }

  // The earliest kept access that races with one by t; false: none does.
  bool race(const ThreadClock& t, bool is_write, bool atomic, Epoch& earlier,
            EventKind& kind) const {
    if (!t.covers(write_)) return found(write_, EventKind::kWrite, earlier, kind);
    if (!atomic && uncovered(t, 1, earlier)) return kind = EventKind::kAtomicStore, true;
    if (is_write && uncovered(t, 0, earlier)) return kind = EventKind::kRead, true;
    if (is_write && !atomic && uncovered(t, 2, earlier)) return kind = EventKind::kAtomicLoad, true;
    return false;
  }

  bool covered_by(const VectorClock& clock) const {
    if (!clock.covers(write_)) return false;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (!clock.covers(marks()[i])) return false;
    }
    return true;
  }

  std::size_t footprint() const { return bytes(size()); }

 private:
  static constexpr std::size_t bytes(std::uint32_t count) {
    return sizeof(MixedHistory) + count * sizeof(Epoch);
  }
  static MixedHistory* allocate(std::pmr::memory_resource* memory, std::uint32_t count) {
    return ::new (memory->allocate(bytes(count), 8)) MixedHistory;
  }
  static bool found(Epoch at, EventKind what, Epoch& earlier, EventKind& kind) {
    earlier = at;
    kind = what;
    return true;
  }

  Epoch* marks() { return reinterpret_cast<Epoch*>(this + 1); }
  const Epoch* marks() const { return reinterpret_cast<const Epoch*>(this + 1); }
  std::uint32_t size() const { return counts_[0] + counts_[1] + counts_[2]; }
  std::uint32_t offset(std::size_t section) const {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < section; ++i) at += counts_[i];
    return at;
  }
  const Epoch* find(Mark mark, Slot slot) const {
    const auto section = static_cast<std::size_t>(mark);
    const Epoch* at = marks() + offset(section);
    for (std::uint32_t i = 0; i < counts_[section]; ++i) {
      if (at[i].slot() == slot) return at + i;
    }
    return nullptr;
  }
  bool uncovered(const ThreadClock& t, std::size_t section, Epoch& earlier) const {
    const Epoch* at = marks() + offset(section);
    for (std::uint32_t i = 0; i < counts_[section]; ++i) {
      if (!t.covers(at[i])) {
        earlier = at[i];
        return true;
      }
    }
    return false;
  }

  Epoch write_;              // last plain write
  std::uint32_t counts_[3];  // marks of each kind, stored one kind after another behind this object
  [[maybe_unused]] std::uint32_t unused_ = 0;
};
static_assert(sizeof(MixedHistory) == 24);

}  // namespace redflag
