// Record: a one-sided operation's access to another rank's memory, on its way to the owner.
//
// The origin names the memory as the standard does: a window, a displacement in the target's units,
// and bytes from there. The owner knows where that is (windows.h). A batch for one rank is records in
// the order of their issue, the knowledge they were issued with where it changes, places that the rank
// has not been told of, and completions of operations that went with an earlier batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/detect/pgas/access.h"
#include "frontends/pgas/track/bytes.h"
#include "frontends/pgas/track/sources.h"

namespace redflag::pgas {

struct Piece {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct Record {
  std::uint64_t window = 0;
  std::int64_t displacement = 0;  // in the owner's units
  Piece piece;                    // bytes from there
  AccessKind kind = AccessKind::kPut;
  Atomicity atomicity;
  ThreadName by;
  std::uint64_t operation = 0;
  Time completed = kPending;
  ThreadName completed_by;
  Time delivered = kPending;
  ThreadName delivered_by;
  SourceNumber source = 0;
  std::shared_ptr<const Knowledge> issued;
};

struct Completion {
  std::uint64_t operation = 0;
  Time time;
  ThreadName by;
};

void write_knowledge(const Knowledge& known, Bytes& to);
Knowledge read_knowledge(Reader& from);

class Batch {
 public:
  // Its place in the batch.
  std::size_t add(Record record) {
    records_.push_back(std::move(record));
    return records_.size() - 1;
  }
  Record& record(std::size_t i) { return records_[i]; }
  void complete(const Completion& completion) { completions_.push_back(completion); }
  std::size_t size() const { return records_.size() + completions_.size(); }

  // And empties it.
  Bytes encode(std::uint32_t for_rank, Sources& sources);

 private:
  std::vector<Record> records_;
  std::vector<Completion> completions_;
};

struct BatchReader {
  std::function<void(Record)> record;
  std::function<void(std::uint32_t rank, const Completion&)> completion;
  Sources* sources = nullptr;

  // False: these are not the bytes of a batch. What came before the fault was given out.
  bool read(std::uint32_t rank, std::span<const std::byte> bytes) const;
};

}  // namespace redflag::pgas
