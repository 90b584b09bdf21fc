// How what hardware knows comes to software: buffers that are full, lines that leave, and where lines may
// stay (sections 3.8, 4.1, 4.3).
#include <algorithm>

#include "sim/models/parsnip/machine.h"

namespace redflag::sim::parsnip {

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
