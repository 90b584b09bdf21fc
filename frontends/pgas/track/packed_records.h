// PackedRecords: the records of a batch while they gather, 16 bytes each instead of 24.
//
// They come in the order of their issue, so counters, shapes and fates of neighbours are near each other: a
// chunk has those of its first record, and the others how far they are from them. One that is too far
// begins a chunk. Chunks grow with what there is, and do not move: of a million records each page
// is touched once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace redflag::pgas {

struct Record {
  std::int64_t displacement = 0;  // in the owner's units
  std::uint64_t at = 0;           // the counter of its thread
  std::uint32_t shape = 0;        // in its batch
  std::uint32_t fate = 0;

  friend bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 24);

class PackedRecords {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void add(const Record& record) {
    if (chunks_.empty() || !chunks_.back().has_room_for(record)) begin(record);
    Chunk& chunk = chunks_.back();
    chunk.records.push_back({record.displacement, static_cast<std::uint32_t>(record.at - chunk.at),
                             static_cast<std::uint16_t>(record.shape - chunk.shape),
                             static_cast<std::uint16_t>(record.fate - chunk.fate)});
    ++size_;
  }

  template <typename See>
  void for_each(See see) const {
    for (const Chunk& chunk : chunks_) {
      for (const Packed& each : chunk.records) see(chunk.unpack(each));
    }
  }
  Record last() const { return chunks_.back().unpack(chunks_.back().records.back()); }

  void clear() {
    chunks_.clear();
    size_ = 0;
  }

 private:
  struct Packed {
    std::int64_t displacement;
    std::uint32_t at;
    std::uint16_t shape;
    std::uint16_t fate;
  };
  static_assert(sizeof(Packed) == 16);

  struct Chunk {
    std::uint64_t at;
    std::uint32_t shape;
    std::uint32_t fate;
    std::vector<Packed> records;  // all of its room is taken at once

    // What is below the first one's is far from it, as a number without a sign.
    bool has_room_for(const Record& record) const {
      constexpr std::uint32_t kFar = std::numeric_limits<std::uint16_t>::max();
      return records.size() < records.capacity() && record.shape - shape <= kFar &&
             record.fate - fate <= kFar &&
             record.at - at <= std::numeric_limits<std::uint32_t>::max();
    }
    Record unpack(const Packed& p) const {
      return {p.displacement, at + p.at, shape + p.shape, fate + p.fate};
    }
  };

  void begin(const Record& record) {
    constexpr std::size_t kFewest = 8;
    constexpr std::size_t kMost = 4000;  // what memory of its own keeps for later (own_memory.cpp)
    Chunk& made = chunks_.emplace_back(Chunk{record.at, record.shape, record.fate, {}});
    made.records.reserve(std::clamp(size_, kFewest, kMost));
  }

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

}  // namespace redflag::pgas
