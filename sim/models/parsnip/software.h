// SoftwareLayer: the histories that PARSNIP keeps in memory, and the checks on them (section 3.8).
//
// FastTrack's cells (core/detect/fasttrack/cells.h), eight to a line. Hardware persists epochs into
// them piece by piece; they may hold reads that a write in hardware has made stale: such reads are
// real accesses, so a race with one is a race, and the refs say when they need not be looked at.
// Accesses that hardware cannot represent (atomics, threads without a tid, free) are checked and
// recorded by FastTrack's own rules, after hardware has persisted all that it knew.
//
// All functions take bytes [low, high) of one line. Costs are the machine's business.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "core/detect/fasttrack/cells.h"
#include "sim/models/parsnip/lines.h"

namespace redflag::sim::parsnip {

// Who checks: the access that the program makes now.
struct Checked {
  const Event* event;
  EventIndex index;
  const ThreadClock* t;
  std::uint64_t line;  // number
};

// What hardware knows of a location's history, and whether software knows more.
struct Known {
  Epoch write;             // none: not in hardware
  Epoch read;              // the last one; none: not in hardware
  bool ask_write = false;  // software has the last write
  bool ask_reads = false;  // software has reads that count
};

class SoftwareLayer {
 public:
  SoftwareLayer(std::pmr::memory_resource* memory, RaceLog& races)
      : races_(races), cells_(memory, races) {}

  void persist_write(LineState& line, unsigned low, unsigned high, Epoch write, bool supersedes);
  void persist_read(LineState& line, unsigned low, unsigned high, Epoch read, bool supersedes);
  void forget(LineState& line, unsigned low, unsigned high);

  // Is a write race-free? Reports what is not. The cells are not changed, except that those with
  // atomics become empty: the write that hardware records now is all that counts.
  void check_write(const Checked& at, LineState& line, unsigned low, unsigned high,
                   const Known& known);

  // FastTrack proper: checks and records.
  void access(const Checked& at, LineState& line, unsigned low, unsigned high, bool is_write,
              bool atomic);

  // Calls part(low, high, cell) for each cell of these bytes, of one byte where they differ.
  template <typename Part>
  static void for_each_cell(LineState& line, unsigned low, unsigned high, Part part) {
    for (unsigned at = low; at < high;) {
      const unsigned granule = at / 8;
      const unsigned end = high < granule * 8 + 8 ? high : granule * 8 + 8;
      fasttrack::Cell& cell = line.cells[granule];
      if (cell.form() != fasttrack::Cell::Form::kSplit) {
        part(at, end, cell);
      } else {
        for (unsigned i = at; i < end; ++i) {
          part(i, i + 1, cell.pointer<fasttrack::Cell>()[i % 8]);
        }
      }
      at = end;
    }
  }
  // Is there a read in the cell, other than this thread's own, that it does not know of?
  static bool unknown_reads(const ThreadClock& t, const fasttrack::Cell& cell);
  // Would a write race with it?
  static bool ordered(const ThreadClock& t, const fasttrack::Cell& cell) {
    return t.covers(cell.write) && !unknown_reads(t, cell);
  }

  void report(const Checked& at, unsigned low, unsigned high, Epoch earlier, EventKind kind) {
    races_.add(*at.event, at.index, at.t->epoch, Addr{at.line * 64 + low}, high - low, earlier,
               kind);
  }

 private:
  template <typename Change>
  void change(LineState& line, unsigned low, unsigned high, Change change_cell);

  RaceLog& races_;
  fasttrack::Cells cells_;
};

}  // namespace redflag::sim::parsnip
