#include "sim/models/parsnip/machine.h"

#include <algorithm>

namespace redflag::sim::parsnip {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

// Calls part(line, low, high) for each line of [addr, addr + size).
template <typename Part>
void for_each_line(std::uint64_t addr, std::uint64_t size, Part part) {
  const std::uint64_t end = addr + size;
  while (addr < end) {
    const std::uint64_t line = addr / 64;
    const std::uint64_t left = 64 - addr % 64;
    const std::uint64_t n = std::min(left, end - addr);
    part(line, static_cast<unsigned>(addr % 64), static_cast<unsigned>(addr % 64 + n));
    addr += n;
  }
}

}  // namespace

ParsnipMachine::ParsnipMachine(const CpuMachine& machine, const ParsnipParameters& parameters,
                               const DetectorOptions& options)
    : machine_(machine),
      parameters_(parameters),
      options_(options),
      order_(options.memory, options.volatile_meaning),
      races_(*options.sink, order_),
      software_(options.memory, races_),
      lines_(options.memory),
      memory_(machine, kPrimaryBit | kSecondaryBit),
      buffers_(machine.cores, parameters.buffer_entries),
      tables_(kNoTid, ParsnipTable(parameters.table_entries)),
      running_(machine.cores, kNobody),
      core_cycles_(machine.cores),
      l1_only_(parameters.residence == Residence::kL1) {
  REDFLAG_CHECK(parameters.fault().empty());
}

// Memory is the resource's; blocks too large for its chunks must be returned.
ParsnipMachine::~ParsnipMachine() {
  lines_.for_each([this](std::uint64_t, LineState& state) { software_.forget(state, 0, 64); });
}

void ParsnipMachine::on_events(std::span<const Event> events, EventIndex first) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    on_event(events[i], EventIndex{raw(first) + i});
  }
}

void ParsnipMachine::on_event(const Event& e, EventIndex index) {
  switch (e.kind) {
    case EventKind::kRead:
    case EventKind::kWrite:
      if (!order_.is_synchronising(e)) [[likely]] {
        access(e, index, e.kind == EventKind::kWrite);
        return;
      }
      [[fallthrough]];
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
      order_.before_access(e);
      in_software_only(e, index, redflag::writes(e.kind), true);
      order_.after_access(e);
      return;
    case EventKind::kFree:
      in_software_only(e, index, true, false);
      return;
    case EventKind::kAlloc:
      order_.before_access(e);
      forget(e);
      return;
    case EventKind::kWork:
      return;
    default:
      break;
  }
  const std::uint32_t core = run_on_core(order_.thread(e.thread));
  spend(core, Cost::kSynchronise, parameters_.synchronisation_cycles);
  order_.on_event(e);
}

void ParsnipMachine::on_unchecked(const Event& e) {
  const std::uint32_t core = run_on_core(order_.thread(e.thread));
  const Access kind = redflag::writes(e.kind) ? Access::kWrite : Access::kRead;
  for_each_line(e.object, e.size, [&](std::uint64_t line, unsigned, unsigned) {
    core_cycles_[core] += memory_.access(core, data_address(line), kind);
    if (!memory_.evictions().empty()) handle_evictions();
  });
  ++stats_.unchecked;
}

// Slots share cores when there are more of them: section 3.8, saving and restoring.
std::uint32_t ParsnipMachine::run_on_core(const ThreadClock& t) {
  const auto slot = static_cast<std::uint32_t>(t.epoch.slot());
  const std::uint32_t core = slot % machine_.cores;
  if (running_[core] != slot) {
    if (running_[core] != kNobody) {
      ++stats_.context_switches;
      spend(core, Cost::kContextSwitch,
            std::uint64_t{parameters_.context_switch_lines} * machine_.l2_cycles);
    }
    running_[core] = slot;
  }
  return core;
}

void ParsnipMachine::access(const Event& e, EventIndex index, bool is_write) {
  const ThreadClock& t = order_.thread(e.thread);
  const auto slot = static_cast<std::uint32_t>(t.epoch.slot());
  const std::uint32_t core = run_on_core(t);
  ++stats_.accesses;
  if (slot >= parameters_.threads) [[unlikely]] {
    ++stats_.unnamed_checks;
    in_software_only(e, index, is_write, false);
    return;
  }
  for_each_line(e.object, e.size, [&](std::uint64_t line, unsigned low, unsigned high) {
    Now now{{&e, index, &t, line}, slot, core, is_write};
    now.line = line;
    now.state = &lines_.at(line);
    now.data_cycles =
        memory_.access(core, data_address(line), is_write ? Access::kWrite : Access::kRead);
    core_cycles_[core] += now.data_cycles;
    check(now, low, high);
    ++stats_.checks;
    ++stats_.resolved_by[static_cast<std::size_t>(now.source)];
    if (!memory_.evictions().empty()) [[unlikely]]
      handle_evictions();
    if (++window_checks_ == parameters_.adaptive_window) [[unlikely]]
      consider_residence();
    races_.flush();
  });
}

// Atomics, free, threads without a tid: software has all of it.
void ParsnipMachine::in_software_only(const Event& e, EventIndex index, bool is_write,
                                      bool atomic) {
  const ThreadClock& t = order_.thread(e.thread);
  const std::uint32_t core = run_on_core(t);
  const bool is_free = e.kind == EventKind::kFree;
  if (atomic) {
    ++stats_.atomic_checks;
    ++stats_.accesses;
    spend(core, Cost::kSynchronise, parameters_.synchronisation_cycles);
  }
  for_each_line(e.object, e.size, [&](std::uint64_t line, unsigned low, unsigned high) {
    LineState& state = lines_.at(line);
    if (!is_free) {
      core_cycles_[core] +=
          memory_.access(core, data_address(line), is_write ? Access::kWrite : Access::kRead);
    }
    if (!is_free && !atomic) {
      ++stats_.checks;
      ++stats_.software_checks;
      ++stats_.resolved_by[static_cast<std::size_t>(Source::kSoftware)];
      spend(core, Cost::kSoftwareCheck,
            parameters_.software_check_cycles + touch_software(core, line, low, Access::kWrite));
    }
    flush_to_unknown(core, line, state, low, high);
    software_.access({&e, index, &t, line}, state, low, high, is_write, atomic);
    if (!memory_.evictions().empty()) handle_evictions();
    if (line % Lines::kLinesPerPage == Lines::kLinesPerPage - 1) races_.flush();
  });
  races_.flush();
}

void ParsnipMachine::forget(const Event& e) {
  const std::uint32_t core = run_on_core(order_.thread(e.thread));
  for_each_line(e.object, e.size, [&](std::uint64_t line, unsigned low, unsigned high) {
    LineState* state = lines_.find(line);
    if (state == nullptr) return;
    flush_to_unknown(core, line, *state, low, high);
    software_.forget(*state, low, high);
    if (!state->has_primary) return;
    Now now{{&e, redflag::kNoIndex, nullptr, line}, 0, core, false};
    now.state = state;
    now.line = line;
    now.updated = true;  // free of charge
    set_primary(now, low, high, kNew);
  });
}

std::uint64_t ParsnipMachine::total_cycles() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t c : core_cycles_) sum += c;
  return sum;
}

std::uint64_t ParsnipMachine::longest_cycles() const {
  return *std::max_element(core_cycles_.begin(), core_cycles_.end());
}

ParsnipStats ParsnipMachine::stats_so_far() {
  ParsnipStats s = stats_;
  s.races = races_.count();
  s.parsnip_cycles = total_cycles();
  s.parsnip_longest = longest_cycles();
  lines_.for_each([&](std::uint64_t, LineState& state) {
    if (state.has_primary) ++s.lines_by_refs[state.primary.distinct()];
  });
  return s;
}

Ref ParsnipMachine::primary(std::uint64_t address) {
  const LineState& state = lines_.at(address / 64);
  return state.has_primary ? state.primary.get(address % 64) : kUnknown;
}

Ref ParsnipMachine::secondary(std::uint64_t address) {
  const LineState& state = lines_.at(address / 64);
  return state.has_secondary ? state.secondary.get(address % 64) : kUnknown;
}

const fasttrack::Cell& ParsnipMachine::software(std::uint64_t address) {
  fasttrack::Cell& cell = lines_.at(address / 64).cells[address % 64 / 8];
  return cell.form() == fasttrack::Cell::Form::kSplit ? cell.pointer<fasttrack::Cell>()[address % 8]
                                                      : cell;
}

std::string_view ParsnipMachine::inconsistency() {
  std::vector<std::array<std::uint32_t, ParsnipTable::kEntries>> counts(tables_.size());
  std::string_view fault = memory_.inconsistency();
  const auto count = [&](const TrackedLine& line) {
    if (!line.many_to_one()) return;
    std::array<bool, 4096> seen{};
    for (unsigned i = 0; i < 64; ++i) {
      const Ref ref = line.get(i);
      if (ref.has_clock() && !seen[ref.long_bits()]) ++counts[ref.tid()][ref.index()];
      seen[ref.long_bits()] = true;
    }
  };
  lines_.for_each([&](std::uint64_t line, LineState& state) {
    if (state.has_primary) count(state.primary);
    if (state.has_secondary) count(state.secondary);
    if (state.has_primary != memory_.holds(primary_address(line)))
      fault = "a Primary line's presence";
    if (state.has_secondary != memory_.holds(secondary_address(line))) {
      fault = "a Secondary line's presence";
    }
    if (state.has_secondary && !state.has_primary) fault = "a Secondary line alone";
  });
  for (std::size_t tid = 0; tid < tables_.size(); ++tid) {
    for (std::uint32_t i = 0; i < ParsnipTable::kEntries; ++i) {
      if (tables_[tid].count(i) != counts[tid][i]) fault = "the count of a ParsnipTable's entry";
    }
  }
  return fault;
}

}  // namespace redflag::sim::parsnip
