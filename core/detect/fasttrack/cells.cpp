#include "core/detect/fasttrack/cells.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace redflag::fasttrack {

void Cells::access_bytes(Context& at, Cell& cell) {
  if (cell.form() != Cell::Form::kSplit) split(cell);
  Cell* bytes = cell.pointer<Cell>();
  const unsigned low = at.low;
  const unsigned high = at.high;
  for (unsigned i = low; i < high; ++i) {
    at.low = i;
    at.high = i + 1;
    check(at, bytes[i]);
  }
  at.low = low;
  at.high = high;
  merge(cell);
}

void Cells::check(Context& at, Cell& cell) {
  if (at.atomic || cell.form() == Cell::Form::kMixed) return mixed(at, cell);
  if (at.is_write) return write(at, cell);
  read(at, cell);
}

void Cells::read(Context& at, Cell& cell) {
  const Epoch now = at.t.epoch;
  const auto slot = static_cast<std::uint64_t>(now.slot());
  if (cell.read == now.bits()) return apply(FastRule::kReadSameEpoch);
  if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    if (slot < v->slots && v->clocks()[slot] == now.clock()) {
      return apply(FastRule::kReadSharedSameEpoch);
    }
  }
  if (!at.t.covers(cell.write)) race(at, cell.write, EventKind::kWrite);
  if (cell.form() != Cell::Form::kVector && at.t.covers(cell.read_epoch())) {
    cell.read = now.bits();
    return apply(FastRule::kReadExclusive);
  }
  apply(cell.form() == Cell::Form::kVector ? FastRule::kReadShared : FastRule::kReadInflate);
  add_read(cell, now);
}

void Cells::add_read(Cell& cell, Epoch read) {
  const auto slot = static_cast<std::uint64_t>(read.slot());
  if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    if (slot >= v->slots) {
      ReadVector* grown = new_vector(std::max(slot + 1, 2 * v->slots));
      std::copy_n(v->clocks(), v->slots, grown->clocks());
      memory_->deallocate(v, ReadVector::bytes(v->slots), 8);
      cell.point(Cell::Form::kVector, grown);
      v = grown;
    }
    v->clocks()[slot] = read.clock();
    return;
  }
  const Epoch r = cell.read_epoch();
  if (!r || r.slot() == read.slot()) {
    cell.read = read.bits();
    return;
  }
  const auto other = static_cast<std::uint64_t>(r.slot());
  ReadVector* v = new_vector(std::max<std::uint64_t>({slot + 1, other + 1, 4}));
  v->clocks()[slot] = read.clock();
  v->clocks()[other] = r.clock();
  cell.point(Cell::Form::kVector, v);
}

void Cells::write(Context& at, Cell& cell) {
  const Epoch now = at.t.epoch;
  if (cell.write == now) return apply(FastRule::kWriteSameEpoch);
  if (!at.t.covers(cell.write)) {
    race(at, cell.write, EventKind::kWrite);
  } else if (cell.form() == Cell::Form::kEpoch) {
    if (!at.t.covers(cell.read_epoch())) race(at, cell.read_epoch(), EventKind::kRead);
  } else {
    ReadVector* v = cell.pointer<ReadVector>();
    for (std::uint64_t i = 0; i < v->slots; ++i) {
      const Epoch r(Slot{static_cast<std::uint32_t>(i)}, v->clocks()[i]);
      if (at.t.covers(r)) continue;
      race(at, r, EventKind::kRead);
      break;
    }
  }
  apply(cell.form() == Cell::Form::kEpoch ? FastRule::kWriteExclusive : FastRule::kWriteShared);
  clear(cell);
  cell.write = now;
}

// Locations that atomics touch; see shadow/mixed_history.h.
void Cells::mixed(Context& at, Cell& cell) {
  const Epoch now = at.t.epoch;
  if (cell.form() == Cell::Form::kEpoch && cell.write == now && cell.read == 0) {
    return apply(FastRule::kMixedSameEpoch);
  }
  const Mark mark = !at.atomic ? Mark::kRead : at.is_write ? Mark::kAtomicWrite : Mark::kAtomicRead;
  const bool plain_write = at.is_write && !at.atomic;
  MixedHistory* old = nullptr;
  if (cell.form() == Cell::Form::kMixed) {
    old = cell.pointer<MixedHistory>();
    if (!plain_write && old->has(mark, now)) return apply(FastRule::kMixedSameEpoch);
  } else if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    std::pmr::vector<Epoch> reads(memory_);
    for (std::uint64_t i = 0; i < v->slots; ++i) {
      if (v->clocks()[i] != 0) {
        reads.emplace_back(Slot{static_cast<std::uint32_t>(i)}, v->clocks()[i]);
      }
    }
    old = MixedHistory::make(memory_, cell.write, reads.data(),
                             static_cast<std::uint32_t>(reads.size()));
    memory_->deallocate(v, ReadVector::bytes(v->slots), 8);
  } else {
    const Epoch r = cell.read_epoch();
    old = MixedHistory::make(memory_, cell.write, &r, r ? 1 : 0);
  }
  Epoch earlier;
  EventKind kind{};
  if (old->race(at.t, at.is_write, at.atomic, earlier, kind)) race(at, earlier, kind);
  if (plain_write) {
    cell.write = now;
    cell.read = 0;
    apply(FastRule::kMixedWrite);
  } else {
    cell.point(Cell::Form::kMixed, old->with(memory_, mark, now));
    apply(FastRule::kMixedUpdate);
  }
  old->destroy(memory_);
}

ReadVector* Cells::new_vector(std::uint64_t slots) {
  auto* v = static_cast<ReadVector*>(memory_->allocate(ReadVector::bytes(slots), 8));
  v->slots = slots;
  std::memset(v->clocks(), 0, slots * sizeof(std::uint64_t));
  return v;
}

Cell Cells::copy(const Cell& cell) {
  Cell made = cell;
  if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    ReadVector* twin = new_vector(v->slots);
    std::copy_n(v->clocks(), v->slots, twin->clocks());
    made.point(Cell::Form::kVector, twin);
  } else if (cell.form() == Cell::Form::kMixed) {
    made.point(Cell::Form::kMixed, cell.pointer<MixedHistory>()->copy(memory_));
  }
  return made;
}

void Cells::split(Cell& cell) {
  auto* bytes = static_cast<Cell*>(memory_->allocate(8 * sizeof(Cell), 8));
  bytes[0] = cell;
  for (int i = 1; i < 8; ++i) bytes[i] = copy(cell);
  cell.write = Epoch{};
  cell.point(Cell::Form::kSplit, bytes);
}

// Eight equal cells become one again. Those that point somewhere are left split: comparing them
// costs more than it saves.
void Cells::merge(Cell& cell) {
  Cell* bytes = cell.pointer<Cell>();
  for (int i = 0; i < 8; ++i) {
    if (bytes[i].form() != Cell::Form::kEpoch || bytes[i].write != bytes[0].write ||
        bytes[i].read != bytes[0].read) {
      return;
    }
  }
  const Cell all = bytes[0];
  memory_->deallocate(bytes, 8 * sizeof(Cell), 8);
  cell = all;
}

void Cells::clear(Cell& cell) {
  switch (cell.form()) {
    case Cell::Form::kEpoch:
      break;
    case Cell::Form::kVector:
      memory_->deallocate(cell.pointer<ReadVector>(),
                          ReadVector::bytes(cell.pointer<ReadVector>()->slots), 8);
      break;
    case Cell::Form::kMixed:
      cell.pointer<MixedHistory>()->destroy(memory_);
      break;
    case Cell::Form::kSplit: {
      Cell* bytes = cell.pointer<Cell>();
      for (int i = 0; i < 8; ++i) clear(bytes[i]);
      memory_->deallocate(bytes, 8 * sizeof(Cell), 8);
      break;
    }
  }
  cell = Cell{};
}

void Cells::forget(Cell& cell, unsigned low, unsigned high) {
  if (high - low == kGranuleBytes) return clear(cell);
  if (cell.form() != Cell::Form::kSplit) split(cell);
  for (unsigned byte = low; byte < high; ++byte) clear(cell.pointer<Cell>()[byte]);
  merge(cell);
}

void Cells::race(const Context& at, Epoch earlier, EventKind kind) {
  races_.add(at.event, at.index, at.t.epoch, at.granule + at.low, at.high - at.low, earlier, kind);
}

}  // namespace redflag::fasttrack
