// Steps of GPU kernels as bytes: the payload of a block of a GPU trace (docs/how/trace-format.md).
//
// A record is a launch, a step of a warp, the end of a launch, a step of the host, or a site: where an
// instruction or call is in the source, told before it is first used. Numbers are LEB128; the
// addresses of a warp's lanes are told as differences from lane to lane, which are mostly one small
// number; zstd takes out the rest. Every record can be decoded by itself.
//
// decode_record trusts nothing: enumerators, lanes and lengths are checked, and the error says which.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "core/model/sources.h"

namespace redflag::rft {

struct GpuSite {
  gpu::SiteId id{0};
  std::vector<Frame> frames;  // innermost first

  friend bool operator==(const GpuSite&, const GpuSite&) = default;
};
struct GpuLaunchEnd {
  gpu::LaunchId id{0};
};
// A step with its own arrays; step.address and the others point into them or are nullptr.
struct GpuStep {
  gpu::Step step;
  std::array<std::uint64_t, gpu::kWarp> address, source, value;
  bool has_address = false, has_source = false, has_value = false;

  // The step, pointing into this object.
  gpu::Step view() const;
};
using GpuRecord = std::variant<gpu::Launch, GpuStep, GpuLaunchEnd, gpu::HostStep, GpuSite>;

void encode(const gpu::Launch& launch, std::string& out);
void encode(const gpu::Step& step, std::string& out);
void encode(const GpuLaunchEnd& end, std::string& out);
void encode(const gpu::HostStep& step, std::string& out);
void encode(const GpuSite& site, std::string& out);

// Takes one record from the front of `bytes`. The error says what is wrong, without a place.
Result<GpuRecord> decode_record(std::string_view& bytes);

}  // namespace redflag::rft
