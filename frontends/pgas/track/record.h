// Record: a one-sided operation's access to another rank's memory, on its way to the owner.
//
// The origin names the memory as the standard does: a window, a displacement in the target's units,
// and bytes from there. The owner knows where that is (windows.h). A batch for one rank is records in
// the order of their issue, 8 bytes each while they gather (packed_records.h), 24 on their way; what
// those of one statement share (their shape), and what those share that complete together (their fate),
// goes with it once. So do places in the program that the rank has not been told of, and completions
// and fences of what went with an earlier batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/detect/pgas/access.h"
#include "frontends/pgas/track/bytes.h"
#include "frontends/pgas/track/packed_records.h"
#include "frontends/pgas/track/sources.h"

namespace redflag::pgas {

struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const Piece&, const Piece&) = default;
};

// Pieces of one size, one as far behind the other as the next: a column of a matrix. 0: they are not.
struct Stride {
  std::uint32_t step = 0;
  std::uint32_t element = 0;
};
Stride stride_of(std::span<const Piece> pieces);

// The window is the shape's object.
struct RecordShape : Shape {
  std::vector<Piece> pieces;  // bytes from the displacement

  friend bool operator==(const RecordShape&, const RecordShape&) = default;
};

struct RecordFate : Fate {
  std::uint64_t number = 0;  // of its rank: what it is completed by, if that comes later
};

struct Completion {
  std::uint64_t number = 0;  // of a fate
  Time time;
  ThreadName by;
};

void write_knowledge(const Knowledge& known, Bytes& to);
Knowledge read_knowledge(Reader& from);

class Batch {
 public:
  // The number of one with these pieces, made where the last few are different.
  std::uint32_t shape(const Shape& shape, std::span<const Piece> pieces);
  std::uint32_t fate(const RecordFate& fate) {
    fates_.push_back(fate);
    return static_cast<std::uint32_t>(fates_.size() - 1);
  }
  RecordFate& fate_of(std::uint32_t number) { return fates_[number]; }
  // Its number among all that ever went this way, from 1 on.
  std::uint64_t add(const Record& record) {
    records_.add(record);
    return sent_ + records_.size();
  }
  void complete(const Completion& completion) { completions_.push_back(completion); }
  void deliver(const Completion& fence) { deliveries_.push_back(fence); }
  std::size_t size() const { return records_.size() + completions_.size() + deliveries_.size(); }
  // Which of all batches this is, from 1 on: numbers of shapes and fates are good for one.
  std::uint64_t generation() const { return generation_; }

  const std::vector<RecordShape>& shapes() const { return shapes_; }
  const std::vector<RecordFate>& fates() const { return fates_; }
  const PackedRecords& records() const { return records_; }
  // Its records stay here: nobody needs them and none is pending, or there is no room for them. What of
  // earlier ones is over is kept. How many they were.
  std::size_t forget_records();

  // And empties it. Of an empty one there are no bytes.
  Bytes encode(std::uint32_t for_rank, Sources& sources);

 private:
  std::vector<RecordShape> shapes_;
  std::vector<RecordFate> fates_;
  PackedRecords records_;
  std::vector<Completion> completions_;
  std::vector<Completion> deliveries_;
  std::uint64_t sent_ = 0;  // records, before these
  std::uint64_t generation_ = 1;
};

// What came from a rank, as it was in its batch; records name shapes and fates that are there.
struct BatchContents {
  std::uint64_t before = 0;  // records that came before these
  std::vector<RecordShape> shapes;
  std::vector<RecordFate> fates;
  std::vector<Record> records;
  std::vector<Completion> completions;
  std::vector<Completion> deliveries;  // by a fence
};

// False: these are not the bytes of a batch.
bool read_batch(std::uint32_t from, std::span<const std::byte> bytes, Sources& sources,
                BatchContents& to);

}  // namespace redflag::pgas
