// For tests: ranks as threads of one process, and how they reach each other.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "frontends/pgas/track/transport.h"

namespace redflag::pgas {

inline constexpr std::uint32_t kRanks = 3;

// A board that all write to, with a barrier before it is read and after; and windows of all.
struct Board {
  std::barrier<> meet{kRanks};
  std::vector<Bytes> cells = std::vector<Bytes>(std::size_t{kRanks} * kRanks);
  std::vector<Transport::Words> words = std::vector<Transport::Words>(kRanks);

  std::size_t room = 4096;  // bytes, of each window
  std::mutex lock;          // of what follows
  std::vector<std::deque<Transport::Arrived>> windows =
      std::vector<std::deque<Transport::Arrived>>(kRanks);
  std::vector<Bytes> published = std::vector<Bytes>(kRanks);
};

class InProcess final : public Transport {
 public:
  InProcess(Board& board, std::uint32_t rank) : board_(board), rank_(rank) {}
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return kRanks; }
  Words largest(const Words& mine) override {
    board_.words[rank_] = mine;
    board_.meet.arrive_and_wait();
    Words all{};
    for (const Words& each : board_.words) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], each[i]);
    }
    board_.meet.arrive_and_wait();
    return all;
  }
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_each) override {
    for (std::uint32_t r = 0; r < kRanks; ++r) board_.cells[rank_ * kRanks + r] = to_each[r];
    board_.meet.arrive_and_wait();
    std::vector<Bytes> mine;
    for (std::uint32_t r = 0; r < kRanks; ++r) mine.push_back(board_.cells[r * kRanks + rank_]);
    board_.meet.arrive_and_wait();
    return mine;
  }
  std::vector<Bytes> all_gather(const Bytes& mine) override {
    return all_to_all(std::vector<Bytes>(kRanks, mine));
  }
  std::vector<Bytes> gather(const Bytes& mine) override {
    std::vector<Bytes> all = all_gather(mine);
    if (rank_ != 0) all.clear();
    return all;
  }

  std::size_t longest() const override { return 100; }  // frames come in pieces
  bool append(std::uint32_t to, std::span<const std::byte> bytes) override {
    const std::lock_guard guard(board_.lock);
    std::size_t used = bytes.size();
    for (const Arrived& each : board_.windows[to]) used += each.bytes.size();
    if (used > board_.room) return false;
    board_.windows[to].push_back({rank_, Bytes(bytes.begin(), bytes.end())});
    return true;
  }
  std::optional<Arrived> next() override {
    const std::lock_guard guard(board_.lock);
    std::deque<Arrived>& mine = board_.windows[rank_];
    if (mine.empty()) return {};
    Arrived first = std::move(mine.front());
    mine.pop_front();
    return first;
  }
  bool publish(std::span<const std::byte> bytes) override {
    const std::lock_guard guard(board_.lock);
    board_.published[rank_].assign(bytes.begin(), bytes.end());
    return true;
  }
  Bytes published(std::uint32_t rank) override {
    const std::lock_guard guard(board_.lock);
    return board_.published[rank];
  }

 private:
  Board& board_;
  std::uint32_t rank_;
};

}  // namespace redflag::pgas
