#include "core/detect/gpu/curd/curd.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/detect/gpu/barracuda/barracuda.h"

namespace redflag::gpu::curd {
namespace {

std::pmr::memory_resource* memory_of(const Options& options) {
  return options.memory != nullptr ? options.memory : std::pmr::get_default_resource();
}

EventKind event_of(Side side) {
  switch (side) {
    case Side::kRead:
      return EventKind::kRead;
    case Side::kWrite:
      return EventKind::kWrite;
    case Side::kAtomicRead:
      return EventKind::kAtomicLoad;
    case Side::kAtomicWrite:
      break;
  }
  return EventKind::kAtomicRmw;
}

}  // namespace

Curd::Curd(Options options)
    : options_(std::move(options)),
      memory_(memory_of(options_)),
      races_(options_.most_races, options_.on_race, memory_),
      intra_(counts_, memory_),
      lazy_(counts_, memory_),
      eager_(counts_, memory_) {}

Curd::~Curd() = default;

GpuDetector& Curd::other() {
  if (other_) return *other_;
  const OnRace tell = [this](const GpuRace& race) { races_.put(race); };
  if (options_.make_other) {
    other_ = options_.make_other(tell);
  } else {
    barracuda::Options made;
    made.most_races = options_.most_races;
    made.on_race = tell;
    made.memory = options_.memory;
    other_ = std::make_unique<barracuda::Barracuda>(std::move(made));
  }
  return *other_;
}

void Curd::launch_begins(const Launch& launch) {
  launch_ = launch;
  if (engine_for(launch.sync) == Engine::kOther) {
    counts_.add(Rule::kNotChosen);
    state_ = State::kOther;
    return other().launch_begins(launch);
  }
  counts_.add(Rule::kChosen);
  state_ = State::kHere;
  eager_now_ = options_.eager && launch.grid.count() <= EagerChecks::kMostBlocks;
  numbers_.clear();
  lazy_.clear();
  eager_.clear();
  recent_ = nullptr;
}

void Curd::launch_ends(LaunchId launch) {
  if (state_ == State::kOther) other().launch_ends(launch);
  if (state_ == State::kHere) {
    while (!blocks_.empty()) end_block(*blocks_.begin()->second);
    const bool all = static_cast<bool>(options_.on_overlap);
    if (eager_now_) {
      eager_.finish(all, *this);
    } else {
      lazy_.finish(all, *this);
    }
  }
  state_ = State::kIdle;
}

// Here each launch is checked by itself, and kernels that allocate go to the other detector.
void Curd::host(const HostStep& step) {
  other().host(step);
}

BlockState& Curd::begin_block(std::uint64_t block) {
  std::unique_ptr<BlockState> state;
  if (pool_.empty()) {
    state = std::make_unique<BlockState>(memory_);
  } else {
    state = std::move(pool_.back());
    pool_.pop_back();
  }
  const std::uint32_t warps = launch_.block_warps();
  state->block = block;
  state->ordinal = static_cast<std::uint32_t>(numbers_.size());
  state->live = warps;
  state->in_use = 0;
  state->passed.fill(0);
  for (auto& set : state->sets) set.clear();
  while (state->warps.size() < warps) state->warps.emplace_back(memory_);
  while (state->warps.size() > warps) state->warps.pop_back();
  for (std::uint32_t w = 0; w < warps; ++w) {
    WarpSets& warp = state->warps[w];
    for (auto& side : warp.stores) {
      for (StripeStore& store : side) store.clear();
    }
    const std::uint32_t rest = launch_.block_threads() - w * kWarp;
    warp.lanes = rest >= kWarp ? ~Lanes{0} : (Lanes{1} << rest) - 1;
    warp.ended = 0;
    warp.epoch = 0;
  }
  numbers_.push_back(block);
  return *(blocks_[block] = std::move(state));
}

BlockState* Curd::block_of(const Step& step) {
  if (recent_ != nullptr && recent_->block == step.block) return recent_;
  if (step.block >= launch_.grid.count()) return nullptr;
  const auto at = blocks_.find(step.block);
  recent_ = at == blocks_.end() ? &begin_block(step.block) : at->second.get();
  return recent_;
}

void Curd::step(const Step& step) {
  if (state_ != State::kHere) {
    if (state_ == State::kOther) other_->step(step);
    return;
  }
  ++steps_;
  if (step.lanes == 0 || step.warp >= launch_.block_warps()) return;
  BlockState* const block = block_of(step);
  if (block == nullptr) return;
  switch (step.kind) {
    case StepKind::kRead:
      return access(*block, step, Side::kRead, step.lanes);
    case StepKind::kWrite:
      return access(*block, step, Side::kWrite, step.lanes);
    case StepKind::kAtomicLoad:
      return access(*block, step, Side::kAtomicRead, step.lanes);
    case StepKind::kAtomicStore:
      return access(*block, step, Side::kAtomicWrite, step.lanes);
    case StepKind::kAtomicRmw:  // a compare-and-swap that failed only read
      access(*block, step, Side::kAtomicRead, step.lanes & ~step.wrote);
      return access(*block, step, Side::kAtomicWrite, step.lanes & step.wrote);
    case StepKind::kWarpSync: {
      WarpSets& warp = block->warps[step.warp];
      if (step.lanes == (warp.lanes & ~warp.ended)) ++warp.epoch;
      return;
    }
    case StepKind::kBarrierPass:
      return barrier(*block, step);
    case StepKind::kExit:
      return exits(*block, step);
    default:  // the choice has left no other order
      return;
  }
}

void Curd::access(BlockState& block, const Step& step, Side side, Lanes lanes) {
  if (lanes == 0 || step.address == nullptr || step.size == 0) return;
  WarpSets& warp = block.warps[step.warp];
  const auto space = static_cast<std::size_t>(step.space);
  StripeStore& store = warp.of(side, space);
  if (store.empty()) block.use(side, space);
  store.make_room();
  counts_.add(
      rule_of(insert(store.stripe(), {step.address, lanes, step.size, raw(step.site), warp.epoch},
                     options_.searched)));
  if (store.is_crowded()) store.thin_out();
}

// The region ends when the first warp passes: all others that live have arrived, and wait.
void Curd::barrier(BlockState& block, const Step& step) {
  std::uint32_t& passed = block.passed[step.object % kBarriers];
  if (step.round < passed) return;
  passed = step.round + 1;
  end_region(block, false);
}

void Curd::exits(BlockState& block, const Step& step) {
  WarpSets& warp = block.warps[step.warp];
  const Lanes now = step.lanes & warp.lanes & ~warp.ended;
  if (now == 0) return;
  for (Lanes rest = now; rest != 0; rest &= rest - 1) {
    warp.ended_at[first_lane(rest)] = warp.epoch;
  }
  warp.ended |= now;
  if (warp.ended == warp.lanes && --block.live == 0) end_block(block);
}

void Curd::end_region(BlockState& block, bool block_ends) {
  checked_ = &block;
  const bool all = static_cast<bool>(options_.on_overlap);
  for (const Space space : {Space::kShared, Space::kGlobal}) {
    intra_.check(block, static_cast<std::size_t>(space), all, *this);
  }
  // What was compressed last is of global memory: it goes into the sets of the block.
  if (eager_now_) {
    eager_.barrier(block.ordinal, intra_, all, *this);
  } else {
    constexpr std::uint32_t kSearched = 8;
    for (std::size_t i = 0; i < kSideCount; ++i) {
      const IntraBlock::Compressed& from = intra_.compressed(Side{static_cast<std::uint8_t>(i)});
      std::pmr::vector<Region>& set = block.sets[i];
      if (set.empty()) {
        set.assign(from.regions.begin(), from.regions.begin() + from.count);
        continue;
      }
      auto count = static_cast<std::uint32_t>(set.size());
      set.resize(set.size() + from.count);
      for (std::uint32_t r = 0; r < from.count; ++r) {
        count = insert(set.data(), count, from.regions[r], kSearched).count;
      }
      set.resize(count);
    }
  }
  if (block_ends) return;
  // A barrier does not order those who had ended before it, unless one who came had met them since.
  for (WarpSets& warp : block.warps) {
    const bool nobody_came = warp.ended == warp.lanes;
    for (auto& side : warp.stores) {
      for (StripeStore& store : side) {
        if (store.empty()) continue;
        if (warp.ended == 0) {
          store.clear();
        } else {
          store.keep([&](const Row& row) {
            return row.kept || nobody_came ? ~Lanes{0} : warp.left_at(row);
          });
        }
      }
    }
    warp.epoch = 0;
  }
  block.in_use = 0;
  for (const WarpSets& warp : block.warps) {
    if (warp.ended == 0) continue;
    for (std::size_t i = 0; i < kSideCount; ++i) {
      for (std::size_t space = 0; space < kSpaceCount; ++space) {
        const Side side{static_cast<std::uint8_t>(i)};
        if (!warp.stores[i][space].empty()) block.use(side, space);
      }
    }
  }
}

void Curd::end_block(BlockState& block) {
  end_region(block, true);
  if (!eager_now_) {
    for (std::size_t i = 0; i < kSideCount; ++i) {
      lazy_.add(block.ordinal, Side{static_cast<std::uint8_t>(i)}, block.sets[i]);
    }
  }
  if (recent_ == &block) recent_ = nullptr;
  const auto at = blocks_.find(block.block);
  pool_.push_back(std::move(at->second));
  blocks_.erase(at);
}

void Curd::race(Rule rule, const Accessor& a, const Accessor& b, const Region& common) {
  // Who is the first is not known: by thread.
  const bool in_order = std::pair(a.warp, a.lane) <= std::pair(b.warp, b.lane);
  const Accessor& first = in_order ? a : b;
  const Accessor& second = in_order ? b : a;
  GpuRace race;
  const bool same_warp = a.warp == b.warp;
  race.kind = same_warp ? RaceClass::kIntraWarp : RaceClass::kIntraBlock;
  race.enough = rule == Rule::kAtomicPlain ? Enough::kAtomicAccess
                : same_warp                ? Enough::kWarpSync
                                           : Enough::kBlockBarrier;
  race.wide_enough = Scope::kBlock;
  const auto side = [&](const Accessor& from) {
    GpuSide out;
    out.block = checked_->block;
    out.thread = from.warp * kWarp + from.lane;
    out.kind = event_of(from.side);
    return out;
  };
  race.first = side(first);
  race.second = side(second);
  declare(race, first.source, second.source, common);
}

void Curd::race(Rule rule, const Party& a, const Party& b, const Region& common) {
  const bool in_order = numbers_[a.ordinal] <= numbers_[b.ordinal];
  const Party& first = in_order ? a : b;
  const Party& second = in_order ? b : a;
  GpuRace race;
  const std::uint64_t cluster = launch_.cluster.count();
  race.kind = cluster > 1 ? RaceClass::kInterCluster : RaceClass::kInterBlock;
  race.enough = rule == Rule::kAtomicPlain ? Enough::kAtomicAccess : Enough::kGridOrder;
  race.wide_enough = Scope::kDevice;
  race.first.any_thread = race.second.any_thread = true;
  race.first.block = numbers_[first.ordinal];
  race.second.block = numbers_[second.ordinal];
  race.first.kind = event_of(first.side);
  race.second.kind = event_of(second.side);
  declare(race, first.source, second.source, common);
}

void Curd::declare(GpuRace& race, Source first, Source second, const Region& common) {
  if (options_.on_overlap) options_.on_overlap(common.begin, common.size);
  if (first.complete == 0 || second.complete == 0) counts_.add(Rule::kIncomplete);
  race.space = is_shared(common.begin) ? Space::kShared : Space::kGlobal;
  race.address = common.begin;
  race.size = common.size;
  race.first.last_of_several = first.complete == 0;
  race.second.last_of_several = second.complete == 0;
  race.first.launch = race.second.launch = launch_.id;
  race.first.site = SiteId{first.site};
  race.second.site = SiteId{second.site};
  race.first.size = race.second.size =
      static_cast<std::uint8_t>(std::min<std::uint32_t>(common.size, 16));
  races_.put(race);
}

std::vector<GpuRace> Curd::races() const {
  std::vector<GpuRace> out = races_.all();
  if (!other_) return out;
  // The list has the other detector's races as they were first told: their counts are there.
  for (const GpuRace& race : other_->races()) {
    for (GpuRace& mine : out) {
      if (mine.kind == race.kind && mine.enough == race.enough && mine.first == race.first &&
          mine.second == race.second) {
        mine.count = race.count;
      }
    }
  }
  return out;
}

std::uint64_t Curd::dropped() const {
  return races_.dropped() + (other_ ? other_->dropped() : 0);
}

std::size_t Curd::metadata_bytes() const {
  std::size_t sum = sizeof(*this) + intra_.bytes() + lazy_.bytes() + eager_.bytes();
  const auto add = [&](const BlockState& block) {
    sum += sizeof(block);
    for (const auto& set : block.sets) sum += set.capacity() * sizeof(Region);
    for (const WarpSets& warp : block.warps) {
      sum += sizeof(warp);
      for (const auto& side : warp.stores) {
        for (const StripeStore& store : side) sum += store.bytes();
      }
    }
  };
  for (const auto& [number, block] : blocks_) add(*block);
  for (const auto& block : pool_) add(*block);
  return sum + (other_ ? other_->metadata_bytes() : 0);
}

std::vector<Counter> Curd::stats() const {
  std::vector<Counter> out{{"steps", static_cast<double>(steps_), ""}};
  counts_.put(kRules, out);
  out.push_back({"races", static_cast<double>(races_.size()), ""});
  out.push_back({"metadata", static_cast<double>(metadata_bytes()), "bytes"});
  if (!other_) return out;
  for (Counter& each : other_->stats()) {
    each.name = "other detector: " + each.name;
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace redflag::gpu::curd
