// Judge: why a paper's detector and ptx_model disagree, read off the program.
//
// The judge knows programs and what the papers say, nothing of the detectors' inside. A race that
// the oracle finds and the detector does not is taken apart into its pairs of accesses; each pair
// must have a cause that can be read off the program itself (a fence of the earlier thread stands
// between, ...), or the detector must find the pair once the other accesses of that memory are
// taken away: then it had forgotten. A report on memory that the oracle calls ordered is treated
// likewise (difference.h has both, for tests and for 'redflag detectors compare').
// docs/how/gpu-detectors.md explains the causes; limits_test.cpp shows each.
//
// Programs are lists of one launch (step_list.h). Questions cost the steps between two accesses.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/gpu/model.h"
#include "core/detect/gpu/shadow.h"
#include "core/detect/gpu/step_list.h"
#include "core/detect/gpu/warp_clocks.h"

namespace redflag::gpu {

enum class Cause : std::uint8_t {
  // Missed.
  kLastAccessor,
  kFenceAlone,
  kBarrierOfOthers,
  kWarpBarrierMask,
  kWithinWarp,
  kOneInstruction,
  kLaterScope,
  kCopy,
  kOtherLaunch,
  kEviction,
  kNumbersWrap,
  kSharedMemory,
  kDivergence,
  // Reported.
  kLockDiscipline,
  kNotStrong,
  kGranularity,
  kFenceOfAnother,
  kEarlierConvergence,
  kSharing,
  kScopeAlone,
  kCountersWrap,
  // Defined otherwise.
  kLockstep,
  kLanesApart,
  kOneScope,
  kStoreSignals,
  kAtomicSize,
};
inline constexpr std::size_t kCauseCount = 26;
struct CauseInfo {
  Cause cause;
  std::string_view name;
  std::string_view because;
};
inline constexpr std::array<CauseInfo, kCauseCount> kCauses{{
    {Cause::kLastAccessor, "last accessor",
     "only the last accessor (and writer) of a place is remembered"},
    {Cause::kFenceAlone, "fence alone",
     "a fence of the earlier thread counts as order, whether a signal passed or not"},
    {Cause::kBarrierOfOthers, "barrier of others",
     "the block's barrier counter went on, but this warp did not wait"},
    {Cause::kWarpBarrierMask, "warp barrier mask", "a warp barrier of some lanes counts for all"},
    {Cause::kWithinWarp, "within warp", "a warp is one thread"},
    {Cause::kOneInstruction, "one instruction",
     "lanes of one instruction are not compared with each other"},
    {Cause::kLaterScope, "later scope", "of two atomics only the earlier one's scope is looked at"},
    {Cause::kCopy, "copy", "an asynchronous copy counts as a load when it starts"},
    {Cause::kOtherLaunch, "other launch",
     "launches, and the host, are not compared with each other"},
    {Cause::kEviction, "eviction", "the metadata cache has forgotten"},
    {Cause::kNumbersWrap, "numbers wrap", "the two threads' numbers are the same in its entry"},
    {Cause::kSharedMemory, "shared memory", "shared memory is not checked"},
    {Cause::kDivergence, "divergence", "barriers that threads reach apart are not looked for"},
    {Cause::kLockDiscipline, "lock discipline",
     "no lock in common, though something else orders the two"},
    {Cause::kNotStrong, "not strong", "weak accesses, ordered by a fence and a signal"},
    {Cause::kGranularity, "granularity", "accesses of other bytes share the entry"},
    {Cause::kFenceOfAnother, "fence of another",
     "what one's own fence did not publish, another thread's did"},
    {Cause::kEarlierConvergence, "earlier convergence",
     "the lanes were together before, but not now"},
    {Cause::kSharing, "sharing", "the writer is compared with its own read, in place of another"},
    {Cause::kScopeAlone, "scope alone",
     "an atomic of block scope, seen from another block behind a fence and a signal"},
    {Cause::kCountersWrap, "counters wrap",
     "so many fences or barriers lie between that their counter is the same again"},
    {Cause::kLockstep, "lockstep",
     "lanes of a warp are in order, but for the two sides of a branch"},
    {Cause::kLanesApart, "lanes apart",
     "lanes of a warp are ordered by syncs alone, and race when they write the same value"},
    {Cause::kOneScope, "one scope",
     "of two scopes one that reaches is enough, and atomics have none"},
    {Cause::kStoreSignals, "store signals",
     "a store right behind a fence is a signal, not data, and a load before a fence waits for it"},
    {Cause::kAtomicSize, "atomic size", "atomics of different sizes on common bytes do not race"},
}};
consteval bool causes_in_order() {
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (static_cast<std::size_t>(kCauses[i].cause) != i) return false;
  }
  return true;
}
static_assert(causes_in_order());
constexpr const CauseInfo& info(Cause cause) {
  return kCauses[static_cast<std::size_t>(cause)];
}
constexpr std::string_view name(Cause cause) {
  return info(cause).name;
}

using Item = StepList::Item;
using RacyBytes = std::map<std::uint64_t, std::set<std::size_t>>;  // byte to steps that race there

inline RacyBytes oracle(const StepList& program) {
  Model<WarpClocks, Shadow> model({.explain = false});
  RacyBytes out;
  std::size_t index = 0;
  model.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out[address + i].insert(index);
  };
  program.run(model, [&](std::size_t step) { index = step; });
  std::erase_if(out, [](const auto& one) { return is_shared(one.first); });
  return out;
}

// The launches of a program, each alone.
template <typename Program>
std::vector<Program> launches_of(const Program& program) {
  std::vector<Program> out;
  std::vector<Item> items;
  for (const Item& item : program.items()) {
    if (item.what == StepList::What::kHost) continue;
    items.push_back(item);
    if (item.what != StepList::What::kEnd) continue;
    out.emplace_back(std::move(items));
    items.clear();
  }
  return out;
}

struct Touch {  // one lane's access
  std::size_t step = 0;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  unsigned lane = 0;
  bool writes = false, is_atomic = false, strong = false, is_copy = false;
  bool narrow = false;  // an atomic of block scope
};

class Judge {
 public:
  // `by_warp`: a warp is one thread, as in ScoRD.
  Judge(const StepList& program, bool by_warp) : program_(program), by_warp_(by_warp) {}

  const StepList& program() const { return program_; }

  // All accesses of [address, address + size), in order.
  std::vector<Touch> touches(std::uint64_t address, unsigned size) const {
    std::vector<Touch> out;
    for (std::size_t i = 0; i < program_.items().size(); ++i) {
      const Item& item = program_.items()[i];
      if (item.what != StepList::What::kStep) continue;
      const bool is_copy = item.step.kind == StepKind::kAsyncCopy;
      if (!is_copy && item.step.kind > StepKind::kAtomicRmw) continue;
      for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t at = is_copy ? item.source[lane] : item.address[lane];
        if (at >= address + size || at + item.step.size <= address) continue;
        out.push_back(touch(i, item.step, lane, is_copy));
      }
    }
    return out;
  }

  bool same_thread(const Touch& a, const Touch& b) const {
    return a.block == b.block && a.warp == b.warp && (by_warp_ || a.lane == b.lane);
  }
  static bool same_warp(const Touch& a, const Touch& b) {
    return a.block == b.block && a.warp == b.warp;
  }

  // A fence of the earlier thread stands between, of a scope that reaches the later one.
  bool fenced(const Touch& a, const Touch& b) const { return fences(a, b, 1) > 0; }
  // How many, up to `most`.
  std::size_t fences(const Touch& a, const Touch& b, std::size_t most) const {
    return count_between(a, b, most, [&](const Step& s) {
      if (s.block != a.block || s.warp != a.warp) return false;
      if (!by_warp_ && (s.lanes >> a.lane & 1) == 0) return false;
      const bool narrow = s.scope == Scope::kBlock || s.scope == Scope::kWarp;
      switch (s.kind) {
        case StepKind::kFence:
          return a.block == b.block || !narrow;
        case StepKind::kAtomicLoad:
        case StepKind::kAtomicStore:
        case StepKind::kAtomicRmw:
        case StepKind::kMbarrierArrive:
          return is_release(s.order) && (a.block == b.block || !narrow);
        case StepKind::kClusterArrive:
          return is_release(s.order);
        case StepKind::kBarrierArrive:  // of a part of the block
          return a.block == b.block && s.expected != 0 && s.expected < block_threads();
        default:
          return false;
      }
    });
  }
  // A round of a barrier for the whole block ended between: its first warp passed.
  bool barrier_passed(const Touch& a, const Touch& b) const { return barriers(a, b, 1) > 0; }
  std::size_t barriers(const Touch& a, const Touch& b, std::size_t most) const {
    if (a.block != b.block) return 0;
    std::size_t count = 0;
    std::set<std::pair<std::uint32_t, std::uint32_t>> ended;
    for (std::size_t i = 0; i < b.step; ++i) {
      const Item& item = program_.items()[i];
      const Step& s = item.step;
      if (item.what != StepList::What::kStep || s.kind != StepKind::kBarrierPass) continue;
      if (s.block != a.block || (s.expected != 0 && s.expected < block_threads())) continue;
      if (ended.emplace(s.object, s.round).second && i > a.step && ++count == most) break;
    }
    return count;
  }
  bool warp_barrier(const Touch& a, const Touch& b) const {
    return same_warp(a, b) && any_between(a, b, [&](const Step& s) {
             return s.kind == StepKind::kWarpSync && s.block == a.block && s.warp == a.warp;
           });
  }
  // Lanes of the warp did something together between.
  bool converged_between(const Touch& a, const Touch& b) const {
    return same_warp(a, b) && any_between(a, b, [&](const Step& s) {
             return s.block == a.block && s.warp == a.warp && !std::has_single_bit(s.converged);
           });
  }
  bool swapped_before(const Touch& b) const {
    for (std::size_t i = 0; i < b.step; ++i) {
      const Item& item = program_.items()[i];
      if (item.what == StepList::What::kStep && item.step.op == RmwOp::kCompareSwap &&
          item.step.kind == StepKind::kAtomicRmw) {
        return true;
      }
    }
    return false;
  }

  // The same program, with no other access of that memory than two; lanes of one instruction write
  // the same value, which is no race.
  StepList only(std::uint64_t address, unsigned size, const Touch& a, const Touch& b) const {
    std::vector<Item> items = program_.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = items[i];
      item.value.fill(0);
      if (item.what != StepList::What::kStep) continue;
      const bool is_copy = item.step.kind == StepKind::kAsyncCopy;
      if (!is_copy && item.step.kind > StepKind::kAtomicRmw) continue;
      for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if ((i == a.step && lane == a.lane) || (i == b.step && lane == b.lane)) continue;
        std::uint64_t& at = is_copy ? item.source[lane] : item.address[lane];
        if (at < address + size && at + item.step.size > address) at = StepList::nowhere(i, lane);
      }
    }
    return StepList(std::move(items));
  }

 private:
  static Touch touch(std::size_t index, const Step& step, unsigned lane, bool is_copy) {
    Touch t;
    t.step = index;
    t.block = step.block;
    t.warp = step.warp;
    t.lane = lane;
    t.is_copy = is_copy;
    t.is_atomic = !is_copy && step.kind >= StepKind::kAtomicLoad;
    t.strong = t.is_atomic || step.is_volatile;
    t.narrow = t.is_atomic && step.scope == Scope::kBlock;
    t.writes = step.kind == StepKind::kWrite || step.kind == StepKind::kAtomicStore ||
               (step.kind == StepKind::kAtomicRmw && (step.wrote >> lane & 1) != 0);
    return t;
  }
  std::uint32_t block_threads() const { return program_.items().front().launch.block_threads(); }
  template <typename F>
  std::size_t count_between(const Touch& a, const Touch& b, std::size_t most, F holds) const {
    std::size_t count = 0;
    for (std::size_t i = a.step + 1; i < b.step && count < most; ++i) {
      const Item& item = program_.items()[i];
      if (item.what == StepList::What::kStep && holds(item.step)) ++count;
    }
    return count;
  }
  template <typename F>
  bool any_between(const Touch& a, const Touch& b, F holds) const {
    return count_between(a, b, 1, holds) > 0;
  }

  const StepList& program_;
  bool by_warp_;
};

}  // namespace redflag::gpu
