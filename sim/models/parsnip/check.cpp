// Checks of section 3.7: what the refs and tables say about an access, and what must be asked.
#include "sim/models/parsnip/machine.h"

namespace redflag::sim::parsnip {

void ParsnipMachine::check(Now& now, unsigned low, unsigned high) {
  LineState& state = *now.state;
  if (!state.has_primary) [[unlikely]] {
    // The look-up went through all levels in vain; software makes the line.
    ++stats_.missing_lines;
    now.missing = true;
    now.updated = true;
    const std::uint64_t cycles =
        memory_.access(now.core, primary_address(now.line), Access::kCreate);
    spend(now.core, Cost::kMissingRefs, cycles);
    state.has_primary = true;
    state.primary.fill(kUnknown);
  } else {
    // Data and metadata are read in parallel (section 3.6).
    const std::uint32_t cycles = memory_.access(now.core, primary_address(now.line), Access::kRead);
    if (cycles > now.data_cycles) spend(now.core, Cost::kRefs, cycles - now.data_cycles);
  }
  for (unsigned at = low; at < high;) {
    const Ref p = state.primary.get(at);
    const unsigned end = state.primary.run_end(at, high);
    if (now.write) {
      check_write(now, at, end, p);
    } else {
      check_read(now, at, end, p);
    }
    at = end;
  }
  if (now.in_software) fill_line(now, low, high);
}

bool ParsnipMachine::table_in_reach(std::uint32_t tid) const {
  return running_[tid % machine_.cores] == tid;
}

// The epoch that a ref stands for, if hardware can find it: in a table or in a buffer.
std::optional<Epoch> ParsnipMachine::resolve(Now& now, unsigned low, unsigned high, Ref ref) {
  const bool local = ref.tid() == now.tid;
  if (ref.has_clock()) {
    if (!table_in_reach(ref.tid())) return std::nullopt;
    if (local) {
      seen(now, Source::kLocalTable);
      spend(now.core, Cost::kLocalTable, parameters_.local_table_cycles);
    } else {
      seen(now, Source::kRemoteTable);
      spend(now.core, Cost::kRemoteTable, parameters_.remote_table_cycles);
    }
    return epoch_of(ref);
  }
  if (!parameters_.epoch_buffers) return std::nullopt;
  std::uint32_t core = 0;
  const PendingEpoch* found =
      buffers_.find(now.line, low, high, ref.write(), Slot{ref.tid()}, core);
  if (found == nullptr) return std::nullopt;
  seen(now, Source::kBuffer);
  spend(now.core, core == now.core ? Cost::kLocalTable : Cost::kRemoteTable,
        core == now.core ? parameters_.local_table_cycles : parameters_.remote_table_cycles);
  return found->epoch;
}

// The Secondary ref of a byte; unknown where the line is not in cache.
Ref ParsnipMachine::read_secondary(Now& now, unsigned byte) {
  if (!now.state->has_secondary) return kUnknown;
  if (!now.secondary_read) {
    now.secondary_read = true;
    spend(now.core, Cost::kRefs,
          memory_.access(now.core, secondary_address(now.line), Access::kRead));
  }
  return now.state->secondary.get(byte);
}

void ParsnipMachine::check_read(Now& now, unsigned low, unsigned high, Ref p) {
  const ThreadClock& t = *now.who.t;
  if (p.tid() == now.tid) {
    // The thread's own last access: nothing can have come between that matters.
    if (p.has_clock()) {
      seen(now, Source::kLocalTable);
      spend(now.core, Cost::kLocalTable, parameters_.local_table_cycles);
      if (tables_[p.tid()].clock(p.index()) == t.epoch.clock()) return;
    }
    if (p.write()) return record_read_after_write(now, low, high, p);
    // Where there is a Secondary ref, reads in software may count.
    return record_read_again(now, low, high, p, p.has_next());
  }
  if (p == kNew) {
    const std::uint32_t index = index_for(now, low, high, p);
    if (index == kNoIndex) persist_now(now, low, high, false, true);
    return set_primary(now, low, high, {now.tid, false, false, index});
  }
  if (p == kUnknown) return software_read(now, low, high);
  if (p.write()) {
    const std::optional<Epoch> write = resolve(now, low, high, p);
    if (!write) return software_read(now, low, high);
    if (!t.covers(*write)) software_.report(now.who, low, high, *write, EventKind::kWrite);
    return record_read_after_write(now, low, high, p);
  }
  // Table 1: the last access is enough if it is known, for the write was known to it. Otherwise the
  // write is asked for itself.
  const std::optional<Epoch> last = resolve(now, low, high, p);
  if (p.has_clock() && !last) return software_read(now, low, high);
  if (last && t.covers(*last)) return record_read_again(now, low, high, p, p.has_next());
  if (!p.has_next()) return record_read_beside(now, low, high, p, kUnknown);
  for (unsigned at = low; at < high;) {
    p = now.state->primary.get(at);  // a rewrite of the line may have taken its index
    const Ref s = read_secondary(now, at);
    const unsigned end = now.state->has_secondary ? now.state->secondary.run_end(at, high) : high;
    if (s == kUnknown) {
      software_read(now, at, end);
    } else {
      bool known = true;
      if (s != kReadsOnly && s.tid() != now.tid) {
        const std::optional<Epoch> write = resolve(now, at, end, s);
        known = write.has_value();
        if (known && !t.covers(*write)) {
          software_.report(now.who, at, end, *write, EventKind::kWrite);
        }
      }
      if (known) {
        record_read_beside(now, at, end, p, s);
      } else {
        software_read(now, at, end);
      }
    }
    at = end;
  }
}

void ParsnipMachine::check_write(Now& now, unsigned low, unsigned high, Ref p) {
  const ThreadClock& t = *now.who.t;
  if (p == kUnknown) return software_write(now, low, high, p);
  if (p == kNew) return record_write(now, low, high, p);
  if (p.tid() == now.tid && p.has_clock()) {
    seen(now, Source::kLocalTable);
    spend(now.core, Cost::kLocalTable, parameters_.local_table_cycles);
    if (p.write() && tables_[p.tid()].clock(p.index()) == t.epoch.clock()) return;
  }
  if (p.has_next()) {
    // There may be other reads than the last: only the Secondary ref says that there are none.
    for (unsigned at = low; at < high;) {
      p = now.state->primary.get(at);  // a rewrite of the line may have taken its index
      const Ref s = read_secondary(now, at);
      const unsigned end = now.state->has_secondary ? now.state->secondary.run_end(at, high) : high;
      const bool own = p.tid() == now.tid;
      const bool only_read = s != kUnknown && !s.has_next();
      std::optional<Epoch> read;
      if (only_read && !own) read = resolve(now, at, end, p);
      if (only_read && (own || read)) {
        if (read && !t.covers(*read)) {
          software_.report(now.who, at, end, *read, EventKind::kRead);
        }
        record_write(now, at, end, p);
      } else {
        software_write(now, at, end, p);
      }
      at = end;
    }
    return;
  }
  if (p.tid() == now.tid) return record_write(now, low, high, p);
  const std::optional<Epoch> last = resolve(now, low, high, p);
  if (!last) return software_write(now, low, high, p);
  if (!t.covers(*last)) {
    software_.report(now.who, low, high, *last, p.write() ? EventKind::kWrite : EventKind::kRead);
  }
  record_write(now, low, high, p);
}

}  // namespace redflag::sim::parsnip
