// The detector with threads that really run at once.
//
// Whatever they do in order, or on bytes of their own, must never be told of as a race; whatever two
// do without order always must, on exactly the bytes both touched. All the while epochs are swept,
// granules fall into bytes, threads come and go. A thread that nobody started (an observer) shows at the end that nothing was lost: it is
// ordered with nothing, so each byte that somebody wrote is a race with it, once.
#include "core/live/stress.h"

namespace redflag::live {
namespace {

using May = Player::May;

TEST_F(Stress, WhatLocksOrderIsNoRace) {
  constexpr std::uint32_t kRegions = 4;
  constexpr std::uint64_t kRegion = 2 * kBlock + 64;  // two share a block
  std::mutex mutexes[kRegions];
  const auto own = [](std::uint32_t k) { return Part{kMemory + (1U << 20) + k * 520, 520}; };
  const Part constant{kMemory + (2U << 20), 512};
  const Part atomics{kMemory + (3U << 20), 64};
  rig_->range(main_, constant.begin, constant.size, LogKind::kWrite, 1);
  const Sweeping sweeping(rig_);
  std::atomic<int> left{20000};
  at_once(4, [&](Player& p, std::uint32_t k) {
    const auto r = static_cast<std::uint32_t>(p.below(kRegions));
    {
      const std::lock_guard guard(mutexes[r]);
      p.d.lock_acquired(p.t, kLocks + r * 64, false, 1, 1);
      for (std::uint64_t n = p.below(12); n > 0; --n) {
        // Often the same few granules, sometimes anywhere.
        const std::uint64_t at = p.below(3) != 0 ? 0 : p.below(kRegion - 600);
        p.act({kMemory + r * kRegion + at, 40 + p.below(500)}, May::kRenew);
      }
      p.d.lock_released(p.t, kLocks + r * 64, false, false, nullptr);
    }
    p.act(own(k), May::kRenew);
    p.act(constant, May::kRead);
    p.atomic(atomics);
    return go_on(left);
  });
  expect_no_race();
}

TEST_F(Stress, ReadersAndWritersOfALock) {
  std::mutex mutex;
  std::atomic<int> readers{0};
  const Part w{kMemory, 1024};
  const Sweeping sweeping(rig_);
  std::atomic<int> left{20000};
  at_once(4, [&](Player& p, std::uint32_t) {
    const bool shared = p.below(4) != 0;
    {
      std::unique_lock guard(mutex);
      while (!shared && readers != 0) {
        guard.unlock();
        os_yield();
        guard.lock();
      }
      if (shared) ++readers;
      p.d.lock_acquired(p.t, kLocks, shared, 1, 1);
      if (!shared) {
        p.act(w, May::kRenew);
        p.d.lock_released(p.t, kLocks, false, false, nullptr);
      }
    }
    if (shared) {
      for (std::uint64_t n = p.below(4); n > 0; --n) p.act(w, May::kRead);
      p.d.lock_released(p.t, kLocks, true, false, nullptr);
      --readers;
    }
    return go_on(left);
  });
  expect_no_race();
}

// Bytes and halves of the same granules, side by side.
TEST_F(Stress, NeighboursInAGranuleKeepTheirBytes) {
  const Part all{kMemory, 64 * kGranule};
  const Sweeping sweeping(rig_);
  for (int round = 0; round < 12 && time_left(); ++round) {
    const bool halves = round % 3 != 0;
    Thread& observer = rig_.thread(next_++);
    std::atomic<int> left{1500};
    at_once(2, [&](Player& p, std::uint32_t k) {
      const bool last = !go_on(left);
      for (std::uint64_t g = all.begin; g < all.begin + all.size; g += kGranule) {
        if (!last && p.below(8) != 0) continue;
        const std::uint64_t at = g + k * 4 + (halves || last ? 0 : p.below(4));
        const unsigned size = halves || last ? 4 : 1;
        const bool write = last || p.below(2) == 0;
        if (p.below(3) == 0) {
          p.walk_on(at, size, write, k);
        } else if (p.below(2) == 0) {
          p.d.range(p.t, at, size, write ? LogKind::kWrite : LogKind::kRead, 1);
        } else {
          p.d.access(p.t, at, size, write, 1);
        }
      }
      if (p.below(4) == 0) p.d.release(p.t, kLocks + k * 64, true);  // a new epoch
      return !last;
    });
    expect_all_known_as_written(all, observer);
    rig_->made(main_, all.begin, all.size, 1);
  }
}

// Two players in rounds, each on a block that nobody had before. `prepare` and `check` are between
// rounds, when nobody else does anything.
class Rounds : public Stress {
 protected:
  void in_rounds(const std::function<void(Part)>& prepare,
                 const std::function<void(Player&, std::uint32_t, Part)>& act,
                 const std::function<void(Part)>& check) {
    Gate both;
    Part w{kMemory, kBlock / 4};
    bool more = true;
    prepare(w);
    at_once(2, [&](Player& p, std::uint32_t k) {
      both.pass();
      act(p, k, w);
      both.pass();
      if (k == 0) {
        check(w);
        w.begin += kBlock;
        more = w.begin < kMemory + 12000 * kBlock && time_left() && !HasFailure();
        if (more) prepare(w);
      }
      both.pass();
      return more;
    });
  }
  // How many bytes somebody wrote without the observer's knowing.
  std::uint64_t written(Part w) {
    rig_.take_races();
    rig_->range(observer_, w.begin, w.size, LogKind::kRead, 1);
    std::uint64_t bytes = 0;
    for (const Rig::Told& told : rig_.take_races()) bytes += told.race.size;
    return bytes;
  }

 private:
  Thread& observer_ = rig_.thread(next_++);
};

// Reading again what is known already changes nothing: not what others do meanwhile, either.
TEST_F(Rounds, WalksOverKnownCellsUndoNothing) {
  Gate both;
  std::atomic<bool> done{false};
  in_rounds([&](Part) { done = false; },
            [&](Player& p, std::uint32_t k, Part w) {
              const bool column = w.begin / kBlock % 4 == 0;
              const auto read = [&] {
                if (!column) return p.d.range(p.t, w.begin, w.size, LogKind::kRead, 1);
                for (std::uint64_t at = 0; at < w.size; at += 16)
                  p.walk_on(w.begin + at, 8, false, 1);
              };
              for (std::uint32_t turn = 0; turn < 3; ++turn) {
                if (turn % 2 == k) read();
                both.pass();
              }
              if (k == 0) {
                while (!done.load()) read();
                return;
              }
              for (std::uint64_t at = 0; at < w.size; at += 8) {
                p.d.access(p.t, w.begin + at, 8, true, 1);
              }
              done = true;
            },
            [&](Part w) { EXPECT_EQ(written(w), w.size) << "a walk undid what another wrote"; });
}

// Each writes its half of all granules.
TEST_F(Rounds, HalvesOfGranulesAreNotLost) {
  in_rounds([](Part) {},
            [&](Player& p, std::uint32_t k, Part w) {
              for (std::uint64_t turn = w.begin / kBlock % 2; turn < 3; ++turn) {
                const std::uint64_t begin = w.begin + k * 4;
                for (std::uint64_t at = 0; at < w.size; at += 8) p.walk_on(begin + at, 4, true, 1);
                p.d.release(p.t, kLocks + k * 64, true);
              }
            },
            [&](Part w) { EXPECT_EQ(written(w), w.size); });
}

// The same by walks in steps: every other granule each.
TEST_F(Rounds, EveryOtherGranuleIsNotLost) {
  const auto wide = [](Part w) {
    return Part{kMemory + (std::uint64_t{1} << 36) + (w.begin - kMemory) * 4, 4 * kBlock};
  };
  in_rounds([](Part) {},
            [&](Player& p, std::uint32_t k, Part w) {
              const Part all = wide(w);
              for (std::uint64_t turn = w.begin / kBlock % 2; turn < 3; ++turn) {
                p.d.strided(p.t, all.begin + k * kGranule, 2 * kGranule, all.size / 2 / kGranule,
                            kGranule, true, 1);
                p.d.release(p.t, kLocks + k * 64, true);
              }
            },
            [&](Part w) { EXPECT_EQ(written(wide(w)), wide(w).size); });
}

// The same granules at the same time, by ways that look at each cell by itself.
TEST_F(Rounds, NeighboursInGranulesLoseNothing) {
  const auto first = [](Part w) { return Part{w.begin, 64 * kGranule}; };
  in_rounds([](Part) {},
            [&](Player& p, std::uint32_t k, Part w) {
              const std::uint64_t how = w.begin / kBlock % 3;
              const Part all = first(w);
              for (std::uint64_t g = all.begin; g < all.begin + all.size; g += kGranule) {
                const std::uint64_t half = g + k * 4;
                if (how == 0) p.d.access(p.t, half, 4, true, 1);
                if (how == 1) p.d.range(p.t, half, 4, LogKind::kWrite, 1);
                for (unsigned b = 0; how == 2 && b < 4; ++b) p.d.access(p.t, half + b, 1, true, 1);
              }
            },
            [&](Part w) { EXPECT_EQ(written(first(w)), first(w).size); });
}

// Two threads, no order: each round races on exactly the bytes that both touch.
TEST_F(Stress, PlantedRacesAreAlwaysFound) {
  struct Plan {
    std::uint64_t at[2];
    std::uint64_t size[2];
    bool write[2];
    std::uint64_t how[2];
  };
  std::mt19937_64 random(seed_);
  Gate both;
  std::uint64_t round = 0;
  Plan plan{};
  const auto make = [&] {
    const std::uint64_t where = kMemory + (round % 2 == 0 ? round * kBlock : round * 64);
    for (int k = 0; k < 2; ++k) {
      plan.size[k] = std::uint64_t{1} << random() % 4;
      plan.at[k] = where + random() % (17 - plan.size[k]);
      plan.write[k] = random() % 2 == 0;
      plan.how[k] = random() % 5;
    }
    plan.write[random() % 2] = true;
    if (plan.at[0] + plan.size[0] <= plan.at[1] || plan.at[1] + plan.size[1] <= plan.at[0]) {
      plan.at[1] = plan.at[0];
    }
  };
  const auto check = [&] {
    const std::uint64_t low = std::max(plan.at[0], plan.at[1]);
    const std::uint64_t high = std::min(plan.at[0] + plan.size[0], plan.at[1] + plan.size[1]);
    const auto races = rig_.take_races();
    std::map<std::uint64_t, int> wanted;
    for (std::uint64_t b = low; b < high; ++b) wanted[b] = 1;
    EXPECT_EQ(Rig::bytes_of(races), wanted) << "round " << round << ": " << Rig::words(races);
  };
  const auto act = [&](Player& p, std::uint32_t k) {
    const bool write = plan.write[k];
    const auto n = static_cast<unsigned>(plan.size[k]);
    switch (plan.how[k]) {
      case 0:
        return p.d.access(p.t, plan.at[k], n, write, 1);
      case 1:
        return write ? p.d.check_few<true>(p.t, plan.at[k], n, 1)
                     : p.d.check_few<false>(p.t, plan.at[k], n, 1);
      case 2:
        return p.d.range(p.t, plan.at[k], n, write ? LogKind::kWrite : LogKind::kRead, 1);
      case 3:
        return p.walk_on(plan.at[k], n, write, k);
      default:  // byte by byte
        for (unsigned b = 0; b < n; ++b) p.d.access(p.t, plan.at[k] + b, 1, write, 1);
    }
  };
  at_once(2, [&](Player& p, std::uint32_t k) {
    for (int n = 0; n < 200; ++n) {
      if (k == 0) make();
      both.pass();
      act(p, k);
      both.pass();
      if (k == 0) {
        check();
        ++round;
      }
    }
    return false;
  });
  EXPECT_EQ(round, 200U);
}

}  // namespace
}  // namespace redflag::live
