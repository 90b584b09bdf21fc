#include "core/detect/gpu/scord/scord.h"

#include <bit>

#include "core/detect/gpu/scord/verdict.h"

namespace redflag::gpu::scord {

Scord::Scord(const Options& options)
    : EntryDetector(options, options.device_bytes / options.granularity /
                                 (options.metadata_cache ? kCachedUnits : 1)) {}

void Scord::launch_begins(const Launch& launch) {
  begin(launch);
  fences_.fill({});
  locks_.fill({});
  barriers_.fill(0);
  rounds_.fill({});
}

void Scord::fence(const Step& step, Scope scope) {
  const std::size_t at = slot(step);
  const bool block_scope = is_block_scope(scope);
  Fences& fences = fences_[at];
  if (block_scope) {
    fences.block = wrapped<kFenceBits>(fences.block + 1U) & 63U;
  } else {
    fences.device = wrapped<kFenceBits>(fences.device + 1U) & 63U;
  }
  locks_[at].fence(block_scope);
}

void Scord::memory(const Step& step, bool store, bool is_atomic, Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.space == Space::kShared) return;
  const std::size_t at = slot(step);
  Access access;
  access.kind = store ? AccessKind::kStore : AccessKind::kLoad;
  access.is_atomic = is_atomic;
  access.strong = is_atomic || step.is_volatile;
  access.block_scope = is_atomic && is_block_scope(step.scope);
  access.block = wrapped<kBlockBits>(step.block);
  access.warp = wrapped<kWarpBits>(step.warp);
  access.barrier = barriers_[access.block];
  access.locks = locks_[at].filter();
  access.fences = fences_[at];
  // A step of a warp reaches the detector once for each unit of memory, as the coalescer sends it.
  std::uint64_t last = ~std::uint64_t{0};
  for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    each_unit(step, lane, [&](std::uint64_t address) {
      if (address == last) return;
      last = address;
      unit(step, lane, address, access);
    });
  }
}

void Scord::unit(const Step& step, unsigned lane, std::uint64_t address, const Access& access) {
  const Place place = place_of(address);
  Entry& md = entries_.at(place.index);
  if (const std::uint32_t tag = wrapped<kTagBits>(place.tag); md.tag != tag) {
    // Another address was here: it is forgotten.
    if (!holds(Rule::kInitialisation, md, access, {})) ++evictions_;
    md = Entry{};
    md.tag = tag & 15U;
  }
  const Fences& file = fences_[md.block << kWarpBits | md.warp];
  const Rule rule = decide(md, access, file);
  decided(address, rule);
  if (is_race(rule)) declare(step, lane, address, md, access, rule);
  md = updated(md, access, file, rule);
}

void Scord::infer_locks(const Step& step) {
  LockTable& table = locks_[slot(step)];
  const bool block_scope = is_block_scope(step.scope);
  for (Lanes rest = step.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = step.address[std::countr_zero(rest)];
    const std::uint32_t hash = lock_hash(address, block_scope, step.block);
    if (step.op == RmwOp::kCompareSwap) {
      table.take(hash, block_scope);
    } else {
      table.give_back(hash, block_scope);
    }
  }
}

void Scord::declare(const Step& step, unsigned lane, std::uint64_t address, const Entry& md,
                    const Access& access, Rule rule) {
  GpuRace race = race_at(step, lane, address, access.kind == AccessKind::kStore, access.is_atomic,
                         access.locks != 0);
  put_verdict(race, md, access, fences_[md.block << kWarpBits | md.warp], rule);
  races_.put(race);
}

void Scord::forget(std::uint64_t address) {
  const Place place = place_of(address);
  Entry& md = entries_.at(place.index);
  if (md.tag == wrapped<kTagBits>(place.tag)) md = Entry{};
}

void Scord::own_stats(std::vector<Counter>& out) const {
  out.push_back({"entries evicted", static_cast<double>(evictions_), ""});
}

}  // namespace redflag::gpu::scord
