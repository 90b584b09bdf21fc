// Barracuda's trace operations (dissertation, section 5.4.1), and how steps are read as such.
//
// A step is a warp's instruction, so it becomes one operation with a mask of lanes, as a record of the
// device's queue has one (section 5.5.2), and endi(w) behind it. Acquire and release are inferred:
//   store behind a fence                    rel, with the fence's scope
//   load, then a fence                      acq
//   atomic with a fence before, or after    rel, acq, or both
//   atom.cas                                acquires only by a fence behind it
// The paper looks for the fence next to the access in the code; steps are of a run. So a fence counts
// for the lane's next store only if the lane does nothing between, and no atomic stood before the fence; an atomic releases what was
// before the lane's last fence, wherever that was; other atomics than compare-and-swap acquire at
// once when their result is used, as the ticket of threadFenceReduction needs it (docs/how/semantics.md,
// level cuda). PTX that came later says acquire and release itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/detect/gpu/barracuda/rules.h"
#include "core/detect/gpu/grid.h"
#include "core/model/gpu.h"

namespace redflag::gpu::barracuda {

enum class Op : std::uint8_t {
  kRead,
  kWrite,
  kEndInstruction,
  kIf,
  kElse,
  kFi,
  kBarrier,
  kAtomic,
  kAcquireBlock,
  kReleaseBlock,
  kAcquireReleaseBlock,
  kAcquireGlobal,
  kReleaseGlobal,
  kAcquireReleaseGlobal,
};
inline constexpr std::size_t kOpCount = 14;
inline constexpr std::array<std::string_view, kOpCount> kOpNames{
    "rd",  "wr",     "endi",   "if",    "else",   "fi",     "bar",
    "atm", "acqBlk", "relBlk", "arBlk", "acqGlb", "relGlb", "arGlb"};
constexpr std::string_view name(Op op) {
  return kOpNames[static_cast<std::size_t>(op)];
}

// Two scopes: block, and global for all that is wider.
constexpr bool is_global(Level level) {
  return level != Level::kBlock;
}
constexpr Op acquire(bool global) {
  return global ? Op::kAcquireGlobal : Op::kAcquireBlock;
}
constexpr Op release(bool global) {
  return global ? Op::kReleaseGlobal : Op::kReleaseBlock;
}
constexpr Op acquire_release(bool global) {
  return global ? Op::kAcquireReleaseGlobal : Op::kAcquireReleaseBlock;
}

// The operation of a rule of acquire or release: what fences made of an access beside them.
constexpr Op op_of(Rule rule) {
  return static_cast<Op>(
      static_cast<unsigned>(Op::kAcquireBlock) +
      (static_cast<unsigned>(rule) - static_cast<unsigned>(Rule::kAcquireBlock)));
}
static_assert(op_of(Rule::kReleaseBlock) == Op::kReleaseBlock &&
              op_of(Rule::kAcquireReleaseGlobal) == Op::kAcquireReleaseGlobal);
// An atomic that says itself what it orders; else a standalone atm.
constexpr Op op_of_atomic(const Step& step) {
  const bool global = is_global(level_of(step.scope));
  if (is_acquire(step.order) && is_release(step.order)) return acquire_release(global);
  if (is_acquire(step.order)) return acquire(global);
  if (is_release(step.order)) return release(global);
  return Op::kAtomic;
}

// Lanes whose last deed was a fence: their next store is a signal. A fence right behind an atomic is
// that one's, and makes no signal of what follows.
class FencedLanes {
 public:
  void atomic(Lanes lanes) {
    other(lanes);
    atomic_ |= lanes;
  }
  void fence(Lanes lanes, bool is_global_fence) {
    const Lanes taken = atomic_ & lanes;
    other(lanes);
    fenced_ |= lanes & ~taken;
    if (is_global_fence) global_ |= lanes & ~taken;
  }
  void other(Lanes lanes) {  // something else
    fenced_ &= ~lanes;
    global_ &= ~lanes;
    atomic_ &= ~lanes;
  }
  Lanes fenced() const { return fenced_; }
  bool is_global(unsigned lane) const { return (global_ >> lane & 1) != 0; }

 private:
  Lanes fenced_ = 0;
  Lanes global_ = 0;  // of these, by a global fence
  Lanes atomic_ = 0;  // lanes whose last deed was an atomic
};

}  // namespace redflag::gpu::barracuda
