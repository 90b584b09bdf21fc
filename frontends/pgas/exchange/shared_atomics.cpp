#include "frontends/pgas/exchange/shared_atomics.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "frontends/pgas/exchange/mpi_transport.h"

namespace redflag::pgas::mpi {
namespace {

struct Shared {
  Segment segment;
  std::shared_ptr<SharedClocks> clocks;
};

struct All {
  QuietLock lock;
  Job* job = nullptr;
  std::vector<Shared> memory;
  // Of all of it; most atomic operations are elsewhere.
  std::atomic<std::uint64_t> low{~std::uint64_t{0}};
  std::atomic<std::uint64_t> high{0};
};
All& all() {
  static All* const made = new All;  // threads may outlive everything
  return *made;
}

// An operation under way, of the calling thread: they do not nest.
struct UnderWay {
  std::shared_ptr<SharedClocks> clocks;
  SharedClocks::Slot* slot = nullptr;
};

struct Seen {
  const SharedClocks::Slot* slot = nullptr;
  std::uint64_t version = 0;
};

struct OfThread {
  UnderWay now;
  bool is_under_way = false;
  std::array<Seen, 16> learned;
  std::array<Seen, 16> put_off;
  Knowledge pending;  // of relaxed loads, for a fence
  bool has_pending = false;
};
OfThread& of_thread() {
  thread_local OfThread made;
  return made;
}

// False: it was seen before.
bool is_new(std::array<Seen, 16>& seen, const SharedClocks::Slot& slot) {
  Seen& one = seen[reinterpret_cast<std::uintptr_t>(&slot) / 64 % seen.size()];
  const std::uint64_t version = SharedClocks::version(slot);
  if (one.slot == &slot && one.version == version) return false;
  one = {&slot, version};
  return true;
}

void* before(std::uint64_t address) {
  All& shared = all();
  if (address < shared.low.load(std::memory_order_relaxed) ||
      address >= shared.high.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  OfThread& self = of_thread();
  if (self.is_under_way) return nullptr;  // in a signal handler
  SharedClocks::Key key;
  {
    const std::lock_guard guard(shared.lock);
    const auto at = std::find_if(
        shared.memory.begin(), shared.memory.end(),
        [&](const Shared& each) { return address - each.segment.begin < each.segment.size; });
    if (at == shared.memory.end()) return nullptr;
    const Segment& segment = at->segment;
    key = {segment.window, segment.owner, address - segment.begin + segment.offset};
    self.now.clocks = at->clocks;
  }
  self.now.slot = self.now.clocks->lock(key);
  self.is_under_way = self.now.slot != nullptr;
  if (!self.is_under_way) self.now = {};
  return self.now.slot;
}

void after(void*, abi::AtomicStep step, bool acquires, bool releases, const void* pc) {
  OfThread& self = of_thread();
  const UnderWay now = std::move(self.now);
  self.is_under_way = false;
  SharedClocks::Slot& slot = *now.slot;
  Job& job = *all().job;
  Bytes there;
  bool learns = false;
  if (step != abi::AtomicStep::kStore) {
    there = SharedClocks::published(slot);
    learns = !there.empty() && is_new(acquires ? self.learned : self.put_off, slot);
  }
  const bool writes = step != abi::AtomicStep::kLoad;
  if ((!learns || !acquires) && !(writes && releases)) {
    // A relaxed store is not part of what was published.
    if (step == abi::AtomicStep::kStore && !SharedClocks::published(slot).empty()) {
      now.clocks->publish(slot, {});
    }
    SharedClocks::unlock(slot);
    if (!learns) return;
    self.pending.join(knowledge_of(there));
    self.has_pending = true;
    return;
  }
  const LibraryCall call(job.runtime(), reinterpret_cast<const void*>(&after), pc);
  Knowledge learned;
  if (learns) learned = knowledge_of(there);
  Knowledge known = job.met(call, learns && acquires ? &learned : nullptr);
  if (writes && releases) {
    if (step == abi::AtomicStep::kModify && !there.empty()) known.join(knowledge_of(there));
    now.clocks->publish(slot, bytes_of(known));
  }
  SharedClocks::unlock(slot);
}

void fence(const void* pc) {
  OfThread& self = of_thread();
  if (!self.has_pending) return;
  self.has_pending = false;
  const LibraryCall call(all().job->runtime(), reinterpret_cast<const void*>(&fence), pc);
  all().job->met(call, &self.pending);
  self.pending = {};
}

constexpr abi::AtomicHooks kHooks{.before = before, .after = after, .fence = fence};

}  // namespace

void share(Job& job, const Segment& segment, const std::shared_ptr<SharedClocks>& clocks) {
  if (job.runtime() == nullptr || segment.size == 0 || clocks == nullptr) return;
  All& shared = all();
  const std::lock_guard guard(shared.lock);
  shared.job = &job;
  // Threads that make no call of the library take part in the job from now on (CallLock asks for them).
  shared.memory.push_back({segment, clocks});
  shared.low = std::min(shared.low.load(), segment.begin);
  shared.high = std::max(shared.high.load(), segment.begin + segment.size);
  job.runtime()->follow_atomics(&kHooks);
}

void unshare(std::uint64_t window) {
  All& shared = all();
  const std::lock_guard guard(shared.lock);
  std::erase_if(shared.memory, [&](const Shared& each) { return each.segment.window == window; });
}

void unshare_all(const Job& job) {
  if (job.runtime() != nullptr) job.runtime()->follow_atomics(nullptr);
}

}  // namespace redflag::pgas::mpi
