// What software does: checks, filling of lines, draining of buffers, evictions (sections 3.8, 4).
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

void ParsnipMachine::apply_pending(std::uint64_t line, LineState& state) {
  buffers_.take(line, [&](const PendingEpoch& e) {
    if (e.write) {
      software_.persist_write(state, e.low, e.high, e.epoch, e.supersedes);
    } else {
      software_.persist_read(state, e.low, e.high, e.epoch, e.supersedes);
    }
  });
}

// The clocks of these bytes' refs, put into software at once; the refs are not changed.
void ParsnipMachine::flush(LineState& state, unsigned low, unsigned high) {
  for (unsigned at = low; at < high;) {
    const Ref p = state.primary.get(at);
    unsigned end = state.primary.run_end(at, high);
    Ref s = kUnknown;
    if (p.has_next() && state.has_secondary) {
      s = state.secondary.get(at);
      end = state.secondary.run_end(at, end);
    }
    if (s.has_clock()) software_.persist_write(state, at, end, epoch_of(s), false);
    if (p.has_clock()) {
      if (p.write()) {
        software_.persist_write(state, at, end, epoch_of(p), true);
      } else {
        const bool supersedes = !p.has_next() || (s != kUnknown && !s.has_next());
        software_.persist_read(state, at, end, epoch_of(p), supersedes);
      }
    }
    at = end;
  }
}

void ParsnipMachine::flush_to_unknown(std::uint32_t core, std::uint64_t line, LineState& state,
                                      unsigned low, unsigned high) {
  apply_pending(line, state);
  if (!state.has_primary) return;
  flush(state, low, high);
  if (!state.primary.set(low, high, kUnknown, counts_)) {
    make_short(core, line, state, true, low, high);
    state.primary.set(low, high, kUnknown, counts_);
  }
  if (state.has_secondary && !state.secondary.set(low, high, kUnknown, counts_)) {
    make_short(core, line, state, false, low, high);
    state.secondary.set(low, high, kUnknown, counts_);
  }
}

// Entries of other cores for the same lines go with these: software must see them in their order.
void ParsnipMachine::drain(std::uint32_t core) {
  ++stats_.drains;
  std::uint64_t cycles = parameters_.drain_cycles;
  while (buffers_.used(core) != 0) {
    const std::uint64_t line = buffers_.some(core).line;
    cycles += touch_software(core, line, buffers_.some(core).low, Access::kWrite);
    apply_pending(line, lines_.at(line));
  }
  spend(core, Cost::kDrain, cycles);
}

// Lines that left while an access was made are looked at when it is done: some are back.
void ParsnipMachine::handle_evictions() {
  std::vector<Eviction>& left = memory_.evictions();
  while (!left.empty()) {
    const Eviction e = left.back();
    left.pop_back();
    if (memory_.holds(e.address)) {
      if (!l1_only_ || e.from_all || memory_.in_l1(e.core, e.address)) continue;
      if (!memory_.drop(e.core, e.address)) continue;  // another core has it
    }
    const std::uint64_t line = line_of_metadata(e.address);
    if ((e.address & kPrimaryBit) != 0) {
      evict_primary(e.core, line);
    } else {
      evict_secondary(e.core, line);
    }
  }
}

// The Secondary line goes with the Primary one: without it nobody would find it.
void ParsnipMachine::evict_primary(std::uint32_t core, std::uint64_t line) {
  LineState& state = lines_.at(line);
  if (!state.has_primary) return;
  ++stats_.evictions;
  ++stats_.lines_by_refs[state.primary.distinct()];
  apply_pending(line, state);
  flush(state, 0, 64);
  state.primary.clear(counts_);
  state.has_primary = false;
  if (state.has_secondary) {
    state.secondary.clear(counts_);
    state.has_secondary = false;
    memory_.drop_everywhere(secondary_address(line));
  }
  spend(core, Cost::kEviction,
        parameters_.eviction_cycles + touch_software(core, line, 0, Access::kWrite));
}

void ParsnipMachine::evict_secondary(std::uint32_t core, std::uint64_t line) {
  LineState& state = lines_.at(line);
  if (!state.has_secondary) return;
  apply_pending(line, state);
  for (unsigned at = 0; at < 64;) {
    const Ref s = state.secondary.get(at);
    const unsigned end = state.secondary.run_end(at, 64);
    if (s.has_clock()) software_.persist_write(state, at, end, epoch_of(s), false);
    at = end;
  }
  state.secondary.clear(counts_);
  state.has_secondary = false;
  spend(core, Cost::kEviction,
        parameters_.eviction_cycles + touch_software(core, line, 0, Access::kWrite));
}

// Section 4.3. In the last-level cache old refs pin table entries, and software is asked for clocks
// that were rejected; if that is too often, lines may stay in L1 only. There lines come and go, and
// software is called for them: when it is called more often than before, they may stay in the last
// level again, and L1 is tried later and later.
void ParsnipMachine::consider_residence() {
  const std::uint64_t handlers = stats_.software_checks + stats_.evictions + stats_.drains;
  const std::uint64_t calls = handlers - handlers_before_;
  handlers_before_ = handlers;
  const std::uint64_t rejections = stats_.rejections - rejections_before_;
  rejections_before_ = stats_.rejections;
  const std::uint64_t limit = window_checks_ * parameters_.adaptive_permille;
  const bool too_many = window_unresolved_ * 1000 > limit && rejections * 1000 > limit;
  window_checks_ = window_unresolved_ = 0;
  if (parameters_.residence != Residence::kAdaptive) return;
  if (l1_only_) {
    if (calls <= handlers_in_llc_) return;
    patience_ = std::min<std::uint64_t>(patience_ * 4, 1 << 20);
    windows_in_llc_ = 0;
  } else {
    handlers_in_llc_ = calls;
    if (!too_many || ++windows_in_llc_ < patience_) return;
  }
  l1_only_ = !l1_only_;
  ++stats_.residence_changes;
}

}  // namespace redflag::sim::parsnip
