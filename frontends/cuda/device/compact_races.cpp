#include "frontends/cuda/device/compact_races.h"

#include <algorithm>

#include "frontends/cuda/device/abi.h"

namespace redflag::device::compact {

using gpu::Enough;
using gpu::RaceClass;
using gpu::compact::Kind;
using gpu::compact::Word;

namespace {

EventKind kind_of(Word word, bool wrote) {
  const bool is_atomic = word.kind() == Kind::kAtomic || word.kind() == Kind::kBlockAtomic;
  if (is_atomic) return wrote ? EventKind::kAtomicRmw : EventKind::kAtomicLoad;
  return wrote ? EventKind::kWrite : EventKind::kRead;
}
EventKind kind_of(const What& what) {
  switch (what.deed) {
    case Deed::kWrite:
      return EventKind::kWrite;
    case Deed::kAtomicLoad:
      return EventKind::kAtomicLoad;
    case Deed::kAtomicStore:
      return EventKind::kAtomicStore;
    case Deed::kAtomicRmw:
      return EventKind::kAtomicRmw;
    default:
      return EventKind::kRead;
  }
}
// The number that ends in these bits and is nearest to the other access: they are of one kernel.
std::uint32_t full_site(std::uint32_t shortened, std::uint32_t bits, std::uint32_t other) {
  const std::uint32_t span = 1U << bits;
  const std::uint32_t same = (other & ~(span - 1)) | (shortened & (span - 1));
  if (same > other && same - other > span / 2 && same >= span) return same - span;
  if (same < other && other - same > span / 2) return same + span;
  return same;
}
// Blocks' numbers are kept short: the nearest one to the other.
std::uint64_t full_block(std::uint32_t shortened, std::uint64_t other) {
  return (other & ~std::uint64_t{gpu::compact::kBlockMask}) | shortened;
}

}  // namespace

gpu::GpuSide side_of(const HostAccess& access) {
  gpu::GpuSide side;
  side.site = access.step.site;
  side.kind = access.writes ? EventKind::kWrite : EventKind::kRead;
  side.host_thread = access.step.host_thread;
  side.stream = access.step.stream;
  return side;
}

gpu::GpuSide side_of(Word word, bool wrote) {
  gpu::GpuSide side;
  side.thread = word.epoch().warp * gpu::kWarp + word.epoch().lane;
  side.site = gpu::SiteId{word.site()};
  side.kind = kind_of(word, wrote);
  side.scope = word.kind() == Kind::kBlockAtomic ? Scope::kBlock : Scope::kDevice;
  side.size = gpu::compact::kUnit;
  return side;
}

gpu::GpuRace race_with_host(const HostAccess& access, std::uint64_t address) {
  gpu::GpuRace race;
  race.kind = RaceClass::kHostDevice;
  race.enough = Enough::kHostSync;
  race.address = std::max(address, access.step.address);
  race.size = gpu::compact::kUnit;
  race.second = side_of(access);
  return race;
}

gpu::GpuRace race_of(const RaceRecord& record, const HostAccess* host) {
  const Word word{record.first};
  const What what = What::of(record.what);
  gpu::GpuRace race;
  const bool of_cluster = gpu::is_shared(record.address);
  const bool is_shared = (record.flags & kShared) != 0 || of_cluster;
  race.space = is_shared ? gpu::Space::kShared : gpu::Space::kGlobal;
  race.address =
      is_shared && !of_cluster ? gpu::shared_address(record.block, record.address) : record.address;
  race.size = gpu::compact::kUnit;
  race.first = side_of(word, (record.flags & kFirstWrote) != 0);
  if ((record.flags & (kShortSite | kTagSite)) != 0) {
    const bool is_tag = (record.flags & kTagSite) != 0;
    const std::uint32_t bits = is_tag ? gpu::compact::Tag::kSiteBits : kShadowSiteBits;
    race.first.site = gpu::SiteId{full_site(word.site(), bits, record.site)};
  }
  race.first.launch = gpu::LaunchId{record.launch};
  race.first.block = full_block(word.epoch().block, record.block);
  race.first.any_thread = race.first.last_of_several = (record.flags & kAnyThread) != 0;
  race.second.launch = gpu::LaunchId{record.launch};
  race.second.block = record.block;
  race.second.thread = record.warp * gpu::kWarp + record.lane;
  race.second.site = gpu::SiteId{record.site};
  race.second.kind = kind_of(what);
  race.second.order = what.order;
  race.second.scope = what.scope;
  race.second.is_volatile = what.is_volatile;
  race.second.size = what.bytes;
  const bool same_block =
      race.first.block == race.second.block && word.kind() != Kind::kGridReaders;
  const bool same_warp =
      same_block && word.epoch().warp == record.warp && (record.flags & kAnyThread) == 0;
  race.kind = (record.flags & kScopes) != 0 ? RaceClass::kScopedAtomic
              : same_warp                   ? RaceClass::kIntraWarp
              : same_block                  ? RaceClass::kIntraBlock
                                            : RaceClass::kInterBlock;
  race.enough = race.kind == RaceClass::kScopedAtomic ? Enough::kWiderAtomic
                : same_warp                           ? Enough::kWarpSync
                : same_block                          ? Enough::kBlockBarrier
                                                      : Enough::kGridOrder;
  if (race.kind == RaceClass::kScopedAtomic) race.wide_enough = Scope::kDevice;
  race.first.is_async = word.kind() == Kind::kCopy;
  race.second.is_async = what.aligned;
  if (race.first.is_async || (race.second.is_async && (record.flags & kDivergence) == 0)) {
    race.kind = RaceClass::kAsyncCopy;
    race.enough = Enough::kWaitForCopy;
  }
  if ((record.flags & kDivergence) != 0) {
    race.kind = RaceClass::kBarrierDivergence;
    race.enough = Enough::kWholeWarp;
    race.barrier = record.address;
    race.address = 0;
  }
  if ((record.flags & (kHostFirst | kOtherLaunch)) == 0) return race;
  race.kind = RaceClass::kHostDevice;
  race.enough = Enough::kHostSync;
  if ((record.flags & kOtherLaunch) != 0) {
    const std::uint32_t bits = record.flags >> kOtherLaunchAt & gpu::compact::kLaunchMask;
    race.first.launch = gpu::LaunchId{(record.launch & ~gpu::compact::kLaunchMask) | bits};
  } else {
    race.first = host == nullptr ? gpu::GpuSide() : side_of(*host);
  }
  return race;
}

}  // namespace redflag::device::compact
