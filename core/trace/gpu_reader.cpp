#include "core/trace/gpu_reader.h"

#include <filesystem>

namespace redflag {
namespace {

constexpr std::array<std::string_view, kStepKindCount> kStepNames{
    "read",         "write",         "atomic-load",     "atomic-store",  "atomic-rmw",
    "fence",        "warp-sync",     "barrier-arrive",  "barrier-pass",  "cluster-arrive",
    "cluster-pass", "mbarrier-init", "mbarrier-arrive", "mbarrier-wait", "mbarrier-inval",
    "async-copy",   "async-commit",  "async-wait",      "async-arrive",  "branch",
    "reconverge",   "exit",
};
constexpr std::array<std::string_view, kHostKindCount> kHostNames{
    "alloc",        "free",       "copy-to",     "copy-from",
    "host-write",   "host-read",  "sync-stream", "sync-device",
    "record-event", "sync-event", "stream-wait", "stream-non-blocking",
};

// Steps whose kind means nothing without an address for each lane.
bool needs_address(gpu::StepKind kind) {
  using enum gpu::StepKind;
  switch (kind) {
    case kRead:
    case kWrite:
    case kAtomicLoad:
    case kAtomicStore:
    case kAtomicRmw:
    case kMbarrierInit:
    case kMbarrierArrive:
    case kMbarrierWait:
    case kMbarrierInval:
    case kAsyncCopy:
    case kAsyncArrive:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view name(gpu::StepKind kind) {
  return kStepNames[static_cast<std::size_t>(kind)];
}

std::string_view name(gpu::HostKind kind) {
  return kHostNames[static_cast<std::size_t>(kind)];
}

bool GpuTraceReader::is_one(const std::string& path) {
  // A pipe gives its bytes once, to the reader that comes after.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  Result<ByteSource> bytes = ByteSource::open(path);
  if (!bytes) return false;
  const Result<std::string_view> window = bytes->window(sizeof(rft::FileHeader));
  if (!window || window->size() < sizeof(rft::FileHeader)) return false;
  rft::FileHeader header{};
  std::memcpy(&header, window->data(), sizeof(header));
  return std::string_view(header.magic, sizeof(header.magic)) == rft::kMagic &&
         rft::is_gpu(header.flags);
}

Result<GpuTraceReader> GpuTraceReader::start(ByteSource bytes) {
  GpuTraceReader reader(std::move(bytes));
  if (Result<void> done = reader.blocks_.read_header(true); !done) {
    return Failure(done.error());
  }
  return reader;
}

Result<GpuTraceReader> GpuTraceReader::open(const std::string& path) {
  Result<ByteSource> bytes = ByteSource::open(path);
  if (!bytes) return Failure(bytes.error());
  return start(std::move(*bytes));
}

Result<GpuTraceReader> GpuTraceReader::from_bytes(std::string name, std::string bytes) {
  return start(ByteSource::from_bytes(std::move(name), std::move(bytes)));
}

const std::vector<Frame>& GpuTraceReader::frames(gpu::SiteId site) const {
  static const std::vector<Frame> none;
  const auto at = sites_.find(site);
  return at == sites_.end() ? none : at->second;
}

Result<bool> GpuTraceReader::play(gpu::Sink& sink) {
  if (ended_) return false;
  const std::uint64_t offset = blocks_.bytes().position();
  const Result<rft::BlockHeader> header = blocks_.next(seen_);
  if (!header) return Failure(header.error());
  if (header->type == rft::BlockType::kEnd) {
    if (Result<void> done = blocks_.check_end(seen_, offset); !done) return Failure(done.error());
    ended_ = true;
    return false;
  }
  if (header->type != rft::BlockType::kGpuSteps) {
    return blocks_.fail_at(offset, "events of threads in a trace of GPU kernels");
  }
  std::string_view rest(reinterpret_cast<const char*>(blocks_.raw()), header->raw_bytes);
  for (std::uint32_t i = 0; i < header->count; ++i) {
    const Result<rft::GpuRecord> record = rft::decode_record(rest);
    const char* what = record ? take(*record, sink) : record.error().message.c_str();
    if (what != nullptr) {
      return blocks_.fail_at(offset, "record " + std::to_string(seen_.events + i) + ": " + what);
    }
  }
  if (!rest.empty()) {
    return blocks_.fail_at(offset, std::to_string(rest.size()) + " bytes behind the last record");
  }
  seen_.events += header->count;
  ++seen_.blocks;
  return true;
}

const char* GpuTraceReader::step_fault(const gpu::Step& step) const {
  if (running_ == nullptr) return "a step outside of every launch";
  if (step.block >= running_->grid.count()) return "a block that the grid has not";
  if (step.warp >= running_->block_warps()) return "a warp that the block has not";
  const std::uint32_t threads = running_->block_threads() - step.warp * gpu::kWarp;
  const gpu::Lanes there = threads >= gpu::kWarp ? ~gpu::Lanes{0} : (gpu::Lanes{1} << threads) - 1;
  if (((step.lanes | step.other) & ~there) != 0) return "a lane that the warp has not";
  if (needs_address(step.kind) && step.address == nullptr) return "an access without addresses";
  if (step.kind == gpu::StepKind::kAsyncCopy && step.source == nullptr) {
    return "a copy without sources";
  }
  return nullptr;
}

const char* GpuTraceReader::take(const rft::GpuRecord& record, gpu::Sink& sink) {
  if (const auto* step = std::get_if<rft::GpuStep>(&record)) {
    const gpu::Step view = step->view();
    if (const char* what = step_fault(view)) return what;
    ++steps_[static_cast<std::size_t>(view.kind)];
    sink.step(view);
  } else if (const auto* host = std::get_if<gpu::HostStep>(&record)) {
    ++host_[static_cast<std::size_t>(host->kind)];
    sink.host(*host);
  } else if (const auto* launch = std::get_if<gpu::Launch>(&record)) {
    if (running_ != nullptr) return "a launch before the one before has ended";
    if (!launches_.empty() && launch->id <= launches_.rbegin()->first) {
      return "a launch whose number is not above those before";
    }
    running_ = &(launches_[launch->id] = *launch);
    sink.launch_begins(*launch);
  } else if (const auto* end = std::get_if<rft::GpuLaunchEnd>(&record)) {
    if (running_ == nullptr || running_->id != end->id) return "the end of a launch that is not on";
    running_ = nullptr;
    sink.launch_ends(end->id);
  } else if (const auto* site = std::get_if<rft::GpuSite>(&record)) {
    sites_[site->id] = site->frames;
  }
  return nullptr;
}

}  // namespace redflag
