// PackedRecords: the records of a batch while they gather, 8 bytes each instead of 24.
//
// They come in the order of their issue, so each is near the one before it: a word says how far its place,
// counter, shape and fate are from those. Where the place is too far it has a word of its own, and where
// anything else is, the whole record follows. Words are kept in chunks that grow with what there is and do
// not move: of a million records each page is touched once.
#pragma once

#include <algorithm>
#include <bit>
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
  static constexpr std::size_t kBytes = 8;  // of a record, mostly

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Record& last() const { return last_; }

  void add(const Record& record) {
    if (left_ < kMostWords) begin();
    std::vector<std::uint64_t>& words = chunks_.back();
    const std::size_t before = words.size();
    const Step step = step_to(record);
    if (is_near<std::int16_t>(step.at) && is_near<std::int8_t>(step.fate) &&
        is_near<std::int32_t>(step.place) && is_near<std::int8_t>(step.shape) &&
        step.shape > kWhole) {
      words.push_back(
          pack({static_cast<std::int32_t>(step.place), static_cast<std::int16_t>(step.at),
                static_cast<std::int8_t>(step.shape), static_cast<std::int8_t>(step.fate)}));
    } else if (is_near<std::int16_t>(step.at) && is_near<std::int8_t>(step.fate) &&
               is_near<std::int32_t>(step.shape)) {
      words.push_back(
          pack({static_cast<std::int32_t>(step.shape), static_cast<std::int16_t>(step.at),
                kPlaceFollows, static_cast<std::int8_t>(step.fate)}));
      words.push_back(static_cast<std::uint64_t>(record.displacement));
    } else {
      words.push_back(pack({0, 0, kWhole, 0}));
      words.push_back(static_cast<std::uint64_t>(record.displacement));
      words.push_back(record.at);
      words.push_back(std::uint64_t{record.shape} << 32U | record.fate);
    }
    left_ -= words.size() - before;
    last_ = record;
    ++size_;
  }

  template <typename See>
  void for_each(See see) const {
    Record record;
    for (const std::vector<std::uint64_t>& words : chunks_) {
      for (std::size_t i = 0; i < words.size();) {
        const Packed p = std::bit_cast<Packed>(words[i++]);
        if (p.shape == kWhole) {
          record = {static_cast<std::int64_t>(words[i]), words[i + 1],
                    static_cast<std::uint32_t>(words[i + 2] >> 32U),
                    static_cast<std::uint32_t>(words[i + 2])};
          i += 3;
        } else {
          record.at += static_cast<std::uint64_t>(std::int64_t{p.at});
          record.fate += static_cast<std::uint32_t>(p.fate);
          if (p.shape == kPlaceFollows) {
            record.displacement = static_cast<std::int64_t>(words[i++]);
            record.shape += static_cast<std::uint32_t>(p.place);
          } else {
            record.displacement += p.place;
            record.shape += static_cast<std::uint32_t>(p.shape);
          }
        }
        see(record);
      }
    }
  }

  void clear() {
    chunks_.clear();
    size_ = left_ = 0;
    last_ = {};
  }

 private:
  // How far it is from the one before.
  struct Packed {
    std::int32_t place;  // of the shape, where the place follows
    std::int16_t at;
    std::int8_t shape;  // or one of the two below
    std::int8_t fate;
  };
  static_assert(sizeof(Packed) == kBytes);
  static constexpr std::int8_t kPlaceFollows = -128;
  static constexpr std::int8_t kWhole = -127;
  static constexpr std::size_t kMostWords = 4;  // of a record

  static std::uint64_t pack(const Packed& p) { return std::bit_cast<std::uint64_t>(p); }

  struct Step {
    std::int64_t place, at, shape, fate;
  };
  Step step_to(const Record& to) const {
    return {static_cast<std::int64_t>(static_cast<std::uint64_t>(to.displacement) -
                                      static_cast<std::uint64_t>(last_.displacement)),
            static_cast<std::int64_t>(to.at - last_.at),
            std::int64_t{to.shape} - std::int64_t{last_.shape},
            std::int64_t{to.fate} - std::int64_t{last_.fate}};
  }
  template <typename T>
  static bool is_near(std::int64_t step) {
    return step == static_cast<T>(step);
  }

  void begin() {
    constexpr std::size_t kFewest = 16;
    constexpr std::size_t kMost = 8000;  // what memory of its own keeps for later (own_memory.cpp)
    left_ = std::clamp(size_, kFewest, kMost);
    chunks_.emplace_back().reserve(left_);
  }

  std::vector<std::vector<std::uint64_t>> chunks_;  // all of its room is taken at once
  std::size_t left_ = 0;                            // words of room in the last chunk
  std::size_t size_ = 0;
  Record last_;
};

}  // namespace redflag::pgas
