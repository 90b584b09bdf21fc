// RecordReader: the file that a recorded process left, as one stream of events.
//
// The chunks of a thread are in the order in which it filled them, each with ascending sequence
// numbers; so the trace is a merge of as many streams as there are threads, by a heap. Memory: a
// cursor for each chunk and the table of contexts; the file itself is looked at through a mapping,
// or wherever the caller has it.
//
// The process may have been killed at any moment, or the file be no record at all: every count is
// cut to what the chunk can hold, an entry out of order or not valid is left out, and faults() says
// how much was lost and why.
//
//   Result<RecordReader> reader = RecordReader::open(path);
//   while (const Event* event = reader->next()) ...
//   reader->rewind();
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::collect {

struct RecordFaults {
  std::uint64_t bad_chunks = 0;    // no magic, or of unknown kind
  std::uint64_t cut_chunks = 0;    // said to hold more than fits, or than the file has
  std::uint64_t bad_events = 0;    // not a possible event
  std::uint64_t out_of_order = 0;  // sequence numbers went backwards in a thread

  // "2 events that no program can have made, ..."; empty: nothing was lost.
  std::string text() const;
};

class RecordReader {
 public:
  static Result<RecordReader> open(const std::string& path);
  // For tests: the bytes must outlive the reader. Small chunks let fuzzers see several.
  static RecordReader over(std::span<const std::byte> bytes,
                           std::size_t chunk_bytes = wire::kChunkBytes);

  RecordReader(RecordReader&& other) noexcept;
  RecordReader& operator=(RecordReader&&) = delete;
  ~RecordReader();

  // In the order of sequence numbers; nullptr: the end. Valid until the next call.
  const Event* next();
  void rewind();  // to the first event; forgets the faults found by next()

  // Said to be there, before any is looked at.
  std::uint64_t events_at_most() const { return events_at_most_; }
  const std::vector<wire::RecordedContext>& contexts() const { return contexts_; }
  const std::vector<std::string>& maps() const { return maps_; }  // texts of /proc/PID/maps
  // Whose they are, one for each: what their chunks have for a thread (wire/between.h).
  const std::vector<std::uint32_t>& context_owners() const { return context_owners_; }
  const std::vector<std::uint32_t>& maps_owners() const { return maps_owners_; }
  std::uint64_t sequence() const { return sequence_; }  // of the event that next() gave
  const RecordFaults& faults() const { return faults_; }

 private:
  struct Chunk {
    std::size_t offset = 0;  // of the first entry
    std::uint32_t count = 0;
    std::uint32_t thread = 0;
  };
  struct Cursor {
    std::uint64_t sequence = 0;  // of the entry it stands on
    std::size_t chunk = 0;       // in chunks_
    std::uint32_t entry = 0;
    std::uint32_t end = 0;  // chunk: one after the last of this thread
  };

  RecordReader() = default;
  void index();
  void index_chunk(std::size_t at);
  wire::RecordedEvent at(const Cursor& cursor) const;
  bool settle(Cursor& cursor);   // onto the next entry there is, from where it stands
  bool advance(Cursor& cursor);  // past the entry it stands on
  static bool later(const Cursor& a, const Cursor& b) { return a.sequence > b.sequence; }

  std::span<const std::byte> bytes_;
  std::size_t chunk_bytes_ = wire::kChunkBytes;
  void* mapping_ = nullptr;    // owned
  std::vector<Chunk> chunks_;  // of events, by thread, then as in the file
  std::vector<Cursor> heap_;
  std::vector<wire::RecordedContext> contexts_;
  std::vector<std::string> maps_;
  std::vector<std::uint32_t> context_owners_;
  std::vector<std::uint32_t> maps_owners_;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_at_most_ = 0;
  RecordFaults faults_;
  RecordFaults index_faults_;
  Event event_;
};

}  // namespace redflag::collect
