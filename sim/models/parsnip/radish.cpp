#include "sim/models/parsnip/radish.h"

#include "sim/mem/paging.h"

namespace redflag::sim::parsnip {
namespace {

constexpr std::uint64_t kMetadataBit = std::uint64_t{1} << 62;
constexpr std::uint64_t kEpochsBytes = 8;  // a location's two epochs

DetectorOptions options_for(DetectorOptions options, PageResource& memory, FindingSink& sink) {
  options.memory = &memory;
  options.sink = &sink;
  return options;
}

}  // namespace

RadishMachine::RadishMachine(const CpuMachine& machine, const ParsnipParameters& parameters,
                             std::uint32_t location_bytes, const DetectorOptions& options)
    : machine_(machine),
      parameters_(parameters),
      location_bytes_(location_bytes),
      detector_(options_for(options, resource_, nobody_)),
      memory_(machine) {}

std::uint64_t RadishMachine::shared_rules() const {
  using fasttrack::FastRule;
  return detector_.count(FastRule::kReadShared) + detector_.count(FastRule::kReadInflate) +
         detector_.count(FastRule::kWriteShared) + detector_.count(FastRule::kMixedUpdate) +
         detector_.count(FastRule::kMixedWrite);
}

std::uint64_t RadishMachine::same_epoch_rules() const {
  using fasttrack::FastRule;
  return detector_.count(FastRule::kReadSameEpoch) + detector_.count(FastRule::kWriteSameEpoch) +
         detector_.count(FastRule::kReadSharedSameEpoch);
}

std::uint64_t RadishMachine::on_unchecked(const Event& e, std::uint32_t core) {
  const Access kind = redflag::writes(e.kind) ? Access::kWrite : Access::kRead;
  std::uint64_t data = 0;
  for (std::uint64_t line = e.object / 64; line <= (e.object + e.size - 1) / 64; ++line) {
    data += memory_.access(core, physical_line(line) * 64, kind);
  }
  cycles_ += data;
  return data;
}

void RadishMachine::on_event(const Event& e, EventIndex index, std::uint32_t core) {
  const std::uint64_t shared = shared_rules();
  const std::uint64_t same = same_epoch_rules();
  detector_.on_events({&e, 1}, index);
  if (!is_access(e.kind) || e.kind == EventKind::kAlloc || e.kind == EventKind::kFree) return;
  const std::uint64_t data = on_unchecked(e, core);
  if (is_atomic(e.kind)) return;
  const bool update = same_epoch_rules() == same;
  bool software = shared_rules() != shared;
  // Data and the first line of metadata are read in parallel.
  std::uint64_t metadata = 0;
  const std::uint64_t first = e.object / location_bytes_ * kEpochsBytes / 64;
  const std::uint64_t last = (e.object + e.size - 1) / location_bytes_ * kEpochsBytes / 64;
  for (std::uint64_t line = first; line <= last; ++line) {
    const std::uint64_t address = physical_line(line) * 64 | kMetadataBit;
    if (!memory_.holds(address)) {
      software = true;
      metadata += memory_.access(core, address, Access::kCreate);
      continue;
    }
    metadata += memory_.access(core, address, Access::kRead);
    if (update) metadata += memory_.access(core, address, Access::kWrite);
  }
  cycles_ += metadata > data ? metadata - data : 0;
  if (!software) return;
  ++software_checks_;
  cycles_ += parameters_.software_check_cycles;
}

}  // namespace redflag::sim::parsnip
