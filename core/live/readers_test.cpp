// Histories that readers change in place: a read and a write at the same moment must meet.
#include "core/live/stress.h"

namespace redflag::live {
namespace {

// Both threads have read the bytes; the reader's part is known to the writer. Then one reads them again
// and the other writes them, with nothing between the two: a race, on all of them, every time.
class Readers : public Stress, public testing::WithParamInterface<unsigned> {
 protected:
  Readers() : Stress(1U << 20) {}
};

TEST_P(Readers, ThatComeAgainAreSeenByTheWriter) {
  const unsigned size = GetParam();
  constexpr int kRounds = 4000;
  Gate both;
  std::atomic<int> round{0};
  std::atomic<bool> stop{false};
  std::uint64_t in_place = 0;
  const auto at = [&] { return kMemory + static_cast<std::uint64_t>(round) * 2 * kGranule; };
  at_once(2, [&](Player& p, std::uint32_t k) {
    both.pass();
    if (stop) return false;
    // Beside others, so that the granule has halves, or bytes.
    if (size != kGranule && k == 0) p.d.access(p.t, at() + 4, 4, true, 1);
    both.pass();
    p.d.check_at_once<false>(p.t, at(), size, 1);
    both.pass();
    if (k == 0) p.d.check_at_once<false>(p.t, at(), size, 1);
    if (k == 0) p.d.release(p.t, kLocks, true);
    both.pass();
    if (k == 1) p.d.acquire(p.t, kLocks);
    if (k == 0 && size == kGranule) {
      in_place += is_own(p.d.shadow.find(at())->load()) ? 1 : 0;
    }
    both.pass();
    if (k == 0) {
      p.d.check_at_once<false>(p.t, at(), size, 1);
    } else {
      p.d.access(p.t, at(), size, true, 1);
    }
    both.pass();
    if (k == 0) {
      const auto races = rig_.take_races();
      EXPECT_EQ(Rig::bytes_of(races).size(), size)
          << "round " << round << ": " << Rig::words(races);
      ++round;
      if (round == kRounds || !time_left() || HasFailure()) stop = true;
    }
    return true;
  });
  // Else nothing was tried.
  if (size == kGranule) {
    EXPECT_GT(in_place, static_cast<std::uint64_t>(round) / 2);
  }
}

// The first accesses to some bytes of a granule whose other bytes have been accessed: whoever comes
// second must find the first, though both looked at the same moment.
TEST_P(Readers, ThatAreFirstTogetherWithAWriterMeetIt) {
  const unsigned size = GetParam();
  constexpr int kRounds = 20000;
  Gate both;
  std::atomic<int> round{0};
  std::atomic<bool> stop{false};
  int in_place = 0;
  const auto at = [&] { return kMemory + static_cast<std::uint64_t>(round) * 2 * kGranule; };
  at_once(2, [&](Player& p, std::uint32_t k) {
    p.d.release(p.t, kLocks + k * 64, true);  // a new epoch: no split is like another
    if (k == 0 && size != kGranule) p.d.access(p.t, at() + 5, size == 1 ? 1 : 3, true, 1);
    if (k == 0 && size == 1) in_place += is_own_split(p.d.shadow.find(at())->load()) ? 1 : 0;
    both.pass();
    if (stop) return false;
    if (k == 1) {
      p.d.access(p.t, at(), size, true, 1);
    } else if (round % 2 == 0) {
      p.d.check_at_once<false>(p.t, at(), size, 1);
    } else {
      p.d.access(p.t, at(), size, round % 4 == 1, 1);
    }
    both.pass();
    if (k == 0) {
      const auto races = rig_.take_races();
      EXPECT_EQ(Rig::bytes_of(races).size(), size)
          << "round " << round << ": " << Rig::words(races);
      ++round;
      if (round == kRounds || !time_left() || HasFailure()) stop = true;
    }
    both.pass();
    return true;
  });
  if (size == 1) {
    EXPECT_GT(in_place, round / 2) << "nothing was tried";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Readers, testing::Values(1U, 4U, 8U));

}  // namespace
}  // namespace redflag::live
