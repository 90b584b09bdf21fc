#include "core/trace/rft_writer.h"

#include "core/base/check.h"
#include "core/trace/definition_codec.h"

namespace redflag {
namespace {

constexpr std::size_t kDefinitionBlockBytes = std::size_t{1} << 18;

}  // namespace

Result<TraceWriter> TraceWriter::create(const std::string& path) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return Failure(file.error());
  return TraceWriter(ByteSink(std::move(*file)));
}

TraceWriter::TraceWriter(ByteSink sink)
    : EventWriter(sink.name()),
      sink_(std::move(sink)),
      encoder_(std::make_unique<rft::BlockEncoder>()),
      context_(ZSTD_createCCtx()) {
  REDFLAG_CHECK(context_ != nullptr);
}

Result<void> TraceWriter::write_definition(const Definition& definition) {
  if (Result<void> done = flush_events(); !done) return done;
  rft::encode_definition(definition, definitions_);
  ++definition_count_;
  if (definitions_.size() >= kDefinitionBlockBytes) return flush_definitions();
  return {};
}

Result<void> TraceWriter::write_events(std::span<const Event> events) {
  if (Result<void> done = flush_definitions(); !done) return done;
  for (const Event& event : events) {
    encoder_->add(event);
    if (encoder_->is_full()) {
      if (Result<void> done = flush_events(); !done) return done;
    }
  }
  return {};
}

Result<void> TraceWriter::flush_events() {
  if (encoder_->count() == 0) return {};
  const std::span<const std::uint8_t> raw = encoder_->raw();
  const Result<void> done = write_block({.type = rft::BlockType::kEvents,
                                         .raw_bytes = static_cast<std::uint32_t>(raw.size()),
                                         .count = encoder_->count(),
                                         .first = totals_.events},
                                        raw.data());
  totals_.events += encoder_->count();
  encoder_->clear();
  return done;
}

Result<void> TraceWriter::flush_definitions() {
  if (definition_count_ == 0) return {};
  const Result<void> done =
      write_block({.type = rft::BlockType::kDefinitions,
                   .raw_bytes = static_cast<std::uint32_t>(definitions_.size()),
                   .count = definition_count_,
                   .first = totals_.definitions},
                  definitions_.data());
  totals_.definitions += definition_count_;
  definitions_.clear();
  definition_count_ = 0;
  return done;
}

Result<void> TraceWriter::start_file() {
  if (sink_.written() != 0) return {};
  rft::FileHeader header{.magic = {}, .version = rft::kVersion, .flags = 0, .check = 0};
  rft::kMagic.copy(header.magic, sizeof(header.magic));
  header.check = rft::file_header_check(header);
  return sink_.write(&header, sizeof(header));
}

Result<void> TraceWriter::write_block(rft::BlockHeader header, const void* raw) {
  if (Result<void> done = start_file(); !done) return done;
  const void* payload = raw;
  header.codec = rft::Codec::kStored;
  header.stored_bytes = header.raw_bytes;
  if (header.type != rft::BlockType::kEnd) {
    compressed_.resize(ZSTD_compressBound(header.raw_bytes));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), compressed_.data(), compressed_.size(), raw,
                          header.raw_bytes, rft::kCompressionLevel);
    // Small blocks do not always shrink; they are stored as they are.
    if (!ZSTD_isError(size) && size < header.raw_bytes) {
      payload = compressed_.data();
      header.codec = rft::Codec::kZstd;
      header.stored_bytes = static_cast<std::uint32_t>(size);
    }
    ++totals_.blocks;
  }
  header.checksum = rft::block_checksum(header, payload, sink_.written());
  if (Result<void> done = sink_.write(&header, sizeof(header)); !done) return done;
  return sink_.write(payload, header.stored_bytes);
}

Result<void> TraceWriter::write_end() {
  if (Result<void> done = flush_events(); !done) return done;
  if (Result<void> done = flush_definitions(); !done) return done;
  const rft::BlockHeader header{
      .type = rft::BlockType::kEnd, .raw_bytes = sizeof(totals_), .first = totals_.events};
  if (Result<void> done = write_block(header, &totals_); !done) return done;
  return sink_.commit();
}

}  // namespace redflag
