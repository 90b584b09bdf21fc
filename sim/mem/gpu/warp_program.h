// What a warp does, for a machine that gives it time: operations as words.
//
// The recorded steps of a launch, turned into transactions once and read by every machine that runs
// them. An operation is a header, then one word for barriers, or two for each transaction. Words that
// all readers have passed are dropped, so a long warp needs no more memory than its readers are behind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/mem/gpu/coalesce.h"

namespace redflag::sim {

enum class OpKind : std::uint8_t {
  kCompute,      // instructions only
  kSharedLoad,   // extra: how often shared memory is asked
  kSharedStore,  //
  kLoad,         // through the first-level cache
  kLoadPast,     // past it: volatile, atomic
  kStore,        //
  kAtomic,       // somebody waits for its result
  kReduction,    // nobody does
  kAsyncLoad,    // nobody waits until kAsyncWait
  kAsyncWait,    //
  kFence,        // extra: 1 of the block, 2 of the device
  kArrive,       // at a barrier: a word with its number and round
  kPass,         // the same; extra: how many arrivals it waits for
  kExit,         // of the whole warp
};

struct OpHeader {
  OpKind kind = OpKind::kCompute;
  std::uint8_t transactions = 0;
  std::uint16_t extra = 0;
  std::uint32_t instructions = 0;
};
static_assert(sizeof(OpHeader) == 8);

inline constexpr std::size_t kReaders = 2;  // the machine without a detector and the one with it

class WarpProgram {
 public:
  void put(const OpHeader& header) { words_.push_back(std::bit_cast<std::uint64_t>(header)); }
  void put_word(std::uint64_t word) { words_.push_back(word); }
  void put(const Transaction& each) {
    words_.push_back(each.line);
    words_.push_back(std::uint64_t{each.bytes} << 32 | each.words);
  }

  bool has_next(std::size_t reader) const { return read_[reader] < words_.size(); }
  OpHeader header(std::size_t reader) const {
    return std::bit_cast<OpHeader>(words_[read_[reader]]);
  }
  std::uint64_t word(std::size_t reader) const { return words_[read_[reader] + 1]; }
  Transaction transaction(std::size_t reader, std::size_t i) const {
    const std::size_t at = read_[reader] + 1 + 2 * i;
    return {words_[at], static_cast<std::uint32_t>(words_[at + 1]),
            static_cast<std::uint32_t>(words_[at + 1] >> 32)};
  }
  void advance(std::size_t reader) { read_[reader] += length(header(reader)); }

  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  // Drops what every reader has passed; how many bytes.
  std::size_t drop() {
    const std::size_t passed = *std::min_element(read_.begin(), read_.end());
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(passed));
    if (words_.capacity() > 4 * words_.size() + 64) words_.shrink_to_fit();
    for (std::size_t& each : read_) each -= passed;
    return passed * sizeof(std::uint64_t);
  }

 private:
  static std::size_t length(const OpHeader& header) {
    const bool barrier = header.kind == OpKind::kArrive || header.kind == OpKind::kPass;
    return 1 + (barrier ? 1 : 2 * std::size_t{header.transactions});
  }

  std::vector<std::uint64_t> words_;
  std::array<std::size_t, kReaders> read_{};
};

struct BlockProgram {
  explicit BlockProgram(std::uint32_t count) : warps(count), live(count, 0) {}
  std::vector<WarpProgram> warps;
  std::vector<gpu::Lanes> live;  // lanes that have not ended, as far as it was told
  std::unordered_map<std::uint64_t, std::uint16_t> arrivals;  // by number and round of a barrier
  std::uint32_t running = 0;                                  // warps that have not ended
  std::array<bool, kReaders> done{};
};

}  // namespace redflag::sim
