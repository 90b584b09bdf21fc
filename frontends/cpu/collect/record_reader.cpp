#include "frontends/cpu/collect/record_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/trace/validate.h"

namespace redflag::collect {
namespace {

template <typename Entry>
Entry entry_at(std::span<const std::byte> bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<Entry>);
  Entry entry;
  std::memcpy(&entry, bytes.data() + offset, sizeof(entry));
  return entry;
}

std::size_t entry_size(wire::ChunkKind kind) {
  switch (kind) {
    case wire::ChunkKind::kEvents:
      return sizeof(wire::RecordedEvent);
    case wire::ChunkKind::kContexts:
      return sizeof(wire::RecordedContext);
    case wire::ChunkKind::kModules:
      return 1;
  }
  return 0;  // unknown
}

// Event is made of enums and a bool: bytes that are none of their values must not become one.
bool has_valid_bytes(const std::byte* event) {
  const auto byte = [event](std::size_t i) { return std::to_integer<unsigned>(event[i]); };
  return byte(offsetof(Event, kind)) < kEventKindCount &&
         byte(offsetof(Event, order)) < kOrderCount && byte(offsetof(Event, scope)) < kScopeCount &&
         byte(offsetof(Event, is_volatile)) <= 1;
}

void add(std::string& text, std::uint64_t count, const char* what) {
  if (count == 0) return;
  text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
}

}  // namespace

std::string RecordFaults::text() const {
  std::string text;
  add(text, bad_chunks, "unreadable blocks");
  add(text, cut_chunks, "blocks cut short");
  add(text, bad_events, "impossible events");
  add(text, out_of_order, "events out of order");
  return text;
}

Result<RecordReader> RecordReader::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    const std::string why = std::strerror(errno);
    if (fd >= 0) ::close(fd);
    return fail(path + ": cannot read what was recorded: " + why);
  }
  RecordReader reader;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > 0) {
    reader.mapping_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (reader.mapping_ == MAP_FAILED) {
      reader.mapping_ = nullptr;
      const std::string why = std::strerror(errno);
      ::close(fd);
      return fail(path + ": cannot map what was recorded: " + why);
    }
    reader.bytes_ = {static_cast<const std::byte*>(reader.mapping_), size};
  }
  ::close(fd);
  reader.index();
  return reader;
}

RecordReader RecordReader::over(std::span<const std::byte> bytes, std::size_t chunk_bytes) {
  RecordReader reader;
  reader.bytes_ = bytes;
  reader.chunk_bytes_ = chunk_bytes;
  reader.index();
  return reader;
}

RecordReader::RecordReader(RecordReader&& other) noexcept
    : bytes_(other.bytes_),
      chunk_bytes_(other.chunk_bytes_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      chunks_(std::move(other.chunks_)),
      heap_(std::move(other.heap_)),
      contexts_(std::move(other.contexts_)),
      maps_(std::move(other.maps_)),
      context_owners_(std::move(other.context_owners_)),
      maps_owners_(std::move(other.maps_owners_)),
      sequence_(other.sequence_),
      events_at_most_(other.events_at_most_),
      faults_(other.faults_),
      index_faults_(other.index_faults_),
      event_(other.event_) {}

RecordReader::~RecordReader() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_.size());
}

void RecordReader::index() {
  for (std::size_t at = 0; at < bytes_.size(); at += chunk_bytes_) index_chunk(at);
  std::sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) {
    return std::pair(a.thread, a.offset) < std::pair(b.thread, b.offset);
  });
  index_faults_ = faults_;
  rewind();
}

void RecordReader::index_chunk(std::size_t at) {
  const std::size_t room = std::min(chunk_bytes_, bytes_.size() - at);
  if (room < sizeof(wire::ChunkHeader)) {
    ++faults_.cut_chunks;
    return;
  }
  const auto header = entry_at<wire::ChunkHeader>(bytes_, at);
  // The file grows before the header is written: what is all zero is a chunk nobody began.
  if (header.magic == 0 && header.count == 0) return;
  const std::size_t each = header.magic == wire::kChunkMagic ? entry_size(header.kind) : 0;
  if (each == 0) {
    ++faults_.bad_chunks;
    return;
  }
  const std::size_t first = at + sizeof(header);
  const std::size_t fit = (room - sizeof(header)) / each;
  if (header.count > fit) ++faults_.cut_chunks;
  const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(header.count, fit));
  switch (header.kind) {
    case wire::ChunkKind::kEvents:
      if (count == 0) return;
      chunks_.push_back({first, count, header.thread});
      events_at_most_ += count;
      return;
    case wire::ChunkKind::kContexts:
      for (std::uint32_t i = 0; i < count; ++i) {
        contexts_.push_back(entry_at<wire::RecordedContext>(bytes_, first + i * each));
        context_owners_.push_back(header.thread);
      }
      return;
    case wire::ChunkKind::kModules:
      maps_.emplace_back(reinterpret_cast<const char*>(bytes_.data() + first), count);
      maps_owners_.push_back(header.thread);
      return;
  }
}

void RecordReader::rewind() {
  faults_ = index_faults_;
  heap_.clear();
  for (std::size_t i = 0; i < chunks_.size();) {
    std::size_t end = i + 1;
    while (end < chunks_.size() && chunks_[end].thread == chunks_[i].thread) ++end;
    Cursor cursor{0, i, 0, static_cast<std::uint32_t>(end)};
    if (settle(cursor)) heap_.push_back(cursor);
    i = end;
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
}

wire::RecordedEvent RecordReader::at(const Cursor& cursor) const {
  return entry_at<wire::RecordedEvent>(
      bytes_, chunks_[cursor.chunk].offset + cursor.entry * sizeof(wire::RecordedEvent));
}

bool RecordReader::settle(Cursor& cursor) {
  const std::uint64_t last = cursor.sequence;
  while (cursor.chunk < cursor.end) {
    const Chunk& chunk = chunks_[cursor.chunk];
    if (cursor.entry == chunk.count) {
      ++cursor.chunk;
      cursor.entry = 0;
      continue;
    }
    const std::size_t offset = chunk.offset + cursor.entry * sizeof(wire::RecordedEvent) +
                               offsetof(wire::RecordedEvent, event);
    if (!has_valid_bytes(bytes_.data() + offset)) {
      ++faults_.bad_events;
    } else {
      const wire::RecordedEvent entry = at(cursor);
      if (event_fault(entry.event) != nullptr) {
        ++faults_.bad_events;
      } else if (entry.sequence < last) {
        ++faults_.out_of_order;
      } else {
        cursor.sequence = entry.sequence;
        return true;
      }
    }
    ++cursor.entry;
  }
  return false;
}

bool RecordReader::advance(Cursor& cursor) {
  ++cursor.entry;
  return settle(cursor);
}

const Event* RecordReader::next() {
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Cursor& cursor = heap_.back();
  event_ = at(cursor).event;
  sequence_ = cursor.sequence;
  if (advance(cursor)) {
    std::push_heap(heap_.begin(), heap_.end(), later);
  } else {
    heap_.pop_back();
  }
  return &event_;
}

}  // namespace redflag::collect
