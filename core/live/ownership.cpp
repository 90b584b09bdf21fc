// Who may change the cells of a block: taking over what belongs to another thread.
//
// The owner changes cells with plain stores while it is inside the detector. So a block may change
// hands only when its owner is outside: the taker marks the block as moving, makes sure that the
// owner sees this or is seen inside (membarrier), and waits for it to leave. Whoever waits is outside
// itself, so that waiting threads never wait for each other. After kMoves moves the block is shared,
// and everybody uses compare-and-swap: it stays so.
//
// A membarrier interrupts all other processors. Of a range that is about to be walked, the blocks that follow and
// have the same owner are taken along: one wait for all of them.
#include "core/live/detector.h"

namespace redflag::live {
namespace {
constexpr std::uint32_t kMoves = 3;
constexpr std::uint32_t kMostAtOnce = 64;
}  // namespace

// The pages of the cells of a block that nobody had, as far as they are about to be changed: a new page that is
// read first is mapped twice, and all processors are interrupted for the second.
void Detector::touch(std::uint64_t home, std::uint64_t last) {
  constexpr std::uint64_t kPage = kOsPage / sizeof(Cell) * kGranule;  // bytes whose cells fill one
  const std::uint64_t end = home | ((std::uint64_t{1} << kBlockShift) - 1);
  for (std::uint64_t at = home; at <= last && at <= end; at = at / kPage * kPage + kPage) {
    shadow.get(at).fetch_or(0, std::memory_order_relaxed);
  }
}

bool Detector::take_over(Thread& t, Owner& owner, std::uint64_t home, std::uint64_t length) {
  // Owners of a region lie side by side.
  const std::uint64_t room = kRegionBytes - home % kRegionBytes;
  const std::uint64_t last = home + (length < room ? length : room) - 1;
  const std::uint64_t blocks = (last >> kBlockShift) - (home >> kBlockShift) + 1;
  for (;;) {
    std::uint32_t now = owner.load(std::memory_order_acquire);
    if ((now & kOwnerMask) == t.number + 1 && now < kMovingBlock) return true;
    if (now == kSharedBlock) return false;
    if (now == 0) {
      if (owner.compare_exchange_strong(now, t.number + 1, std::memory_order_acq_rel)) {
        touch(home, last);
        return true;
      }
      continue;
    }
    world.step_out(t);
    if (now == kMovingBlock) {
      os_yield();
    } else if (owner.compare_exchange_strong(now, kMovingBlock, std::memory_order_seq_cst)) {
      std::uint32_t was[kMostAtOnce] = {now};
      std::uint32_t n = 1;
      for (; n < kMostAtOnce && n < blocks; ++n) {
        Owner& next = (&owner)[n];
        was[n] = next.load(std::memory_order_relaxed);
        if (was[n] >= kMovingBlock || (was[n] & kOwnerMask) != (now & kOwnerMask) ||
            !next.compare_exchange_strong(was[n], kMovingBlock, std::memory_order_seq_cst)) {
          break;
        }
      }
      world.wait_for((now & kOwnerMask) - 1);
      for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t moves = (was[k] >> kOwnerBits) + 1;
        (&owner)[k].store(moves > kMoves ? kSharedBlock : moves << kOwnerBits | (t.number + 1),
                          std::memory_order_release);
      }
    }
    world.step_in(t);
  }
}

}  // namespace redflag::live
