#include "core/detect/fasttrack/fasttrack.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace redflag::fasttrack {

FastTrack::FastTrack(const DetectorOptions& options)
    : options_(options),
      order_(options.memory, options.volatile_meaning),
      races_(*options.sink, order_),
      shadow_(options.memory) {}

// All memory is the resource's own, which outlives us and gives it back whole; only blocks too
// large for its chunks must be returned.
FastTrack::~FastTrack() {
  shadow_.retain([this](std::uint64_t, ShadowMap<Cell>::Page& page) {
    for (Cell& cell : page.cells) clear(cell);
    return false;
  });
}

void FastTrack::on_events(std::span<const Event> events, EventIndex first) {
  constexpr std::size_t kCellsAhead = 16;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i + kCellsAhead < events.size()) {
      __builtin_prefetch(shadow_.guess(events[i + kCellsAhead].addr()), 1);
    }
    const Event& e = events[i];
    const EventIndex at{raw(first) + i};
    switch (e.kind) {
      case EventKind::kRead:
      case EventKind::kWrite:
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        if (order_.is_synchronising(e)) {
          order_.before_access(e);
          access(e, at, redflag::writes(e.kind), true);
          order_.after_access(e);
        } else {
          access(e, at, e.kind == EventKind::kWrite, false);
        }
        break;
      case EventKind::kFree:
        access(e, at, true, false);
        break;
      case EventKind::kAlloc:
        order_.before_access(e);
        forget(e.addr(), e.size);
        break;
      default:
        order_.on_event(e);
    }
  }
  peak_bytes_ = std::max(peak_bytes_, metadata_bytes());
}

void FastTrack::access(const Event& e, EventIndex index, bool is_write, bool atomic) {
  Context at{e, index, order_.thread(e.thread), is_write, atomic};
  const auto low = static_cast<unsigned>(e.object % kGranuleBytes);
  if (low + e.size <= kGranuleBytes) [[likely]] {
    const std::uint64_t page = page_of(e.addr());
    if (!options_.shard.owns(page)) return;
    at.granule = Addr{e.object - low};
    at.low = low;
    at.high = low + e.size;
    granule(at, shadow_.page(page).cells[e.object % kPageBytes / kGranuleBytes]);
    races_.flush();
    return;
  }
  for_each_page(e.addr(), e.size, [&](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    if (!options_.shard.owns(page)) return;
    auto& cells = shadow_.page(page).cells;
    for_each_granule(page, begin, end,
                     [&](Addr granule_addr, std::size_t i, unsigned first, unsigned last) {
                       at.granule = granule_addr;
                       at.low = first;
                       at.high = last;
                       granule(at, cells[i]);
                     });
    races_.flush();
  });
}

// The same-epoch exits come first, whatever part of the granule is touched: they change nothing.
inline void FastTrack::granule(Context& at, Cell& cell) {
  if (!at.atomic) {
    const Epoch now = at.t.epoch;
    if (at.is_write ? cell.write == now && cell.form() != Cell::Form::kSplit
                    : cell.read == now.bits()) {
      return apply(at.is_write ? FastRule::kWriteSameEpoch : FastRule::kReadSameEpoch);
    }
  }
  if (cell.form() != Cell::Form::kSplit) {
    if (at.high - at.low == kGranuleBytes) return check(at, cell);
    split(cell);
  }
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

void FastTrack::check(Context& at, Cell& cell) {
  if (at.atomic || cell.form() == Cell::Form::kMixed) return mixed(at, cell);
  if (at.is_write) return write(at, cell);
  read(at, cell);
}

void FastTrack::read(Context& at, Cell& cell) {
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
  if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    if (slot >= v->slots) {
      ReadVector* grown = new_vector(std::max(slot + 1, 2 * v->slots));
      std::copy_n(v->clocks(), v->slots, grown->clocks());
      options_.memory->deallocate(v, ReadVector::bytes(v->slots), 8);
      cell.point(Cell::Form::kVector, grown);
      v = grown;
    }
    v->clocks()[slot] = now.clock();
    return apply(FastRule::kReadShared);
  }
  const Epoch r = cell.read_epoch();
  if (at.t.covers(r)) {
    cell.read = now.bits();
    return apply(FastRule::kReadExclusive);
  }
  const auto other = static_cast<std::uint64_t>(r.slot());
  ReadVector* v = new_vector(std::max<std::uint64_t>({slot + 1, other + 1, 4}));
  v->clocks()[slot] = now.clock();
  v->clocks()[other] = r.clock();
  cell.point(Cell::Form::kVector, v);
  apply(FastRule::kReadInflate);
}

void FastTrack::write(Context& at, Cell& cell) {
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
void FastTrack::mixed(Context& at, Cell& cell) {
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
    std::pmr::vector<Epoch> reads(options_.memory);
    for (std::uint64_t i = 0; i < v->slots; ++i) {
      if (v->clocks()[i] != 0) {
        reads.emplace_back(Slot{static_cast<std::uint32_t>(i)}, v->clocks()[i]);
      }
    }
    old = MixedHistory::make(options_.memory, cell.write, reads.data(),
                             static_cast<std::uint32_t>(reads.size()));
    options_.memory->deallocate(v, ReadVector::bytes(v->slots), 8);
  } else {
    const Epoch r = cell.read_epoch();
    old = MixedHistory::make(options_.memory, cell.write, &r, r ? 1 : 0);
  }
  Epoch earlier;
  EventKind kind{};
  if (old->race(at.t, at.is_write, at.atomic, earlier, kind)) race(at, earlier, kind);
  if (plain_write) {
    cell.write = now;
    cell.read = 0;
    apply(FastRule::kMixedWrite);
  } else {
    cell.point(Cell::Form::kMixed, old->with(options_.memory, mark, now));
    apply(FastRule::kMixedUpdate);
  }
  old->destroy(options_.memory);
}

ReadVector* FastTrack::new_vector(std::uint64_t slots) {
  auto* v = static_cast<ReadVector*>(options_.memory->allocate(ReadVector::bytes(slots), 8));
  v->slots = slots;
  std::memset(v->clocks(), 0, slots * sizeof(std::uint64_t));
  return v;
}

Cell FastTrack::copy(const Cell& cell) {
  Cell made = cell;
  if (cell.form() == Cell::Form::kVector) {
    ReadVector* v = cell.pointer<ReadVector>();
    ReadVector* twin = new_vector(v->slots);
    std::copy_n(v->clocks(), v->slots, twin->clocks());
    made.point(Cell::Form::kVector, twin);
  } else if (cell.form() == Cell::Form::kMixed) {
    made.point(Cell::Form::kMixed, cell.pointer<MixedHistory>()->copy(options_.memory));
  }
  return made;
}

void FastTrack::split(Cell& cell) {
  auto* bytes = static_cast<Cell*>(options_.memory->allocate(8 * sizeof(Cell), 8));
  bytes[0] = cell;
  for (int i = 1; i < 8; ++i) bytes[i] = copy(cell);
  cell.write = Epoch{};
  cell.point(Cell::Form::kSplit, bytes);
}

// Eight equal cells become one again. Those that point somewhere are left split: comparing them
// costs more than it saves.
void FastTrack::merge(Cell& cell) {
  Cell* bytes = cell.pointer<Cell>();
  for (int i = 0; i < 8; ++i) {
    if (bytes[i].form() != Cell::Form::kEpoch || bytes[i].write != bytes[0].write ||
        bytes[i].read != bytes[0].read) {
      return;
    }
  }
  const Cell all = bytes[0];
  options_.memory->deallocate(bytes, 8 * sizeof(Cell), 8);
  cell = all;
}

void FastTrack::clear(Cell& cell) {
  switch (cell.form()) {
    case Cell::Form::kEpoch:
      break;
    case Cell::Form::kVector:
      options_.memory->deallocate(cell.pointer<ReadVector>(),
                                  ReadVector::bytes(cell.pointer<ReadVector>()->slots), 8);
      break;
    case Cell::Form::kMixed:
      cell.pointer<MixedHistory>()->destroy(options_.memory);
      break;
    case Cell::Form::kSplit: {
      Cell* bytes = cell.pointer<Cell>();
      for (int i = 0; i < 8; ++i) clear(bytes[i]);
      options_.memory->deallocate(bytes, 8 * sizeof(Cell), 8);
      break;
    }
  }
  cell = Cell{};
}

void FastTrack::forget(Addr addr, std::uint64_t size) {
  for_each_page(addr, size, [this](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    auto* found = shadow_.find(page);
    if (found == nullptr) return;
    for_each_granule(page, begin, end, [&](Addr, std::size_t i, unsigned low, unsigned high) {
      Cell& cell = found->cells[i];
      if (high - low == kGranuleBytes) return clear(cell);
      if (cell.form() != Cell::Form::kSplit) split(cell);
      for (unsigned byte = low; byte < high; ++byte) clear(cell.pointer<Cell>()[byte]);
      merge(cell);
    });
  });
}

void FastTrack::race(const Context& at, Epoch earlier, EventKind kind) {
  races_.add(at.event, at.index, at.t.epoch, at.granule + at.low, at.high - at.low, earlier, kind);
}

std::vector<Counter> FastTrack::stats() const {
  std::vector<Counter> rows{
      {"max metadata", static_cast<double>(std::max(peak_bytes_, metadata_bytes())), "bytes"},
      {"races", static_cast<double>(races_.count()), ""}};
  for (std::size_t i = 0; i < kFastRuleCount; ++i) {
    rows.push_back({"rule " + std::string(kFastRules[i]), static_cast<double>(counts_[i]), ""});
  }
  return rows;
}

}  // namespace redflag::fasttrack
