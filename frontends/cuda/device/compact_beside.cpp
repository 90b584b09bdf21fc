#include "frontends/cuda/device/compact_beside.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

#include "frontends/cuda/device/compact_races.h"
#include "frontends/cuda/device/compact_scan.h"

namespace redflag::device::compact {

using gpu::compact::Kind;

void CompactBeside::begin(std::uint64_t state, std::uint64_t chunks, std::uint32_t chunk_count) {
  state_ = state;
  chunks_ = chunks;
  chunk_count_ = chunk_count;
}

void CompactBeside::launch_begins(const gpu::Launch& launch, bool is_checked) {
  const Unordered beside = launches_.launch(launch, is_checked);
  if (pages_.tag_bits() == 0) tell(launch.id, beside);
}

void CompactBeside::tell(gpu::LaunchId launch, const Unordered& beside) {
  if (state_ == 0 || (beside.launches == 0 && beside.accesses.empty())) return;
  const std::uint32_t own = raw(launch) & gpu::compact::kLaunchMask;
  unordered_[own] = beside.launches;
  for (unsigned i = 0; i < std::size(unordered_); ++i) {
    if ((beside.launches >> i & 1) != 0) unordered_[i] |= std::uint64_t{1} << own;
  }
  HostRanges ranges;
  for (const HostAccess& each : beside.accesses) {
    if (ranges.count == kMostRanges) {
      ++copies_not_compared_;
      continue;
    }
    ranges.ranges[ranges.count++] = {each.step.address, each.step.address + each.step.size, each.id,
                                     each.writes ? 1U : 0U};
  }
  memory_.write(state_ + offsetof(State, host_ranges) + own * sizeof(ranges),
                std::as_bytes(std::span(&ranges, 1)));
  memory_.write(state_ + offsetof(State, unordered), std::as_bytes(std::span(unordered_)));
  if (std::exchange(concurrent_, 1) != 0) return;
  memory_.write(state_ + offsetof(State, concurrent), std::as_bytes(std::span(&concurrent_, 1)));
}

void CompactBeside::launch_ends(std::uint32_t bits, std::uint32_t generation) {
  const std::uint64_t bit = std::uint64_t{1} << bits;
  for (Waiting& each : waiting_) {
    if ((each.launches & bit) != 0) compare(each.access, bit, generation);
    each.launches &= ~bit;
  }
  std::erase_if(waiting_, [](const Waiting& each) { return each.launches == 0; });
}

void CompactBeside::host(const gpu::HostStep& step, std::uint64_t running,
                         std::uint32_t generation) {
  const Unordered beside = launches_.host(step);
  for (const HostAccess& earlier : beside.accesses) {
    if (!told_pairs_.insert({raw(earlier.step.site), raw(beside.self.step.site), 2}).second) {
      continue;
    }
    gpu::GpuRace race = race_with_host(beside.self, earlier.step.address);
    race.first = side_of(earlier);
    found_.push_back(race);
  }
  if (beside.launches == 0 || pages_.tag_bits() != 0) return;
  const std::uint64_t ended = beside.launches & ~running;
  if (ended != 0) compare(beside.self, ended, generation);
  if (ended != beside.launches) waiting_.push_back({beside.self, beside.launches & running});
}

void CompactBeside::compare(const HostAccess& access, std::uint64_t launches,
                            std::uint32_t generation) {
  const Scan what{memory_, chunks_, chunk_count_,
                  [&](std::uint64_t page) { return pages_.lines_of(page); }};
  const std::uint64_t end = access.step.address + access.step.size;
  scan(what, access.step.address, end, launches, [&](const ScannedWord& word) {
    if (!access.writes && !word.wrote) return;
    const auto key = std::tuple(word.word.site(), raw(access.step.site), int{word.wrote});
    if (!told_pairs_.insert(key).second) return;
    gpu::GpuRace race = race_with_host(access, word.address);
    race.first = side_of(word.word, word.wrote);
    race.first.launch = gpu::LaunchId{generation << gpu::compact::kLaunchBits | word.launch};
    race.first.block = word.word.epoch().block;
    race.first.any_thread = word.word.kind() == Kind::kGridReaders;
    found_.push_back(race);
  });
}

void CompactBeside::begin_again() {
  launches_.begin_again();
  waiting_.clear();
  std::fill(std::begin(unordered_), std::end(unordered_), 0);
  if (state_ == 0) return;
  static_assert(offsetof(State, host_ranges) ==
                offsetof(State, unordered) + sizeof(State::unordered));
  memory_.clear(state_ + offsetof(State, unordered),
                sizeof(State::unordered) + sizeof(State::host_ranges));
}

}  // namespace redflag::device::compact
