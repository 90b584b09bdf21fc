// GpuTraceWriter: what a GPU program did, as an .rft file of its own kind.
//
// A sink: it writes what it is told. Blocks go out as they fill, so that a program that crashes leaves
// all but the last; only finish() writes the end block, without which readers call the file truncated.
#pragma once

#include <zstd.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "core/trace/byte_sink.h"
#include "core/trace/format.h"
#include "core/trace/gpu_record.h"

namespace redflag {

class GpuTraceWriter final : public gpu::Sink {
 public:
  // Where a site is, asked once for each; may be empty.
  using Places = std::function<std::vector<Frame>(gpu::SiteId)>;

  GpuTraceWriter(ByteSink sink, Places places);

  void launch_begins(const gpu::Launch& launch) override;
  void step(const gpu::Step& step) override;
  void launch_ends(gpu::LaunchId launch) override;
  void host(const gpu::HostStep& step) override;
  void site(const rft::GpuSite& site);

  Result<void> flush();  // what is in memory still
  Result<void> finish();
  std::uint64_t records() const { return totals_.events + count_; }
  // A fault of the file stays: nothing is written after it.
  const Result<void>& state() const { return state_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  template <typename Record>
  void add(const Record& record);
  void name(gpu::SiteId site);
  void write_block(rft::BlockHeader header, const void* raw);

  ByteSink sink_;
  Places places_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::string raw_;
  std::string compressed_;
  std::uint32_t count_ = 0;
  rft::Totals totals_{};
  std::unordered_set<std::uint32_t> named_;
  Result<void> state_;
};

}  // namespace redflag
