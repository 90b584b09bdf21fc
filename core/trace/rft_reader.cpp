#include "core/trace/rft_reader.h"

#include <zstd.h>

#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/trace/decode.h"
#include "core/trace/definition_codec.h"

namespace redflag {
namespace {

class RftReader final : public EventReader {
 public:
  explicit RftReader(ByteSource bytes) : bytes_(std::move(bytes)), context_(ZSTD_createDCtx()) {
    REDFLAG_CHECK(context_ != nullptr);
  }

  std::string format_name() const override { return "rft"; }
  std::uint64_t position() const override { return bytes_.position(); }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  // "run.rft: byte 48: ..."
  Failure fail_at(std::uint64_t offset, const std::string& what) const {
    return fail(bytes_.name() + ": byte " + std::to_string(offset) + ": " + what);
  }

  Result<std::span<const Event>> read_batch() override;
  Result<void> read_file_header();
  Result<rft::BlockHeader> read_block();
  Result<void> unpack(const rft::BlockHeader& header, const char* payload, std::uint64_t offset);
  Result<void> take_definitions(const rft::BlockHeader& header, std::uint64_t offset);
  Result<void> take_events(const rft::BlockHeader& header, std::uint64_t offset);
  Result<void> take_end(std::uint64_t offset);

  ByteSource bytes_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::vector<std::uint8_t> raw_;  // the block, padded
  std::vector<rft::Slot> slots_;
  std::vector<Event> events_;
  std::size_t event_count_ = 0;  // of events_ used by this batch
  rft::Totals seen_{};
  bool started_ = false;
  bool ended_ = false;
};

Result<std::span<const Event>> RftReader::read_batch() {
  definitions_.clear();
  event_count_ = 0;
  if (!started_) {
    if (Result<void> done = read_file_header(); !done) return Failure(done.error());
    started_ = true;
  }
  while (!ended_ && event_count_ == 0) {
    const std::uint64_t offset = bytes_.position();
    const Result<rft::BlockHeader> header = read_block();
    if (!header) return Failure(header.error());
    Result<void> done;
    switch (header->type) {
      case rft::BlockType::kEvents:
        done = take_events(*header, offset);
        break;
      case rft::BlockType::kDefinitions:
        done = take_definitions(*header, offset);
        break;
      case rft::BlockType::kEnd:
        done = take_end(offset);
        break;
    }
    if (!done) return Failure(done.error());
  }
  return std::span<const Event>(events_.data(), event_count_);
}

Result<void> RftReader::read_file_header() {
  const Result<std::string_view> window = bytes_.window(sizeof(rft::FileHeader));
  if (!window) return Failure(window.error());
  rft::FileHeader header{};
  if (window->size() < sizeof(header)) {
    return fail_at(window->size(), "the file ends inside its header, which has 16 bytes");
  }
  std::memcpy(&header, window->data(), sizeof(header));
  if (std::string_view(header.magic, sizeof(header.magic)) != rft::kMagic)
    return fail_at(0, "not the first bytes of an .rft trace");
  if (header.version != rft::kVersion) {
    return fail_at(8, "format version " + std::to_string(header.version) +
                          " found, this program reads version " + std::to_string(rft::kVersion) +
                          "; convert the trace with the program that wrote it");
  }
  if (header.flags != 0) return fail_at(10, "unknown flags set, expected 0");
  if (header.check != rft::file_header_check(header))
    return fail_at(12, "checksum of the file header does not match: the file is damaged");
  bytes_.consume(sizeof(header));
  return {};
}

// Reads, verifies and decompresses one block into raw_.
Result<rft::BlockHeader> RftReader::read_block() {
  const std::uint64_t offset = bytes_.position();
  rft::BlockHeader header;
  Result<std::string_view> window = bytes_.window(sizeof(header));
  if (!window) return Failure(window.error());
  if (window->size() < sizeof(header)) {
    return fail_at(offset + window->size(),
                   "the file ends where a block was expected: it is truncated (no end block)");
  }
  std::memcpy(&header, window->data(), sizeof(header));
  if (const char* what = rft::block_header_fault(header))
    return fail_at(offset, std::string("block header with ") + what + ": the file is damaged");
  const std::size_t whole = sizeof(header) + header.stored_bytes;
  window = bytes_.window(whole);
  if (!window) return Failure(window.error());
  if (window->size() < whole) {
    return fail_at(offset + window->size(), "the file ends inside the block at byte " +
                                                std::to_string(offset) + ", which has " +
                                                std::to_string(whole) + " bytes: it is truncated");
  }
  const char* payload = window->data() + sizeof(header);
  if (header.checksum != rft::block_checksum(header, payload, offset))
    return fail_at(offset, "checksum of the block does not match: the file is damaged");
  const std::uint64_t expected =
      header.type == rft::BlockType::kDefinitions ? seen_.definitions : seen_.events;
  if (header.first != expected) {
    return fail_at(offset, "block starts at number " + std::to_string(header.first) +
                               ", expected " + std::to_string(expected) + ": a block is missing");
  }
  if (Result<void> done = unpack(header, payload, offset); !done) return Failure(done.error());
  bytes_.consume(whole);
  return header;
}

Result<void> RftReader::unpack(const rft::BlockHeader& header, const char* payload,
                               std::uint64_t offset) {
  if (raw_.size() < header.raw_bytes + rft::kPadding) raw_.resize(header.raw_bytes + rft::kPadding);
  if (header.codec == rft::Codec::kStored) {
    std::memcpy(raw_.data(), payload, header.raw_bytes);
  } else {
    const std::size_t size = ZSTD_decompressDCtx(context_.get(), raw_.data(), header.raw_bytes,
                                                 payload, header.stored_bytes);
    if (ZSTD_isError(size))
      return fail_at(offset, std::string("block does not decompress: ") + ZSTD_getErrorName(size));
    if (size != header.raw_bytes) {
      return fail_at(offset, "block decompresses to " + std::to_string(size) + " bytes, expected " +
                                 std::to_string(header.raw_bytes));
    }
  }
  // A decoder may look at the padding before it finds that the block has ended.
  std::memset(raw_.data() + header.raw_bytes, 0, rft::kPadding);
  return {};
}

Result<void> RftReader::take_definitions(const rft::BlockHeader& header, std::uint64_t offset) {
  const std::string_view raw_block(reinterpret_cast<const char*>(raw_.data()), header.raw_bytes);
  std::string_view rest = raw_block;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const std::size_t at = raw_block.size() - rest.size();
    const auto wrong = [&](const std::string& what) {
      return fail_at(offset, "definition " + std::to_string(i) + " of this block (raw byte " +
                                 std::to_string(at) + "): " + what);
    };
    Result<Definition> definition = rft::decode_definition(rest);
    if (!definition) return wrong(definition.error().message);
    if (!apply_definition(*definition, sources_))
      return wrong("the caller of a source is not defined, expected its definition before");
    definitions_.push_back(std::move(*definition));
  }
  if (!rest.empty())
    return fail_at(offset, std::to_string(rest.size()) + " bytes behind the last definition");
  seen_.definitions += header.count;
  ++seen_.blocks;
  return {};
}

Result<void> RftReader::take_events(const rft::BlockHeader& header, std::uint64_t offset) {
  if (events_.size() < header.count) {
    events_.resize(header.count);
    slots_.resize(header.count);
  }
  const rft::DecodeFault fault = rft::decode_events(raw_.data(), header.raw_bytes, slots_,
                                                    std::span(events_).first(header.count));
  if (fault.what != nullptr) {
    return fail_at(offset, "event " + std::to_string(seen_.events + fault.event) + " (raw byte " +
                               std::to_string(fault.byte) + " of this block): " + fault.what);
  }
  event_count_ = header.count;
  seen_.events += header.count;
  ++seen_.blocks;
  return {};
}

Result<void> RftReader::take_end(std::uint64_t offset) {
  rft::Totals totals;
  std::memcpy(&totals, raw_.data(), sizeof(totals));
  if (totals.events != seen_.events || totals.definitions != seen_.definitions ||
      totals.blocks != seen_.blocks) {
    return fail_at(offset, "totals of " + std::to_string(totals.events) + " events, " +
                               std::to_string(totals.definitions) + " definitions and " +
                               std::to_string(totals.blocks) + " blocks, but " +
                               std::to_string(seen_.events) + ", " +
                               std::to_string(seen_.definitions) + " and " +
                               std::to_string(seen_.blocks) + " were read: a block is missing");
  }
  const Result<std::string_view> window = bytes_.window(1);
  if (!window) return Failure(window.error());
  if (!window->empty()) return fail_at(bytes_.position(), "bytes behind the end of the trace");
  ended_ = true;
  return {};
}

}  // namespace

std::unique_ptr<EventReader> read_rft(ByteSource bytes) {
  return std::make_unique<RftReader>(std::move(bytes));
}

}  // namespace redflag
