// Stress: a detector that is swept all the time, and system threads that play on it at once.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/live/player.h"

namespace redflag::live {

// Of one test, however slow a sanitizer makes it.
inline constexpr std::chrono::milliseconds kMostTime{2500};

// Lets two go at the same moment: a barrier that sleeps wakes one long after the other.
class Gate {
 public:
  void pass() {
    const std::uint32_t here = arrived_.fetch_add(1) / 2;
    for (unsigned turn = 0; arrived_.load() / 2 == here; ++turn) {
      if (turn > 2000) os_yield();
    }
  }

 private:
  std::atomic<std::uint32_t> arrived_{0};
};

class Stress : public testing::Test {
 protected:
  Stress() : seed_(seed_of_tests()), trace_(__FILE__, __LINE__, message(seed_)) {}
  static std::string message(std::uint64_t seed) { return "REDFLAG_SEED=" + std::to_string(seed); }

  bool time_left() const { return std::chrono::steady_clock::now() < end_; }
  // Once more?
  bool go_on(std::atomic<int>& left) const {
    return left.fetch_sub(1) > 0 && time_left() && !HasFailure();
  }
  // Runs f(player, k) on `n` system threads until f says false. The threads are children of `main_`,
  // and joined.
  void at_once(std::uint32_t n, const std::function<bool(Player&, std::uint32_t)>& f) {
    std::vector<Thread*> threads;
    for (std::uint32_t k = 0; k < n; ++k) threads.push_back(&rig_.thread(next_++, &main_));
    std::vector<std::thread> running;
    for (std::uint32_t k = 0; k < n; ++k) {
      running.emplace_back([&, k] {
        Player player(*rig_, *threads[k], seed_ * 1000 + k);
        while (f(player, k)) {
        }
        rig_->end(*threads[k]);
      });
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      running[k].join();
      rig_->joined(main_, *threads[k]);
      rig_->free(*threads[k]);
    }
  }

  // Sweeps as fast as it can while this lives; threads sweep at every allocation besides.
  class Sweeping {
   public:
    explicit Sweeping(Rig& rig)
        : thread_([this, &rig] {
            while (!stop_.load()) rig->sweep(nullptr), os_yield();
          }) {}
    ~Sweeping() {
      stop_ = true;
      thread_.join();
    }
    Sweeping(const Sweeping&) = delete;
    Sweeping& operator=(const Sweeping&) = delete;

   private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
  };

  void expect_no_race() {
    const auto races = rig_.take_races();
    EXPECT_EQ(Rig::words(races), "");
  }
  // The window was written by others, all of it. The observer is older than those writes: what all
  // threads know is forgotten.
  void expect_all_known_as_written(Part w, Thread& observer) {
    expect_no_race();
    rig_->range(observer, w.begin, w.size, LogKind::kRead, 1);
    rig_->end(observer);
    const auto bytes = Rig::bytes_of(rig_.take_races());
    EXPECT_EQ(bytes.size(), w.size) << "what some byte's last writer did was lost";
    for (const auto& [addr, times] : bytes) {
      ASSERT_EQ(times, 1) << "byte +" << addr - kMemory;
      ASSERT_TRUE(addr >= w.begin && addr < w.begin + w.size);
    }
  }

  std::uint64_t seed_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kMostTime;
  testing::ScopedTrace trace_;
  Rig rig_;
  Thread& main_ = rig_.thread(0);
  std::uint32_t next_ = 1;
};

}  // namespace redflag::live
