// GpuTraceReader: plays a trace of GPU kernels into a sink.
//
//   Result<GpuTraceReader> reader = GpuTraceReader::open(path);
//   for (Result<bool> more = true; more && *more;) more = reader->play(detector);
//
// Every record has been checked by itself, and steps belong to a launch that has begun: a sink may
// rely on both. Holds one block, the launches and the sites. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "core/model/sources.h"
#include "core/trace/gpu_record.h"
#include "core/trace/rft_blocks.h"

namespace redflag {

inline constexpr int kStepKindCount = static_cast<int>(gpu::StepKind::kExit) + 1;
inline constexpr int kHostKindCount = static_cast<int>(gpu::HostKind::kStreamNonBlocking) + 1;
std::string_view name(gpu::StepKind kind);
std::string_view name(gpu::HostKind kind);

class GpuTraceReader {
 public:
  // Whether the file is such a trace, from its first bytes; false also when it cannot be read, and
  // for a pipe, from which nothing is read.
  static bool is_one(const std::string& path);

  static Result<GpuTraceReader> open(const std::string& path);
  static Result<GpuTraceReader> from_bytes(std::string name, std::string bytes);

  // The next block, into the sink. False: the whole trace was read, and its end was there.
  Result<bool> play(gpu::Sink& sink);

  const std::map<gpu::LaunchId, gpu::Launch>& launches() const { return launches_; }
  const std::vector<Frame>& frames(gpu::SiteId site) const;  // empty: unknown
  const std::map<gpu::SiteId, std::vector<Frame>>& sites() const { return sites_; }
  std::uint64_t records() const { return seen_.events; }
  std::uint64_t count(gpu::StepKind kind) const { return steps_[static_cast<std::size_t>(kind)]; }
  std::uint64_t count(gpu::HostKind kind) const { return host_[static_cast<std::size_t>(kind)]; }
  std::uint64_t position() const { return blocks_.bytes().position(); }
  std::uint64_t size() const { return blocks_.bytes().size(); }

 private:
  explicit GpuTraceReader(ByteSource bytes) : blocks_(std::move(bytes)) {}
  static Result<GpuTraceReader> start(ByteSource bytes);
  // What is wrong with it after what came before; nullptr: nothing.
  const char* take(const rft::GpuRecord& record, gpu::Sink& sink);
  const char* step_fault(const gpu::Step& step) const;

  rft::BlockSource blocks_;
  rft::Totals seen_{};
  bool ended_ = false;
  const gpu::Launch* running_ = nullptr;
  std::map<gpu::LaunchId, gpu::Launch> launches_;
  std::map<gpu::SiteId, std::vector<Frame>> sites_;
  std::array<std::uint64_t, kStepKindCount> steps_{};
  std::array<std::uint64_t, kHostKindCount> host_{};
};

}  // namespace redflag
