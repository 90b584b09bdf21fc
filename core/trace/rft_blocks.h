// The blocks of an .rft file: header checked, payload verified and decompressed, one at a time.
//
// What is in them is for the reader of the kind of trace: events (rft_reader.h) or the steps of GPU
// kernels (gpu_reader.h). Every message names the file and the byte.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/trace/byte_source.h"
#include "core/trace/format.h"

namespace redflag::rft {

class BlockSource {
 public:
  explicit BlockSource(ByteSource bytes);

  // "run.rft: byte 48: ..."
  Failure fail_at(std::uint64_t offset, const std::string& what) const;

  // The file's header, of a trace of GPU kernels or not; others are refused, with what they are.
  Result<void> read_header(bool of_gpu);
  // One block, into raw(). `seen`: what the blocks before had.
  Result<BlockHeader> next(const Totals& seen);
  // After the end block: that its totals are those seen, and that nothing follows.
  Result<void> check_end(const Totals& seen, std::uint64_t offset);

  // The last block's payload, and kPadding zero bytes.
  const std::uint8_t* raw() const { return raw_.data(); }
  const ByteSource& bytes() const { return bytes_; }
  std::uint16_t version() const { return version_; }  // of the file, once its header is read

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  Result<void> unpack(const BlockHeader& header, const char* payload, std::uint64_t offset);

  ByteSource bytes_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::vector<std::uint8_t> raw_;
  std::uint16_t version_ = kVersion;
};

}  // namespace redflag::rft
