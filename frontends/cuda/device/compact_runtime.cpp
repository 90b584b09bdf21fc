// compact on the host: gives the detector in the GPU its memory, and reads what it found.
//
// Lines are made for pages of 2 MiB in which the program has memory, and stay as long as it has. What
// was allocated anew needs no clearing: all that lines say is of earlier launches. When the numbers of
// launches, as lines have them, begin again, lines are cleared.
#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/device/compact_allocations.h"
#include "frontends/cuda/device/compact_beside.h"
#include "frontends/cuda/device/compact_extras.h"
#include "frontends/cuda/device/compact_flat_pages.h"
#include "frontends/cuda/device/compact_limits.h"
#include "frontends/cuda/device/compact_pages.h"
#include "frontends/cuda/device/compact_races.h"
#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/images.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device {

std::string_view compact_ptx(std::uint32_t sm);

namespace {

using namespace compact;

// Metadata is at most twice the program's memory, or this much.
constexpr std::uint64_t kLeastMetadata = std::uint64_t{256} << 20;
constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageBits;

class CompactRuntime final : public Runtime {
 public:
  CompactRuntime(DeviceMemory& memory, const CompactSizes& sizes)
      : memory_(memory),
        sizes_(sizes),
        pages_(memory),
        extras_(memory, pages_, sizes_),
        flat_(memory, kFlatLayout),
        direct_(memory, kDirectLayout),
        allocations_(memory),
        images_(memory),
        beside_(memory, pages_) {}
  ~CompactRuntime() override {
    for (const std::uint64_t address : tables_) memory_.free(address);
  }

  std::string_view ptx(std::uint32_t sm) const override { return compact_ptx(sm); }
  Result<std::uint64_t> state() override {
    if (address_ != 0) return address_;
    fit();
    State fresh{};
    fresh.chunk_count = sizes_.chunks;
    fresh.node_count = std::min(sizes_.nodes, kMostNodes);
    fresh.location_count = sizes_.locations;
    fresh.thread_count = sizes_.threads;
    fresh.next_node = 1;
    const struct {
      std::uint64_t* where;
      std::uint64_t bytes;
    } wanted[] = {
        {&fresh.regions, kRegions * sizeof(std::uint64_t)},
        {&fresh.chunks, std::uint64_t{sizes_.chunks} * kChunkBytes},
        {&fresh.nodes, std::uint64_t{sizes_.nodes} * sizeof(Node)},
        {&fresh.locations, std::uint64_t{sizes_.locations} * sizeof(Location)},
        {&fresh.outboxes, std::uint64_t{kOutboxes} * sizeof(Outbox)},
        {&fresh.threads, std::uint64_t{sizes_.threads} * sizeof(Thread)},
        {&address_, sizeof(State)},
    };
    for (const auto& [where, bytes] : wanted) {
      Result<std::uint64_t> made = memory_.allocate(bytes);
      if (!made) return tl::unexpected(made.error());
      *where = *made;
      tables_.push_back(*made);
    }
    pages_.begin(address_, fresh.regions);
    extras_.begin(address_);
    flat_.begin(address_);
    direct_.begin(address_);
    beside_.begin(address_, fresh.chunks, sizes_.chunks);
    fresh.schedule = sizes_.schedule;
    memory_.write(address_, std::as_bytes(std::span(&fresh, 1)));
    images_.begin(address_ + offsetof(State, images));
    return address_;
  }

  std::uint64_t launch_begins(const gpu::Launch& launch, std::uint64_t dynamic_shared) override {
    if (pages_.are_missing() && running_.empty()) {
      pages_.share();
      generation_ = generation(launch);
      begin_again();
    }
    // Kernels that still run would write numbers of before: until they have ended nothing is checked.
    if (generation(launch) != generation_ && running_.empty()) {
      begin_again();
      generation_ = generation(launch);
    }
    const bool is_checked = generation(launch) == generation_;
    if (!is_checked) ++launches_not_checked_;
    beside_.launch_begins(launch, is_checked);
    extras_.prepare(launch);
    running_.insert(raw(launch.id));
    const std::uint64_t table =
        !beside_.is_concurrent() ? allocations_.launch_begins(launch, extras_.tables()) : 0;
    return parameter(launch, dynamic_shared) | table;
  }
  std::uint64_t parameter(const gpu::Launch& launch, std::uint64_t dynamic_shared) const override {
    using gpu::SyncOp;
    std::uint32_t signals = 0;
    for (unsigned i = 0; i < gpu::kSyncOpCount; ++i) {
      const auto op = static_cast<SyncOp>(i);
      const bool is_plain = op == SyncOp::kBlockBarrier || op == SyncOp::kWarpSync ||
                            op == SyncOp::kPartWarpSync || op == SyncOp::kAtomic ||
                            op == SyncOp::kNarrowAtomic || op == SyncOp::kAllocation;
      if (!is_plain && launch.sync.has(op)) ++signals;
    }
    const std::uint64_t dynamic = (dynamic_shared + 15) / 16;
    return raw(launch.id) | dynamic << kDynamicAt |
           (generation(launch) != generation_ ? kNotChecked : 0) |
           (signals != 0 || !launch.sync.known ? kHasSignals : 0) |
           (extras_.has_copies(launch) ? kHasCopies : 0) |
           (launch.cluster.count() > 1 && extras_.has_cluster_lines(launch) ? kInClusters : 0) |
           (has_high_ ? kNoLog : 0) | (sizes_.shared_shadow ? kHasShadow : 0);
  }
  std::uint64_t more_shared(std::uint64_t fixed, std::uint64_t dynamic,
                            std::uint64_t threads) const override {
    if (!sizes_.shared_shadow) return 0;
    const std::uint64_t all =
        kReservedShared + (fixed + 127) / 128 * 128 + (dynamic + 15) / 16 * 16;
    const std::uint64_t logs = ((threads + 31) / 32 + 2) * gpu::compact::kLogBytes;
    return (dynamic + 15) / 16 * 16 - dynamic + 2 * all + logs;
  }
  std::uint64_t without_more_shared(std::uint64_t value) const override {
    return value & ~std::uint64_t{kHasShadow};
  }
  std::uint64_t telling_all(std::uint64_t value) const override {
    return value & ~(kTableMask << kTableAt);
  }
  void launch_ends(gpu::LaunchId launch) override {
    running_.erase(raw(launch));
    allocations_.launch_ends(launch);
    if (raw(launch) >> gpu::compact::kLaunchBits != generation_) return;
    beside_.launch_ends(raw(launch) & gpu::compact::kLaunchMask, generation_);
  }
  bool runs_alone(const gpu::Launch& launch) const override {
    return !beside_.is_concurrent() && allocations_.runs_alone(launch);
  }
  std::uint64_t allocation_of(std::uint64_t address) const override {
    return allocations_.find(address);
  }
  std::uint64_t allocations_version() const override { return allocations_.version(); }
  bool make_cells(std::span<const std::uint64_t> allocations, Cells which) override {
    made_ = 0;
    if (!state()) return false;
    CompactFlatPages& cells = which == Cells::kFlat ? flat_ : direct_;
    const std::uint64_t stamp = cells.next_stamp(running_.size() <= 1);  // it runs itself
    if (stamp == 0) return false;
    const std::uint64_t most = std::max(2 * allocations_.bytes(), kLeastMetadata);
    for (const std::uint64_t each : allocations) {
      const std::uint64_t used = flat_.bytes() + direct_.bytes() + pages_.bytes();
      const std::uint64_t room = most > used ? most - used : 0;
      if (!cells.use(each, allocations_.end_of(each), room)) return false;
    }
    made_ = stamp << kStampAt | (which == Cells::kDirect ? kDirectCells : 0);
    return true;
  }
  std::uint64_t with_cells(std::uint64_t value) override { return value | std::exchange(made_, 0); }
  void host(const gpu::HostStep& step) override {
    beside_.host(step, running(), generation_);
    allocations_.host(step);
    if (step.kind == gpu::HostKind::kAlloc) {
      const bool is_high = (step.address + step.size) >> gpu::compact::kLogAddressBits != 0;
      has_high_ = has_high_ || is_high;
      if (!state()) return;
      each_page(step, [&](std::uint64_t page) { pages_.use(page); });
    } else if (step.kind == gpu::HostKind::kFree) {
      flat_.leave(step.address);
      direct_.leave(step.address);
      each_page(step, [&](std::uint64_t page) { pages_.leave(page); });
    }
  }
  void add_image(std::uint64_t handle, const cuda::Texture& object) override {
    images_.add(handle, object);
    allocations_.images_changed();
  }
  void remove_image(std::uint64_t handle, bool is_surface) override {
    images_.remove(handle, is_surface);
    allocations_.images_changed();
  }
  bool has_texture(std::uint64_t allocation) const override {
    return images_.reads(allocation, allocations_.end_of(allocation));
  }

  std::vector<gpu::GpuRace> collect() override {
    std::vector<gpu::GpuRace> out = beside_.take();
    if (address_ == 0) return out;
    const std::uint32_t count = look<std::uint32_t>(offsetof(State, race_count));
    const std::uint32_t end = std::min(count, kRaces);
    while (collected_ < end) {
      const auto race = look<RaceRecord>(offsetof(State, races) + collected_ * sizeof(RaceRecord));
      if ((race.flags & kComplete) == 0) break;
      const HostAccess* const host = (race.flags & kHostFirst) != 0
                                         ? beside_.find(static_cast<std::uint32_t>(race.first))
                                         : nullptr;
      out.push_back(race_of(race, host));
      ++collected_;
    }
    return out;
  }
  std::vector<std::string> notices() const override {
    return address_ == 0 ? std::vector<std::string>{} : notices_of(all_limits());
  }
  std::uint64_t dropped() const override {
    if (address_ == 0) return 0;
    const std::uint32_t count = look<std::uint32_t>(offsetof(State, race_count));
    return count > kRaces ? count - kRaces : 0;
  }
  std::vector<Counter> stats() const override {
    if (address_ == 0) return {};
    std::vector<Counter> made{
        {"metadata", static_cast<double>(pages_.bytes() + flat_.bytes() + direct_.bytes()),
         "bytes"},
        {"chunks", static_cast<double>(look<std::uint32_t>(offsetof(State, next_chunk))), ""},
        {"nodes", static_cast<double>(look<std::uint32_t>(offsetof(State, next_node))), ""}};
    const std::vector<Counter> more = all_limits();
    made.insert(made.end(), more.begin(), more.end());
    return made;
  }

 private:
  std::vector<Counter> all_limits() const {
    return limits([&](std::size_t at) { return look<std::uint64_t>(at); },
                  {.launches_not_checked = launches_not_checked_,
                   .pages_not_checked = pages_.missing(),
                   .pages_per_line = pages_.tag_bits() == 0 ? 0 : 1U << pages_.tag_bits(),
                   .copies_not_compared = beside_.copies_not_compared(),
                   .launches_in_part = extras_.lacking(),
                   .images_not_kept = images_.lost()});
  }
  template <typename T>
  T look(std::size_t at) const {
    T value{};
    memory_.read(address_ + at, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <typename F>
  static void each_page(const gpu::HostStep& step, F what) {
    if (step.size == 0) return;
    const std::uint64_t end = step.address + step.size;
    for (std::uint64_t a = step.address / kPageBytes * kPageBytes; a < end; a += kPageBytes)
      what(a);
  }
  // Pools take at most a quarter of the memory that there is.
  void fit() {
    const std::uint64_t room = memory_.free_bytes() / 4;
    const auto bytes = [&] {
      return std::uint64_t{sizes_.chunks} * kChunkBytes +
             std::uint64_t{sizes_.nodes} * sizeof(Node) +
             std::uint64_t{sizes_.locations} * sizeof(Location) +
             std::uint64_t{sizes_.threads} * sizeof(Thread);
    };
    while (bytes() > room && sizes_.chunks > 1024) {
      sizes_.chunks /= 2;
      sizes_.nodes = std::max(sizes_.nodes / 2, 4096U);
      sizes_.locations = std::max(sizes_.locations / 2, 1024U);
      sizes_.threads = std::max(sizes_.threads / 2, kMostWarps * 32U * 2U);
    }
  }
  // Launches of the generation that are not known to have ended, by their last bits.
  std::uint64_t running() const {
    std::uint64_t bits = 0;
    for (const std::uint32_t each : running_) {
      if (each >> gpu::compact::kLaunchBits != generation_) continue;
      bits |= std::uint64_t{1} << (each & gpu::compact::kLaunchMask);
    }
    return bits;
  }
  // Numbers of launches, as lines have them, begin again with each.
  std::uint32_t generation(const gpu::Launch& launch) const {
    return raw(launch.id) >> (gpu::compact::kLaunchBits - pages_.tag_bits());
  }
  void begin_again() {
    if (address_ == 0) return;
    pages_.clear();
    extras_.begin_again();
    beside_.begin_again();
    constexpr std::uint32_t kNotLossy = 0;
    memory_.write(address_ + offsetof(State, is_lossy), std::as_bytes(std::span(&kNotLossy, 1)));
    // What was published has the last bits of its launch's number.
    memory_.clear(look<std::uint64_t>(offsetof(State, locations)),
                  std::uint64_t{sizes_.locations} * sizeof(Location));
    memory_.clear(look<std::uint64_t>(offsetof(State, outboxes)), kOutboxes * sizeof(Outbox));
    // Chunks are clear when they are given out.
    const std::uint64_t used =
        std::min(look<std::uint32_t>(offsetof(State, next_chunk)), sizes_.chunks);
    if (used != 0) memory_.clear(look<std::uint64_t>(offsetof(State, chunks)), used * kChunkBytes);
    constexpr std::uint32_t kFirst[] = {0, 1, 0};
    static_assert(offsetof(State, next_thread) == offsetof(State, next_chunk) + 8);
    memory_.write(address_ + offsetof(State, next_chunk), std::as_bytes(std::span(kFirst)));
  }

  DeviceMemory& memory_;
  CompactSizes sizes_;
  std::uint64_t address_ = 0;  // of State; 0: not made yet
  std::vector<std::uint64_t> tables_;
  CompactPages pages_;
  CompactExtras extras_;
  CompactFlatPages flat_, direct_;
  std::uint64_t made_ = 0;  // of the parameter: for the launch that cells were asked for last
  CompactAllocations allocations_;
  Images images_;
  CompactBeside beside_;
  std::set<std::uint32_t> running_;  // launches that are not known to have ended
  std::uint32_t generation_ = 0;
  bool has_high_ = false;  // memory at addresses that do not fit a record of the log
  std::uint64_t launches_not_checked_ = 0;
  std::uint32_t collected_ = 0;
};

}  // namespace

std::unique_ptr<Runtime> make_compact_runtime(DeviceMemory& memory, const CompactSizes& sizes) {
  return std::make_unique<CompactRuntime>(memory, sizes);
}

}  // namespace redflag::device
