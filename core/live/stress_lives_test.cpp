// Beginnings and ends under load: of threads, of memory, of whole granules' histories.
//
// Thousands of threads come and go while others work and histories are swept: slots pass on, and the
// detector needs no more memory at the end than after the first few. Memory gets a new life while
// its neighbours in the same block are in use.
#include "core/live/stress.h"

namespace redflag::live {
namespace {

using May = Player::May;

// What a worker's children touch is the worker's: ordered by create and join.
class Lives : public Stress {
 protected:
  static Part window_of(std::uint32_t k) { return {kMemory + k * 1000, 1000}; }

  // A child of p's thread lives and ends on a system thread of its own.
  void one_child(Player& p, std::uint32_t k, bool joined) {
    Thread& child = rig_.thread(numbers_.fetch_add(1), &p.t);
    const std::uint64_t seed = p.below(1U << 30);
    std::thread running([&, seed] {
      Player q(*rig_, child, seed);
      // A thread that is never joined is never ordered again: it has bytes of its own, once.
      const std::uint64_t n = child.number;
      const Part w = joined ? window_of(k) : Part{kMemory + (1U << 24) + n * 64, 64};
      q.act(w, May::kWrite);
      q.act(w, May::kWrite);
      rig_->end(child);
      if (!joined) rig_->free(child);
    });
    running.join();
    if (!joined) return;
    rig_->joined(p.t, child);
    rig_->free(child);
    p.act(window_of(k), May::kWrite);
  }

  std::atomic<std::uint32_t> numbers_{1000};
};

TEST_F(Lives, JoinedThreadsLeaveNothingBehind) {
  std::size_t bytes[2] = {};
  std::uint32_t slots[2] = {};
  for (int phase = 0; phase < 2; ++phase) {
    std::atomic<int> left{phase == 0 ? 100 : 3000};
    at_once(3, [&](Player& p, std::uint32_t k) {
      one_child(p, k, true);
      return go_on(left);
    });
    for (std::uint32_t k = 0; k < 3; ++k) {
      rig_->range(main_, window_of(k).begin, window_of(k).size, LogKind::kFree, 1);
      rig_->forget(window_of(k).begin, window_of(k).size);
    }
    rig_->sweep(nullptr);
    bytes[phase] = rig_->arena.bytes_in_use();
    slots[phase] = rig_->slots.count();
  }
  expect_no_race();
  EXPECT_LE(slots[0], 12U);
  EXPECT_LE(slots[1], slots[0] + 2) << "slots of joined threads do not pass on";
  EXPECT_LE(bytes[1], bytes[0] + 8192) << "3000 threads, and each left something";
}

TEST_F(Lives, ThreadsThatNobodyJoinsWhileAllIsSwept) {
  const Sweeping sweeping(rig_);
  std::atomic<int> left{1500};
  at_once(3, [&](Player& p, std::uint32_t k) {
    one_child(p, k, p.below(3) == 0);
    return go_on(left);
  });
  expect_no_race();
}

// Forgetting too much, or what others change meanwhile, would show: all was written at the end.
TEST_F(Lives, MemoryIsRenewedBesideOthers) {
  constexpr std::uint64_t kChunk = 64;
  constexpr std::uint32_t kPlayers = 3;
  const Part all{kMemory, kChunk * kPlayers * 128};  // of one block and a half
  for (int round = 0; round < 6 && time_left() && !HasFailure(); ++round) {
    Thread& observer = rig_.thread(next_++);
    const Sweeping sweeping(rig_);
    std::atomic<int> left{4000};
    at_once(kPlayers, [&](Player& p, std::uint32_t k) {
      const auto chunk = [&](std::uint64_t n) {
        return Part{all.begin + (n * kPlayers + k) * kChunk, kChunk};
      };
      if (go_on(left)) {
        p.act(chunk(p.below(p.below(2) == 0 ? 4 : 128)), May::kRenew);
        return true;
      }
      for (std::uint64_t n = 0; n < 128; ++n) {
        p.d.range(p.t, chunk(n).begin, kChunk, LogKind::kWrite, 1);
      }
      return false;
    });
    expect_all_known_as_written(all, observer);
    rig_->made(main_, all.begin, all.size, 1);
  }
}

}  // namespace
}  // namespace redflag::live
