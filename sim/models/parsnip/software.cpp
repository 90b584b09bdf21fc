#include "sim/models/parsnip/software.h"

namespace redflag::sim::parsnip {

using fasttrack::Cell;
using fasttrack::ReadVector;

// change_cell(cell) on whole granules, and on single bytes where only a part is meant.
template <typename Change>
void SoftwareLayer::change(LineState& line, unsigned low, unsigned high, Change change_cell) {
  for (unsigned at = low; at < high;) {
    const unsigned granule = at / 8;
    const unsigned end = high < granule * 8 + 8 ? high : granule * 8 + 8;
    Cell& cell = line.cells[granule];
    if (end - at == 8 && cell.form() != Cell::Form::kSplit) {
      change_cell(cell);
    } else {
      if (cell.form() != Cell::Form::kSplit) cells_.split(cell);
      for (unsigned i = at; i < end; ++i) change_cell(cell.pointer<Cell>()[i % 8]);
      cells_.merge(cell);
    }
    at = end;
  }
}

void SoftwareLayer::persist_write(LineState& line, unsigned low, unsigned high, Epoch write,
                                  bool supersedes) {
  change(line, low, high, [&](Cell& cell) {
    if (supersedes) cells_.clear(cell);
    cell.write = write;
  });
}

void SoftwareLayer::persist_read(LineState& line, unsigned low, unsigned high, Epoch read,
                                 bool supersedes) {
  change(line, low, high, [&](Cell& cell) {
    if (supersedes) {
      const Epoch write = cell.write;
      cells_.clear(cell);
      cell.write = write;
    }
    cells_.add_read(cell, read);
  });
}

void SoftwareLayer::forget(LineState& line, unsigned low, unsigned high) {
  for (unsigned at = low; at < high;) {
    const unsigned granule = at / 8;
    const unsigned end = high < granule * 8 + 8 ? high : granule * 8 + 8;
    cells_.forget(line.cells[granule], at % 8, end - granule * 8);
    at = end;
  }
}

bool SoftwareLayer::unknown_reads(const ThreadClock& t, const Cell& cell) {
  if (cell.form() == Cell::Form::kEpoch) return !t.covers(cell.read_epoch());
  ReadVector* v = cell.pointer<ReadVector>();
  for (std::uint64_t i = 0; i < v->slots; ++i) {
    if (!t.covers(Epoch(Slot{static_cast<std::uint32_t>(i)}, v->clocks()[i]))) return true;
  }
  return false;
}

void SoftwareLayer::check_write(const Checked& at, LineState& line, unsigned low, unsigned high,
                                const Known& known) {
  const ThreadClock& t = *at.t;
  for_each_cell(line, low, high, [&](unsigned begin, unsigned end, Cell& cell) {
    if (cell.form() == Cell::Form::kMixed && known.ask_write) {
      Epoch earlier;
      EventKind kind{};
      if (cell.pointer<MixedHistory>()->race(t, true, false, earlier, kind)) {
        report(at, begin, end, earlier, kind);
      }
      return;
    }
    const Epoch write = known.ask_write ? cell.write : known.write;
    if (!t.covers(write)) return report(at, begin, end, write, EventKind::kWrite);
    if (!t.covers(known.read)) return report(at, begin, end, known.read, EventKind::kRead);
    if (!known.ask_reads) return;
    if (cell.form() == Cell::Form::kEpoch) {
      if (!t.covers(cell.read_epoch())) {
        report(at, begin, end, cell.read_epoch(), EventKind::kRead);
      }
      return;
    }
    ReadVector* v = cell.pointer<ReadVector>();
    for (std::uint64_t i = 0; i < v->slots; ++i) {
      const Epoch read(Slot{static_cast<std::uint32_t>(i)}, v->clocks()[i]);
      if (!t.covers(read)) return report(at, begin, end, read, EventKind::kRead);
    }
  });
  bool atomics = false;
  for_each_cell(line, low, high, [&](unsigned, unsigned, Cell& cell) {
    atomics = atomics || cell.form() == Cell::Form::kMixed;
  });
  if (!atomics) return;
  change(line, low, high, [&](Cell& cell) {
    if (cell.form() == Cell::Form::kMixed) cells_.clear(cell);
  });
}

void SoftwareLayer::access(const Checked& at, LineState& line, unsigned low, unsigned high,
                           bool is_write, bool atomic) {
  fasttrack::Cells::Context context{*at.event, at.index, *at.t, is_write, atomic};
  for (unsigned begin = low; begin < high;) {
    const unsigned granule = begin / 8;
    const unsigned end = high < granule * 8 + 8 ? high : granule * 8 + 8;
    context.granule = Addr{at.line * 64 + std::uint64_t{granule} * 8};
    context.low = begin % 8;
    context.high = end - granule * 8;
    cells_.access(context, line.cells[granule]);
    begin = end;
  }
}

}  // namespace redflag::sim::parsnip
