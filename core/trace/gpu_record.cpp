#include "core/trace/gpu_record.h"

#include <limits>

#include "core/trace/format.h"
#include "core/trace/validate.h"

namespace redflag::rft {
namespace {

enum class GpuTag : std::uint8_t { kLaunch = 1, kStep = 2, kEnd = 3, kHost = 4, kSite = 5 };
constexpr std::uint64_t kMostFrames = 256;

// The byte of small fields of a step.
constexpr unsigned kVolatile = 1U << 3;
constexpr unsigned kAligned = 1U << 4;
constexpr unsigned kShared = 1U << 5;
constexpr unsigned kOpShift = 6;

// The last field of a launch that every version has.
constexpr std::uint64_t kCooperative = 1;
constexpr std::uint64_t kHasSync = 2;  // the kernel's synchronising operations follow

// Which arrays follow.
constexpr unsigned kHasAddress = 1;
constexpr unsigned kHasSource = 2;
constexpr unsigned kHasValue = 4;
constexpr unsigned kHasInstructions = 8;  // and, before them, how many instructions led to the step

void put(std::string& out, std::uint64_t value) {
  while (value >= 128) {
    out.push_back(static_cast<char>(value | 128));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out.append(text);
}

void put(std::string& out, const gpu::Dim& dim) {
  put(out, dim.x);
  put(out, dim.y);
  put(out, dim.z);
}

void put_gpu_tag(std::string& out, GpuTag tag) {
  out.push_back(static_cast<char>(tag));
}

void put_lanes(std::string& out, const std::uint64_t* values, gpu::Lanes lanes) {
  std::uint64_t last = 0;
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    put(out, zigzag(values[lane] - last));
    last = values[lane];
  }
}

// Takes fields from the front; after the first fault it gives zeros and keeps the fault.
class GpuFields {
 public:
  explicit GpuFields(std::string_view& bytes) : bytes_(bytes) {}

  std::uint64_t number(std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (bytes_.empty()) return fault("the record ends too early");
      const auto byte = static_cast<std::uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      const std::uint64_t bits = byte & 127U;
      if (shift > 63 || (bits << shift) >> shift != bits)
        return fault("a number of more than 64 bits");
      value |= bits << shift;
      if (byte < 128) break;
    }
    return value > max ? fault("a number above its largest value") : value;
  }
  std::uint32_t number32() {
    return static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max()));
  }
  template <typename Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(number(static_cast<std::uint64_t>(last)));
  }
  std::string text() {
    const std::uint64_t size = number(kMaxNameBytes);
    if (size > bytes_.size()) {
      fault("a name longer than what is left of the block");
      return {};
    }
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  gpu::Dim dim() {
    gpu::Dim made;
    made.x = number32();
    made.y = number32();
    made.z = number32();
    return made;
  }
  void lanes(std::array<std::uint64_t, gpu::kWarp>& values, gpu::Lanes which) {
    std::uint64_t last = 0;
    for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
      values[lane] = (which >> lane & 1) == 0 ? 0 : (last += unzigzag(number()));
    }
  }
  std::uint64_t fault(const char* what) {
    if (what_ == nullptr) what_ = what;
    bytes_ = {};
    return 0;
  }
  const char* what() const { return what_; }

 private:
  std::string_view& bytes_;
  const char* what_ = nullptr;
};

gpu::Launch take_launch(GpuFields& in) {
  gpu::Launch launch;
  launch.id = gpu::LaunchId{in.number32()};
  launch.kernel = in.text();
  launch.grid = in.dim();
  launch.block = in.dim();
  launch.cluster = in.dim();
  launch.shared_bytes = in.number();
  launch.stream = gpu::StreamId{in.number32()};
  launch.host_thread = ThreadId{in.number32()};
  const std::uint64_t small = in.number(kCooperative | kHasSync);
  launch.cooperative = (small & kCooperative) != 0;
  if ((small & kHasSync) != 0) {
    launch.sync.known = true;
    launch.sync.bits = static_cast<std::uint32_t>(in.number((1U << gpu::kSyncOpCount) - 1));
  }
  // What detectors size their tables by.
  constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 31;
  const auto too_large = [](const gpu::Dim& d, std::uint64_t most) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.y > most / d.x ||
           d.z > most / (std::uint64_t{d.x} * d.y);
  };
  if (too_large(launch.block, 1024) || too_large(launch.cluster, 1024) ||
      too_large(launch.grid, kMostThreads) ||
      launch.grid.count() > kMostThreads / launch.block.count()) {
    in.fault("a launch of no threads, more than 1024 in a block or 2^31 in all");
  }
  return launch;
}

GpuStep take_step(GpuFields& in) {
  GpuStep made;
  gpu::Step& step = made.step;
  step.kind = in.choice(gpu::StepKind::kExit);
  const auto small = static_cast<unsigned>(in.number(255));
  const unsigned order = small & 7;
  const unsigned op = small >> kOpShift;
  if (order >= kOrderCount || op > static_cast<unsigned>(gpu::RmwOp::kReduction)) {
    in.fault("an order or operation that there is not");
  }
  step.order = static_cast<Order>(order);
  step.op = static_cast<gpu::RmwOp>(op);
  step.is_volatile = (small & kVolatile) != 0;
  step.aligned = (small & kAligned) != 0;
  step.space = (small & kShared) != 0 ? gpu::Space::kShared : gpu::Space::kGlobal;
  step.scope = in.choice(static_cast<Scope>(kScopeCount - 1));
  step.size = static_cast<std::uint8_t>(in.number(255));
  step.lanes = in.number32();
  step.other = in.number32();
  step.wrote = in.number32();
  step.converged = in.number32();
  step.warp = in.number32();
  step.block = in.number();
  step.site = gpu::SiteId{in.number32()};
  step.object = in.number32();
  step.round = in.number32();
  step.expected = in.number32();
  const auto arrays = static_cast<unsigned>(in.number(15));
  if ((arrays & kHasInstructions) != 0) step.instructions = in.number32();
  made.has_address = (arrays & kHasAddress) != 0;
  made.has_source = (arrays & kHasSource) != 0;
  made.has_value = (arrays & kHasValue) != 0;
  if (made.has_address) in.lanes(made.address, step.lanes);
  if (made.has_source) in.lanes(made.source, step.lanes);
  if (made.has_value) in.lanes(made.value, step.lanes);
  return made;
}

gpu::HostStep take_host(GpuFields& in) {
  gpu::HostStep step;
  step.kind = in.choice(gpu::HostKind::kStreamNonBlocking);
  step.waits = in.number(1) != 0;
  step.host_thread = ThreadId{in.number32()};
  step.stream = gpu::StreamId{in.number32()};
  step.event = gpu::HostEventId{in.number32()};
  step.site = gpu::SiteId{in.number32()};
  step.address = in.number();
  step.size = in.number();
  if (step.address + step.size < step.address) in.fault("an address range that wraps");
  return step;
}

GpuSite take_site(GpuFields& in) {
  GpuSite site;
  site.id = gpu::SiteId{in.number32()};
  const std::uint64_t frames = in.number(kMostFrames);
  for (std::uint64_t i = 0; i < frames && in.what() == nullptr; ++i) {
    Frame frame;
    frame.line = in.number32();
    frame.column = in.number32();
    frame.file = in.text();
    frame.function = in.text();
    site.frames.push_back(std::move(frame));
  }
  return site;
}

}  // namespace

gpu::Step GpuStep::view() const {
  gpu::Step made = step;
  made.address = has_address ? address.data() : nullptr;
  made.source = has_source ? source.data() : nullptr;
  made.value = has_value ? value.data() : nullptr;
  return made;
}

void encode(const gpu::Launch& launch, std::string& out) {
  put_gpu_tag(out, GpuTag::kLaunch);
  put(out, raw(launch.id));
  put(out, std::string_view(launch.kernel).substr(0, kMaxNameBytes));
  put(out, launch.grid);
  put(out, launch.block);
  put(out, launch.cluster);
  put(out, launch.shared_bytes);
  put(out, raw(launch.stream));
  put(out, raw(launch.host_thread));
  put(out, (launch.cooperative ? kCooperative : 0) | (launch.sync.known ? kHasSync : 0));
  if (launch.sync.known) put(out, launch.sync.bits);
}

void encode(const gpu::Step& step, std::string& out) {
  put_gpu_tag(out, GpuTag::kStep);
  put(out, static_cast<std::uint64_t>(step.kind));
  put(out, static_cast<unsigned>(step.order) | (step.is_volatile ? kVolatile : 0) |
               (step.aligned ? kAligned : 0) | (step.space == gpu::Space::kShared ? kShared : 0) |
               static_cast<unsigned>(step.op) << kOpShift);
  put(out, static_cast<std::uint64_t>(step.scope));
  put(out, step.size);
  for (const gpu::Lanes lanes : {step.lanes, step.other, step.wrote, step.converged})
    put(out, lanes);
  put(out, step.warp);
  put(out, step.block);
  put(out, raw(step.site));
  for (const std::uint32_t number : {step.object, step.round, step.expected}) put(out, number);
  put(out, (step.address != nullptr ? kHasAddress : 0) | (step.source != nullptr ? kHasSource : 0) |
               (step.value != nullptr ? kHasValue : 0) |
               (step.instructions != 0 ? kHasInstructions : 0));
  if (step.instructions != 0) put(out, step.instructions);
  for (const std::uint64_t* values : {step.address, step.source, step.value}) {
    if (values != nullptr) put_lanes(out, values, step.lanes);
  }
}

void encode(const GpuLaunchEnd& end, std::string& out) {
  put_gpu_tag(out, GpuTag::kEnd);
  put(out, raw(end.id));
}

void encode(const gpu::HostStep& step, std::string& out) {
  put_gpu_tag(out, GpuTag::kHost);
  put(out, static_cast<std::uint64_t>(step.kind));
  put(out, std::uint64_t{step.waits});
  put(out, raw(step.host_thread));
  put(out, raw(step.stream));
  put(out, raw(step.event));
  put(out, raw(step.site));
  put(out, step.address);
  put(out, step.size);
}

void encode(const GpuSite& site, std::string& out) {
  put_gpu_tag(out, GpuTag::kSite);
  put(out, raw(site.id));
  const std::size_t frames = std::min<std::size_t>(site.frames.size(), kMostFrames);
  put(out, frames);
  for (std::size_t i = 0; i < frames; ++i) {
    const Frame& frame = site.frames[i];
    put(out, frame.line);
    put(out, frame.column);
    put(out, std::string_view(frame.file).substr(0, kMaxNameBytes));
    put(out, std::string_view(frame.function).substr(0, kMaxNameBytes));
  }
}

Result<GpuRecord> decode_record(std::string_view& bytes) {
  GpuFields in(bytes);
  const auto tag = static_cast<GpuTag>(in.number(255));
  GpuRecord record;
  switch (tag) {
    case GpuTag::kLaunch:
      record = take_launch(in);
      break;
    case GpuTag::kStep:
      record = take_step(in);
      break;
    case GpuTag::kEnd:
      record = GpuLaunchEnd{gpu::LaunchId{in.number32()}};
      break;
    case GpuTag::kHost:
      record = take_host(in);
      break;
    case GpuTag::kSite:
      record = take_site(in);
      break;
    default:
      in.fault("unknown type of record, expected 1 to 5");
  }
  if (in.what() != nullptr) return fail(in.what());
  return record;
}

}  // namespace redflag::rft
