#include "core/trace/rft_reader.h"

#include <vector>

#include "core/trace/decode.h"
#include "core/trace/definition_codec.h"
#include "core/trace/rft_blocks.h"

namespace redflag {
namespace {

class RftReader final : public EventReader {
 public:
  explicit RftReader(ByteSource bytes) : blocks_(std::move(bytes)) {}

  std::string format_name() const override { return "rft"; }
  std::uint64_t position() const override { return blocks_.bytes().position(); }
  std::uint64_t size() const override { return blocks_.bytes().size(); }

 private:
  Failure fail_at(std::uint64_t offset, const std::string& what) const {
    return blocks_.fail_at(offset, what);
  }

  Result<std::span<const Event>> read_batch() override;
  Result<void> take_definitions(const rft::BlockHeader& header, std::uint64_t offset);
  Result<void> take_events(const rft::BlockHeader& header, std::uint64_t offset);

  rft::BlockSource blocks_;
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
    if (Result<void> done = blocks_.read_header(false); !done) return Failure(done.error());
    started_ = true;
  }
  while (!ended_ && event_count_ == 0) {
    const std::uint64_t offset = blocks_.bytes().position();
    const Result<rft::BlockHeader> header = blocks_.next(seen_);
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
        done = blocks_.check_end(seen_, offset);
        ended_ = true;
        break;
      case rft::BlockType::kGpuSteps:
        done = fail_at(offset, "steps of GPU kernels in a trace of threads");
        break;
    }
    if (!done) return Failure(done.error());
  }
  return std::span<const Event>(events_.data(), event_count_);
}

Result<void> RftReader::take_definitions(const rft::BlockHeader& header, std::uint64_t offset) {
  const std::string_view raw_block(reinterpret_cast<const char*>(blocks_.raw()), header.raw_bytes);
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
  const rft::DecodeFault fault =
      rft::decode_events(blocks_.raw(), header.raw_bytes, slots_,
                         std::span(events_).first(header.count), blocks_.version());
  if (fault.what != nullptr) {
    return fail_at(offset, "event " + std::to_string(seen_.events + fault.event) + " (raw byte " +
                               std::to_string(fault.byte) + " of this block): " + fault.what);
  }
  event_count_ = header.count;
  seen_.events += header.count;
  ++seen_.blocks;
  return {};
}

}  // namespace

std::unique_ptr<EventReader> read_rft(ByteSource bytes) {
  return std::make_unique<RftReader>(std::move(bytes));
}

}  // namespace redflag
