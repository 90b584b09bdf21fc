#include "sim/models/parsnip/sim.h"

#include <algorithm>

namespace redflag::sim::parsnip {

ParsnipSim::ParsnipSim(const CpuMachine& machine, const ParsnipParameters& parameters,
                       const DetectorOptions& options, WithRadish radish)
    : machine_(machine),
      parameters_(parameters),
      baseline_(machine),
      baseline_cycles_(machine.cores),
      parsnip_(machine, parameters, options),
      cores_of_(kThreadsFollowed, kNoCore) {
  if (radish != WithRadish::kNo) {
    radish_ = std::make_unique<RadishMachine>(machine, parameters,
                                              radish == WithRadish::kTypeSafe ? 8 : 1, options);
  }
}

void ParsnipSim::on_events(std::span<const Event> events) {
  constexpr std::size_t kAhead =
      6;  // long enough for the host's memory, short enough for its caches
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i + kAhead < events.size()) prefetch(events[i + kAhead]);
    on_event(events[i]);
  }
}

void ParsnipSim::prefetch(const Event& e) const {
  if (!is_plain_access(e) || raw(e.thread) >= kThreadsFollowed) return;
  const std::uint8_t core = cores_of_[raw(e.thread)];
  const std::uint64_t line = e.object / 64;
  if (core == kNoCore || baseline_.in_l1(core, data_address(line))) return;
  baseline_.prefetch(core, data_address(line));
  parsnip_.prefetch(core, line);
}

void ParsnipSim::on_event(const Event& e) {
  const EventIndex index{events_++};
  if (e.kind == EventKind::kWork) {
    counts_ = true;
    work_of(e.thread) += e.count();
    return;
  }
  stacks_.see(e);
  const bool checked = is_checked(e);
  const std::uint32_t core = parsnip_.core_of(e.thread);
  if (raw(e.thread) < kThreadsFollowed) cores_of_[raw(e.thread)] = static_cast<std::uint8_t>(core);
  if (is_plain_access(e)) {
    const Access kind = redflag::writes(e.kind) ? Access::kWrite : Access::kRead;
    const std::uint64_t last = (e.object + e.size - 1) / 64;
    for (std::uint64_t line = e.object / 64; line <= last; ++line) {
      baseline_cycles_[core] += baseline_.access(core, data_address(line), kind);
    }
  }
  std::uint64_t others = instructions_of(e);
  instructions_ += others;
  if (is_plain_access(e) && others > 0) --others;  // its time is the memory's
  baseline_cycles_[core] += others;
  parsnip_.add_cycles(core, others);
  if (radish_ != nullptr) {
    radish_->add_cycles(others);
    if (checked) {
      radish_->on_event(e, index, core);
    } else {
      radish_->on_unchecked(e, core);
    }
  }
  if (checked) {
    parsnip_.on_event(e, index);
  } else {
    parsnip_.on_unchecked(e);
  }
}

ParsnipStats ParsnipSim::stats() {
  ParsnipStats s = parsnip_.stats_so_far();
  s.events = events_;
  s.instructions = instructions_;
  for (const std::uint64_t c : baseline_cycles_) s.baseline_cycles += c;
  s.baseline_longest = *std::max_element(baseline_cycles_.begin(), baseline_cycles_.end());
  if (radish_ != nullptr) {
    s.radish_cycles = radish_->cycles();
    s.radish_software_checks = radish_->software_checks();
  }
  return s;
}

}  // namespace redflag::sim::parsnip
