// TraceWriter: writes .rft files (docs/how/trace-format.md).
//
// Events are encoded as they come and leave as a compressed block when it is full or when a
// definition must come between; definitions likewise. So memory is one block of each, and a file
// cut off anywhere is known to be: only finish() writes the end block.
#pragma once

#include <zstd.h>

#include "core/trace/byte_sink.h"
#include "core/trace/encode.h"
#include "core/trace/writer.h"

namespace redflag {

class TraceWriter final : public EventWriter {
 public:
  static Result<TraceWriter> create(const std::string& path);  // "-": standard output
  explicit TraceWriter(ByteSink sink);

  TraceWriter(TraceWriter&&) = default;

 protected:
  Result<void> write_definition(const Definition& definition) override;
  Result<void> write_events(std::span<const Event> events) override;
  Result<void> write_end() override;

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  Result<void> flush_events();
  Result<void> flush_definitions();
  Result<void> write_block(rft::BlockHeader header, const void* raw);
  Result<void> start_file();  // writes the header if it is not there yet

  ByteSink sink_;
  std::unique_ptr<rft::BlockEncoder> encoder_;
  std::string definitions_;  // raw block
  std::uint32_t definition_count_ = 0;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::string compressed_;
  rft::Totals totals_{};
};

}  // namespace redflag
