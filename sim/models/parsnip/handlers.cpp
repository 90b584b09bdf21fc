// What software does when it is asked: checks, and refs for the whole line (sections 3.8, 4.2).
#include <algorithm>
#include <array>

#include "sim/models/parsnip/machine.h"

namespace redflag::sim::parsnip {

using fasttrack::Cell;

namespace {

// What software knows of some bytes that have it in common, read before anything changes it.
struct Part {
  unsigned low;
  unsigned high;
  Epoch write;
  Epoch read;          // the only one; none: none, or several
  bool unknown_reads;  // some that the thread does not know of
  bool no_reads;
  bool atomics;
};

struct Parts {
  std::array<Part, 64> parts;
  std::size_t count = 0;

  void add(const ThreadClock& t, LineState& state, unsigned low, unsigned high) {
    SoftwareLayer::for_each_cell(state, low, high, [&](unsigned begin, unsigned end, Cell& cell) {
      if (cell.form() == Cell::Form::kMixed) {
        parts[count++] = {begin, end, {}, {}, false, false, true};
        return;
      }
      const bool single = cell.form() == Cell::Form::kEpoch;
      const Part part{begin,
                      end,
                      cell.write,
                      single ? cell.read_epoch() : Epoch{},
                      SoftwareLayer::unknown_reads(t, cell),
                      single && !cell.read_epoch(),
                      false};
      // Neighbours with the same history are one.
      if (count != 0 && single && !parts[count - 1].atomics && parts[count - 1].high == begin &&
          parts[count - 1].write == part.write && parts[count - 1].read == part.read &&
          parts[count - 1].no_reads == part.no_reads && (part.read || part.no_reads)) {
        parts[count - 1].high = end;
        return;
      }
      parts[count++] = part;
    });
  }
};

}  // namespace

// Once per access and line: the handler is called, and looks into the buffers (section 4.1).
void ParsnipMachine::enter_software(Now& now, unsigned byte) {
  apply_pending(now.line, *now.state);
  if (now.in_software) return;
  now.in_software = true;
  ++stats_.software_checks;
  if (!now.missing) ++window_unresolved_;
  seen(now, Source::kSoftware);
  spend(
      now.core, now.missing ? Cost::kMissingRefs : Cost::kSoftwareCheck,
      parameters_.software_check_cycles + touch_software(now.core, now.line, byte, Access::kRead));
}

// All that hardware knew of these bytes goes to software; then refs are made from the whole.
void ParsnipMachine::software_read(Now& now, unsigned low, unsigned high) {
  enter_software(now, low);
  LineState& state = *now.state;
  flush(state, low, high);
  Parts parts;
  parts.add(*now.who.t, state, low, high);
  for (std::size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.parts[i];
    if (part.atomics) {
      software_.access(now.who, state, part.low, part.high, false, false);
      clear_secondary(now, part.low, part.high);
      set_primary(now, part.low, part.high, kUnknown);
      continue;
    }
    if (!now.who.t->covers(part.write)) {
      software_.report(now.who, part.low, part.high, part.write, EventKind::kWrite);
    }
    const auto writer = static_cast<std::uint32_t>(part.write.slot());
    if (!part.write) {
      if (part.unknown_reads) {
        set_secondary(now, part.low, part.high, kReadsOnly);
      } else {
        clear_secondary(now, part.low, part.high);
      }
    } else if (writer >= parameters_.threads) {
      clear_secondary(now, part.low, part.high);
    } else {
      set_secondary(now, part.low, part.high,
                    {writer, true, part.unknown_reads, tables_[writer].intern(part.write.clock())});
    }
    const std::uint32_t index = index_for(now, part.low, part.high, kNew);
    if (index == kNoIndex) persist_now(now, part.low, part.high, false, false);
    set_primary(now, part.low, part.high,
                {now.tid, false, part.write || part.unknown_reads, index});
  }
}

// The write makes the history obsolete: it is checked, not saved.
void ParsnipMachine::software_write(Now& now, unsigned low, unsigned high, Ref p) {
  enter_software(now, low);
  software_.check_write(now.who, *now.state, low, high, known_of(*now.state, low, p));
  record_write(now, low, high, p);
}

Known ParsnipMachine::known_of(const LineState& state, unsigned byte, Ref p) const {
  Known known;
  if (p == kNew) return known;
  const bool clock = p.has_clock();
  if (p == kUnknown || !clock) known.ask_write = known.ask_reads = true;
  if (p == kUnknown) return known;
  if (p.write()) {
    if (clock) known.write = epoch_of(p);
    return known;
  }
  if (clock) known.read = epoch_of(p);
  if (!p.has_next()) return known;
  const Ref s = state.has_secondary ? state.secondary.get(byte) : kUnknown;
  if (s == kUnknown) {
    known.ask_write = known.ask_reads = true;
    return known;
  }
  if (s.has_next()) known.ask_reads = true;
  if (s == kReadsOnly) {
    known.ask_write = false;
  } else if (s.has_clock()) {
    known.ask_write = false;
    known.write = epoch_of(s);
  } else {
    known.ask_write = true;
  }
  return known;
}

// Would the same access of a byte with these refs have to ask software, too? (check.cpp)
bool ParsnipMachine::asks_software(const Now& now, Ref p, Ref s) {
  if (p == kNew) return false;
  const bool own = p.tid() == now.tid;
  if (now.write) {
    if (p.has_next() && (s == kUnknown || s.has_next())) return true;
    return !own && !p.has_clock();
  }
  if (own) return false;
  if (p.write()) return !p.has_clock();
  return p.has_next() && s != kReadsOnly && s.tid() != now.tid && !s.has_clock();
}

// Section 4.2: refs for the other bytes of the line that software would be asked about.
void ParsnipMachine::fill_line(Now& now, unsigned low, unsigned high) {
  if (!parameters_.prefetch) return;
  LineState& state = *now.state;
  // The access's own epochs may stay where they are; its bytes are done.
  if (buffers_.any_beside(now.line, low, high)) apply_pending(now.line, state);
  Parts parts;
  for (unsigned at = 0; at < 64;) {
    if (at == low) {
      at = high;
      continue;
    }
    const Ref p = state.primary.get(at);
    unsigned end = state.primary.run_end(at, at < low ? low : 64);
    Ref s = kUnknown;
    if (p.has_next() && state.has_secondary) {
      end = state.secondary.run_end(at, end);
      s = state.secondary.get(at);
    }
    if (p == kUnknown || (parameters_.speculation && asks_software(now, p, s))) {
      flush(state, at, end);
      parts.add(*now.who.t, state, at, end);
    }
    at = end;
  }
  for (std::size_t i = 0; i < parts.count; ++i) {
    const Part& part = parts.parts[i];
    if (part.atomics) continue;
    const auto writer = static_cast<std::uint32_t>(part.write.slot());
    const bool named = part.write && writer < parameters_.threads;
    Ref p = kUnknown;
    Ref s = kUnknown;
    if (parameters_.speculation) {
      // A predicted access: the same thread, the same kind.
      if (!now.who.t->covers(part.write) || (now.write && part.unknown_reads)) continue;
      p = {now.tid, now.write, !now.write && (part.write || part.unknown_reads), kNoIndex};
      if (!now.write && part.write) {
        s = named ? Ref{writer, true, part.unknown_reads, kNoIndex} : kUnknown;
      } else if (!now.write && part.unknown_reads) {
        s = kReadsOnly;
      }
    } else if (!part.write && part.no_reads) {
      p = kNew;
    } else if (part.no_reads) {
      p = named ? Ref{writer, true, false, kNoIndex} : kUnknown;
    } else if (part.read && static_cast<std::uint32_t>(part.read.slot()) < parameters_.threads) {
      p = {static_cast<std::uint32_t>(part.read.slot()), false, static_cast<bool>(part.write),
           kNoIndex};
      if (named) s = {writer, true, false, kNoIndex};
    }
    fill_part(now, part.low, part.high, p, s);
  }
}

// Sets refs if there is room for them without a rewrite of the line; else the bytes stay as they
// are.
void ParsnipMachine::fill_part(Now& now, unsigned low, unsigned high, Ref p, Ref s) {
  LineState& state = *now.state;
  if (s != kUnknown && !state.has_secondary) {
    spend(now.core, Cost::kRefs,
          memory_.access(now.core, secondary_address(now.line), Access::kCreate));
    state.has_secondary = true;
    state.secondary.fill(kUnknown);
  }
  if (state.has_secondary && !state.secondary.set(low, high, kUnknown, counts_)) return;
  if (!state.primary.set(low, high, kUnknown, counts_)) return;
  if (s != kUnknown && !state.secondary.set(low, high, s, counts_)) return;
  if (state.primary.set(low, high, p, counts_)) return;
  if (s != kUnknown) state.secondary.set(low, high, kUnknown, counts_);
}

}  // namespace redflag::sim::parsnip
