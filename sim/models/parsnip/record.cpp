// Updates of refs after a check, and the epochs that have to go to software for them.
//
// Order matters in every function: the Secondary ref is set before an index is taken for the
// Primary one (an entry of a table that no ref names yet is free), and an epoch is persisted before
// the ref that needs it in software is set.
#include "sim/models/parsnip/machine.h"

namespace redflag::sim::parsnip {
namespace {

std::uint8_t byte(unsigned n) {
  return static_cast<std::uint8_t>(n);
}

}  // namespace

void ParsnipMachine::record_write(Now& now, unsigned low, unsigned high, Ref p) {
  if (p.has_next()) clear_secondary(now, low, high);
  const std::uint32_t index = index_for(now, low, high, p);
  if (index == kNoIndex) persist_now(now, low, high, true, true);
  set_primary(now, low, high, {now.tid, true, false, index});
}

// The write becomes the Secondary ref.
void ParsnipMachine::record_read_after_write(Now& now, unsigned low, unsigned high, Ref p) {
  set_secondary(now, low, high, p.with_next(false));
  const std::uint32_t index = index_for(now, low, high, kNew);
  if (index == kNoIndex) persist_now(now, low, high, false, true);
  set_primary(now, low, high, {now.tid, false, true, index});
}

// The thread's own read again, in a new epoch.
void ParsnipMachine::record_read_again(Now& now, unsigned low, unsigned high, Ref p,
                                       bool reads_in_software) {
  const std::uint32_t index = index_for(now, low, high, p);
  if (index == kNoIndex) persist_now(now, low, high, false, !reads_in_software);
  set_primary(now, low, high, {now.tid, false, p.has_next(), index});
}

// A read beside another thread's, which it does not know: that one goes to software.
void ParsnipMachine::record_read_beside(Now& now, unsigned low, unsigned high, Ref p, Ref s) {
  const bool reads_in_software = p.has_next() && s.has_next();
  if (p.has_clock()) {
    persist(now.core, {now.line, byte(low), byte(high), false, !reads_in_software, epoch_of(p)});
  }
  set_secondary(now, low, high, p.has_next() ? s.with_next(true) : kReadsOnly);
  const std::uint32_t index = index_for(now, low, high, kNew);
  if (index == kNoIndex) persist_now(now, low, high, false, false);
  set_primary(now, low, high, {now.tid, false, true, index});
}

// An entry of the thread's table for its present clock; kNoIndex: none, or the line has no room for
// indices. `old` is the ref that the new one takes the place of: an entry that it alone names can be
// used again.
std::uint32_t ParsnipMachine::index_for(Now& now, unsigned low, unsigned high, Ref old) {
  const TrackedLine& line = now.state->primary;
  if (!line.many_to_one()) return kNoIndex;
  ParsnipTable& table = tables_[now.tid];
  const std::uint64_t clock = now.who.t->epoch.clock();
  const std::uint32_t index = table.intern(clock);
  if (index != kNoIndex) return index;
  if (old.tid() == now.tid && old.has_clock() && table.count(old.index()) == 1 &&
      line.alone(low, high)) {
    table.renew(old.index(), clock);
    return old.index();
  }
  ++stats_.rejections;
  return kNoIndex;
}

void ParsnipMachine::set_primary(Now& now, unsigned low, unsigned high, Ref ref) {
  TrackedLine& line = now.state->primary;
  if (line.get(low) == ref && line.run_end(low, high) == high) return;
  if (!now.updated) {
    now.updated = true;
    spend(now.core, Cost::kRefs,
          memory_.access(now.core, primary_address(now.line), Access::kWrite));
  }
  if (line.set(low, high, ref, counts_)) {
    if (!line.many_to_one()) line.to_many_to_one();
    return;
  }
  make_short(now.core, now.line, *now.state, true, low, high);
  line.set(low, high, ref, counts_);
  line.to_many_to_one();
  if (!ref.has_clock() || (line.many_to_one() && line.set(low, high, ref, counts_))) return;
  persist_now(now, low, high, ref.write(), ref.write());
}

void ParsnipMachine::set_secondary(Now& now, unsigned low, unsigned high, Ref ref) {
  TrackedLine& line = now.state->secondary;
  if (!now.state->has_secondary) {
    // Nobody's history is lost by a line of unknown refs: their bytes ask software.
    spend(now.core, Cost::kRefs,
          memory_.access(now.core, secondary_address(now.line), Access::kCreate));
    now.state->has_secondary = true;
    line.fill(kUnknown);
  } else if (line.get(low) == ref && line.run_end(low, high) == high) {
    return;
  } else {
    spend(now.core, Cost::kRefs,
          memory_.access(now.core, secondary_address(now.line), Access::kWrite));
  }
  const bool long_refs = line.many_to_one();
  if (long_refs && line.set(low, high, ref, counts_)) return;
  const Epoch write = ref.has_clock() ? epoch_of(ref) : Epoch{};
  if (long_refs) make_short(now.core, now.line, *now.state, false, low, high);
  if (ref.has_clock()) {
    persist(now.core, {now.line, byte(low), byte(high), true, false, write});
  }
  line.set(low, high, ref, counts_);
  line.to_many_to_one();
}

void ParsnipMachine::clear_secondary(Now& now, unsigned low, unsigned high) {
  if (now.state->has_secondary) set_secondary(now, low, high, kUnknown);
}

// Before a line is rewritten with Short refs, the clocks of its Long ones go to software; but those
// of bytes [low, high), which get new refs.
void ParsnipMachine::make_short(std::uint32_t core, std::uint64_t line, LineState& state,
                                bool primary, unsigned low, unsigned high) {
  ++stats_.to_one_to_one;
  TrackedLine& refs = primary ? state.primary : state.secondary;
  for (unsigned at = 0; at < 64;) {
    if (at == low) {
      at = high;
      continue;
    }
    const Ref ref = refs.get(at);
    unsigned end = refs.run_end(at, at < low ? low : 64);
    bool supersedes = false;
    if (primary) {
      // What a read supersedes depends on its Secondary ref.
      supersedes = !ref.has_next();
      if (ref.has_next() && state.has_secondary) {
        end = state.secondary.run_end(at, end);
        const Ref s = state.secondary.get(at);
        supersedes = s != kUnknown && !s.has_next();
      }
    }
    if (ref.has_clock()) {
      persist(core, {line, byte(at), byte(end), ref.write(), supersedes, epoch_of(ref)});
    }
    at = end;
  }
  refs.to_one_to_one(counts_);
}

void ParsnipMachine::persist(std::uint32_t core, const PendingEpoch& what) {
  if (!parameters_.epoch_buffers) {
    LineState& state = lines_.at(what.line);
    if (what.write) {
      software_.persist_write(state, what.low, what.high, what.epoch, what.supersedes);
    } else {
      software_.persist_read(state, what.low, what.high, what.epoch, what.supersedes);
    }
    ++stats_.drains;
    spend(core, Cost::kDrain,
          parameters_.drain_cycles + touch_software(core, what.line, what.low, Access::kWrite));
    return;
  }
  ++stats_.buffered;
  const auto owner = static_cast<std::uint32_t>(what.epoch.slot());
  if (parameters_.owner_buffers && table_in_reach(owner)) core = owner % machine_.cores;
  if (buffers_.coalesce(core, what)) {
    ++stats_.coalesced;
    return;
  }
  if (buffers_.full(core)) drain(core);
  buffers_.insert(core, what);
}

}  // namespace redflag::sim::parsnip
