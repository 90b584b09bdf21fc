#include "core/generate/random_program.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "core/generate/random.h"
#include "core/model/make_event.h"

namespace redflag {
namespace {

constexpr std::uint64_t kData = 0x10000;     // plain variables: kVariables of 16 bytes
constexpr std::uint64_t kAtomics = 0x20000;  // atomic variables: kVariables of 8 bytes, may overlap
constexpr std::uint64_t kHeap = 0x30ff0;     // blocks; straddles a page
constexpr std::uint64_t kBuffer = 0x33000;
constexpr std::uint32_t kBufferBytes = 2 * 4096 + 16;
constexpr std::uint64_t kLockPlaces = 0x40000;
constexpr std::uint64_t kBarrierPlace = 0x50000;
constexpr std::uint32_t kVariables = 4;
constexpr std::uint32_t kBlockBytes = 24;
constexpr std::array<Order, 5> kAnyOrder{Order::kRelaxed, Order::kAcquire, Order::kRelease,
                                         Order::kAcqRel, Order::kSeqCst};

struct Thread {
  std::deque<Event> script;  // what it is going to do next
  bool started = false;
  bool done = false;  // does no more actions
  bool joined = false;
  std::uint32_t parent = 0;
};

class Program {
 public:
  Program(std::uint64_t seed, const ProgramShape& shape) : random_(seed), shape_(shape) {
    threads_.emplace_back();
    threads_[0].started = true;
  }

  std::vector<Event> run() {
    // Everything ends by itself: scripts are finite, and once the steps are used up no action is
    // added.
    while (true) {
      std::vector<std::uint32_t> able;
      for (std::uint32_t t = 0; t < threads_.size(); ++t) {
        if (threads_[t].started && !threads_[t].done && (threads_[t].script.empty() || can(t))) {
          able.push_back(t);
        }
      }
      if (able.empty()) break;
      const std::uint32_t t = able[random_.below(able.size())];
      if (threads_[t].script.empty()) plan(t);
      if (!threads_[t].script.empty() && can(t)) step(t);
    }
    for (std::uint32_t u = 1; u < threads_.size() && shape_.join_all; ++u) {
      if (threads_[u].started && !threads_[u].joined) trace_.push_back(make::join(0, u));
    }
    return std::move(trace_);
  }

 private:
  bool spent() const { return trace_.size() >= shape_.steps; }

  // May the first event of t's script happen now?
  bool can(std::uint32_t t) {
    const Event& e = threads_[t].script.front();
    switch (e.kind) {
      case EventKind::kAcquire:
        return !writer_.contains(e.object) && readers_[e.object].empty();
      case EventKind::kAcquireShared:
        return !writer_.contains(e.object);
      case EventKind::kJoin:
        return threads_[raw(e.other())].done;
      case EventKind::kBarrierExit:
        return leaving_.contains(t) || inside_.size() == round_;
      default:
        return true;
    }
  }

  void step(std::uint32_t t) {
    const Event e = threads_[t].script.front();
    threads_[t].script.pop_front();
    trace_.push_back(e);
    switch (e.kind) {
      case EventKind::kAcquire:
        writer_.insert(e.object);
        break;
      case EventKind::kRelease:
        writer_.erase(e.object);
        break;
      case EventKind::kAcquireShared:
        readers_[e.object].insert(t);
        break;
      case EventKind::kReleaseShared:
        readers_[e.object].erase(t);
        break;
      case EventKind::kFork:
        threads_[raw(e.other())].started = true;
        break;
      case EventKind::kJoin:
        threads_[raw(e.other())].joined = true;
        break;
      case EventKind::kBarrierEnter:
        inside_.insert(t);
        break;
      case EventKind::kBarrierExit:
        if (!leaving_.contains(t)) {  // the round is full: all of it may leave
          leaving_ = inside_;
          inside_.clear();
        }
        leaving_.erase(t);
        --exits_planned_;
        break;
      default:
        break;
    }
  }

  void add(std::uint32_t t, Event e) {
    if (random_.chance(3)) threads_[t].script.push_back(make::work(t, 1 + random_.below(1000)));
    e.source = SourceId{1 + static_cast<std::uint32_t>(random_.below(20))};
    threads_[t].script.push_back(e);
  }

  bool breaks_the_rule() {
    if (shape_.style == ProgramStyle::kChaotic) return random_.chance(50);
    return shape_.style == ProgramStyle::kCareless && random_.chance(6);
  }

  // An access inside [base, base + extent), of any size that fits.
  Event touch(std::uint32_t t, std::uint64_t base, std::uint32_t extent, bool may_write) {
    static constexpr std::array<std::uint32_t, 8> kSizes{1, 2, 3, 4, 4, 8, 8, 16};
    const std::uint32_t size = std::min(extent, kSizes[random_.below(kSizes.size())]);
    std::uint64_t addr = base + random_.below(extent - size + 1);
    if (random_.chance(50)) addr -= addr % std::min(size, 8U);  // as compilers like it
    addr = std::max(addr, base);
    Event e =
        may_write && random_.chance(45) ? make::write(t, addr, size) : make::read(t, addr, size);
    e.is_volatile = random_.chance(8);
    return e;
  }

  std::uint64_t variable(std::uint64_t i) const { return kData + 16 * i; }

  void plan(std::uint32_t t) {
    if (spent() || (t != 0 && random_.chance(4))) return finish(t);
    switch (random_.below(12)) {
      case 0:
      case 1:
        return bare(t);
      case 2:
      case 3:
      case 4:
        return locked(t);
      case 5:
        return read_locked(t);
      case 6:
      case 7:
        return message(t);
      case 8:
        return atomics(t);
      case 9:
        return fork_or_join(t);
      case 10:
        return barrier();
      default:
        return heap(t);
    }
  }

  // Variable 3 is read-only in careful programs, so bare reads of it are fine; others need a lock.
  void bare(std::uint32_t t) {
    if (breaks_the_rule()) return add(t, touch(t, variable(random_.below(kVariables)), 16, true));
    add(t, touch(t, variable(3), 16, false));
  }

  // Lock i protects variable i, for i in 0..2.
  void locked(std::uint32_t t) {
    const std::uint64_t i = random_.below(3);
    add(t, make::acquire(t, kLockPlaces + 8 * i));
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      const std::uint64_t v = breaks_the_rule() ? random_.below(3) : i;
      add(t, touch(t, variable(v), 16, true));
    }
    add(t, make::release(t, kLockPlaces + 8 * i));
  }

  void read_locked(std::uint32_t t) {
    const std::uint64_t i = random_.below(3);
    add(t, make::acquire_shared(t, kLockPlaces + 8 * i));
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      add(t, touch(t, variable(i), 16, breaks_the_rule()));
    }
    add(t, make::release_shared(t, kLockPlaces + 8 * i));
  }

  Order order(bool releasing, bool acquiring) {
    if (!breaks_the_rule()) {
      if (releasing && acquiring) return random_.chance(50) ? Order::kAcqRel : Order::kSeqCst;
      if (random_.chance(30)) return Order::kSeqCst;
      return releasing ? Order::kRelease : Order::kAcquire;
    }
    while (true) {
      const Order o = kAnyOrder[random_.below(kAnyOrder.size())];
      if (releasing && !acquiring && (o == Order::kAcquire || o == Order::kAcqRel)) continue;
      if (acquiring && !releasing && (o == Order::kRelease || o == Order::kAcqRel)) continue;
      return o;
    }
  }

  Order fence_order(Order right) {
    if (breaks_the_rule()) return right == Order::kAcquire ? Order::kRelease : Order::kAcquire;
    if (random_.chance(60)) return right;
    return random_.chance(50) ? Order::kAcqRel : Order::kSeqCst;
  }

  // A store that publishes or a load that receives, by order or by fence. In careful programs the
  // data that goes with it is variable 3, which nobody writes.
  void message(std::uint32_t t) {
    const std::uint64_t flag = kAtomics + 8 * random_.below(kVariables);
    const bool fenced = random_.chance(35);
    const std::uint64_t data = breaks_the_rule() ? kData + 64 : variable(3);
    if (random_.chance(50)) {
      add(t, touch(t, data, 16, data != variable(3)));
      if (fenced) add(t, make::fence(t, fence_order(Order::kRelease)));
      add(t, make::store(t, flag, fenced ? Order::kRelaxed : order(true, false)));
    } else {
      add(t, make::load(t, flag, fenced ? Order::kRelaxed : order(false, true)));
      if (fenced) add(t, make::fence(t, fence_order(Order::kAcquire)));
      add(t, touch(t, data, 16, data != variable(3)));
    }
  }

  // Atomics of different sizes that overlap, and plain accesses of atomics when rules are broken.
  void atomics(std::uint32_t t) {
    static constexpr std::array<std::uint32_t, 4> kSizes{1, 2, 4, 8};
    const std::uint32_t size = kSizes[random_.below(kSizes.size())];
    const std::uint64_t addr = kAtomics + 8 * random_.below(kVariables) + random_.below(9 - size);
    switch (random_.below(4)) {
      case 0:
        return add(t, make::load(t, addr, order(false, true), size));
      case 1:
        return add(t, make::store(t, addr, order(true, false), size));
      case 2:
        return add(t, make::rmw(t, addr, order(true, true), size));
      default:
        if (breaks_the_rule()) add(t, touch(t, addr, size, true));
    }
  }

  void fork_or_join(std::uint32_t t) {
    for (std::uint32_t u = 1; u < threads_.size(); ++u) {
      if (threads_[u].parent == t && threads_[u].started && !threads_[u].joined &&
          threads_[u].done && random_.chance(60)) {
        threads_[u].joined = true;  // planned: nobody else joins it
        return add(t, make::join(t, u));
      }
    }
    const auto alive =
        std::count_if(threads_.begin(), threads_.end(), [](const Thread& x) { return !x.done; });
    if (alive >= shape_.max_threads) return;
    const auto u = static_cast<std::uint32_t>(threads_.size());
    threads_.emplace_back();
    threads_[u].parent = t;
    add(t, make::fork(t, u));
  }

  // Most of the threads that run now meet, once or twice, unless a meeting is under way.
  void barrier() {
    if (exits_planned_ != 0) return;
    const int times = random_.chance(30) ? 2 : 1;
    round_ = 0;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (!threads_[t].started || threads_[t].done || random_.chance(25)) continue;
      ++round_;
      for (int i = 0; i < times; ++i) {
        add(t, make::barrier_enter(t, kBarrierPlace));
        add(t, make::barrier_exit(t, kBarrierPlace));
        ++exits_planned_;
      }
    }
  }

  // A buffer of two pages and a bit, filled or given back at once: large ranges and their parts.
  void buffer(std::uint32_t t) {
    if (!breaks_the_rule()) return;
    switch (random_.below(6)) {
      case 0:
        return add(t, make::free(t, kBuffer, kBufferBytes));
      case 1:
        return add(t, make::alloc(t, kBuffer, kBufferBytes));
      case 2:
        return add(t, make::read(t, kBuffer, kBufferBytes));
      default:
        return add(t, touch(t, kBuffer + 4096 * random_.below(2) + 8 * random_.below(4), 16, true));
    }
  }

  void heap(std::uint32_t t) {
    if (random_.chance(25)) return buffer(t);
    if (block_owner_ == kNobody) {
      block_owner_ = t;
      add(t, make::alloc(t, kHeap, kBlockBytes));
      add(t, make::write(t, kHeap, 8));
      return;
    }
    if (block_owner_ != t && !breaks_the_rule()) return;
    add(t, touch(t, kHeap, kBlockBytes, true));
    if (block_owner_ == t && random_.chance(40)) {
      add(t, make::free(t, kHeap, kBlockBytes));
      block_owner_ = kNobody;
    }
  }

  void finish(std::uint32_t t) {
    if (t == 0) {  // wait for those of ours that are there to be waited for
      for (std::uint32_t u = 1; u < threads_.size(); ++u) {
        if (threads_[u].started && threads_[u].done && !threads_[u].joined &&
            threads_[u].parent == 0 && random_.chance(70)) {
          threads_[u].joined = true;
          return add(t, make::join(t, u));
        }
      }
    }
    if (random_.chance(50) && !(t == 0 && shape_.join_all)) trace_.push_back(make::end(t));
    threads_[t].done = true;
  }

  static constexpr std::uint32_t kNobody = ~0U;

  Random random_;
  ProgramShape shape_;
  std::deque<Thread> threads_;
  std::set<std::uint64_t> writer_;
  std::map<std::uint64_t, std::set<std::uint32_t>> readers_;
  std::set<std::uint32_t> inside_;   // entered the present round
  std::set<std::uint32_t> leaving_;  // of the full round, not gone yet
  std::size_t round_ = 0;            // how many make it full
  std::size_t exits_planned_ = 0;
  std::uint32_t block_owner_ = kNobody;
  std::vector<Event> trace_;
};

}  // namespace

std::vector<Event> random_program(std::uint64_t seed, const ProgramShape& shape) {
  return Program(seed, shape).run();
}

ProgramShape shape_of_seed(std::uint64_t seed) {
  static constexpr std::array<ProgramStyle, 4> kStyles{
      ProgramStyle::kChaotic, ProgramStyle::kCareless, ProgramStyle::kCareful,
      ProgramStyle::kCareless};
  return ProgramShape{.style = kStyles[seed % kStyles.size()],
                      .max_threads = static_cast<std::uint32_t>(2 + seed / 4 % 5),
                      .steps = static_cast<std::uint32_t>(20 + seed / 20 % 10 * 25),
                      .join_all = false};
}

}  // namespace redflag
