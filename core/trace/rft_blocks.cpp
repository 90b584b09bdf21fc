#include "core/trace/rft_blocks.h"

#include <cstring>

#include "core/base/check.h"

namespace redflag::rft {

BlockSource::BlockSource(ByteSource bytes) : bytes_(std::move(bytes)), context_(ZSTD_createDCtx()) {
  REDFLAG_CHECK(context_ != nullptr);
}

Failure BlockSource::fail_at(std::uint64_t offset, const std::string& what) const {
  return fail(bytes_.name() + ": byte " + std::to_string(offset) + ": " + what);
}

Result<void> BlockSource::read_header(bool of_gpu) {
  const Result<std::string_view> window = bytes_.window(sizeof(FileHeader));
  if (!window) return Failure(window.error());
  FileHeader header{};
  if (window->size() < sizeof(header)) {
    return fail_at(window->size(), "the file ends inside its header, which has 16 bytes");
  }
  std::memcpy(&header, window->data(), sizeof(header));
  if (std::string_view(header.magic, sizeof(header.magic)) != kMagic)
    return fail_at(0, "not the first bytes of an .rft trace");
  if (header.version == 0 || header.version > kVersion) {
    return fail_at(8, "format version " + std::to_string(header.version) +
                          " found, this program reads versions 1 to " + std::to_string(kVersion) +
                          "; convert the trace with the program that wrote it");
  }
  version_ = header.version;
  if (header.flags != 0 && !is_gpu(header.flags)) {
    return fail_at(10, "unknown flags set, expected 0, 1 or 3");
  }
  if (header.check != file_header_check(header))
    return fail_at(12, "checksum of the file header does not match: the file is damaged");
  if (is_gpu(header.flags) != of_gpu) {
    return fail_at(10,
                   is_gpu(header.flags)
                       ? "a trace of GPU kernels, expected one of threads; 'redflag replay' and "
                         "'redflag trace info' read it, from a file and not from a pipe"
                       : "a trace of threads, expected one of GPU kernels");
  }
  bytes_.consume(sizeof(header));
  return {};
}

Result<BlockHeader> BlockSource::next(const Totals& seen) {
  const std::uint64_t offset = bytes_.position();
  BlockHeader header;
  Result<std::string_view> window = bytes_.window(sizeof(header));
  if (!window) return Failure(window.error());
  if (window->size() < sizeof(header)) {
    return fail_at(offset + window->size(),
                   "the file ends where a block was expected: it is truncated (no end block)");
  }
  std::memcpy(&header, window->data(), sizeof(header));
  if (const char* what = block_header_fault(header))
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
  if (header.checksum != block_checksum(header, payload, offset))
    return fail_at(offset, "checksum of the block does not match: the file is damaged");
  const std::uint64_t expected =
      header.type == BlockType::kDefinitions ? seen.definitions : seen.events;
  if (header.first != expected) {
    return fail_at(offset, "block starts at number " + std::to_string(header.first) +
                               ", expected " + std::to_string(expected) + ": a block is missing");
  }
  if (Result<void> done = unpack(header, payload, offset); !done) return Failure(done.error());
  bytes_.consume(whole);
  return header;
}

Result<void> BlockSource::unpack(const BlockHeader& header, const char* payload,
                                 std::uint64_t offset) {
  if (raw_.size() < header.raw_bytes + kPadding) raw_.resize(header.raw_bytes + kPadding);
  if (header.codec == Codec::kStored) {
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
  std::memset(raw_.data() + header.raw_bytes, 0, kPadding);
  return {};
}

Result<void> BlockSource::check_end(const Totals& seen, std::uint64_t offset) {
  Totals totals;
  std::memcpy(&totals, raw_.data(), sizeof(totals));
  if (totals.events != seen.events || totals.definitions != seen.definitions ||
      totals.blocks != seen.blocks) {
    return fail_at(offset, "totals of " + std::to_string(totals.events) + " events, " +
                               std::to_string(totals.definitions) + " definitions and " +
                               std::to_string(totals.blocks) + " blocks, but " +
                               std::to_string(seen.events) + ", " +
                               std::to_string(seen.definitions) + " and " +
                               std::to_string(seen.blocks) + " were read: a block is missing");
  }
  const Result<std::string_view> window = bytes_.window(1);
  if (!window) return Failure(window.error());
  if (!window->empty()) return fail_at(bytes_.position(), "bytes behind the end of the trace");
  return {};
}

}  // namespace redflag::rft
