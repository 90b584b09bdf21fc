#include "frontends/cuda/report/outlet.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/model/gpu_memory.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/text.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::cuda_report {
namespace {

constexpr std::size_t kLaunchesKept = 1U << 20;  // findings about earlier ones do not name them

// Of NVIDIA's headers, which only call the API; templates without lines are known by what they return.
bool is_cudas_own(const CodeFrame& frame) {
  static constexpr std::array<std::string_view, 3> kHeaders{
      "/cuda_runtime.h", "/cuda_runtime_api.h", "/crt/device_functions.h"};
  return std::any_of(kHeaders.begin(), kHeaders.end(),
                     [&](std::string_view name) { return frame.file.ends_with(name); }) ||
         frame.function.starts_with("cudaError cuda") || frame.function.starts_with("__cuda");
}
// Of what nvcc makes for the host of a kernel, which only launches it.
bool is_stub(const CodeFrame& frame, std::string_view kernel) {
  return frame.function.starts_with("__device_stub__") || frame.file.ends_with(".stub.c") ||
         (!kernel.empty() &&
          (frame.function == kernel || kernel.starts_with(frame.function + "(")));
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_cudas_library(std::string_view module) {
  const std::string_view name = base_name(module);
  return name.starts_with("libcuda.so") || name.starts_with("libcudart.so") ||
         name.starts_with("libredflag-cuda.so");
}

// Of CUDA's runtime library, linked into the program: its own functions have names such as __cudart627, or
// libcudart_static_ and a hash.
bool is_static_runtime(const CodeFrame& frame) {
  return frame.function.starts_with("__cudart") || frame.function.starts_with("libcudart_static_");
}

bool is_libc(std::string_view module) {
  return base_name(module).starts_with("libc.so");
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  char* made = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && made != nullptr ? std::string(made) : name;
  std::free(made);
  return text;
}

struct Outlet::Impl {
  Settings settings;
  int file = -1;
  DeviceFrames device_frames;
  std::map<gpu::LaunchId, gpu::Launch> launches;
  std::uint64_t count = 0;  // a graph's have the same numbers each time
  gpu::Allocations allocations;
  symbolize::Symbolizer symbolizer;
  Folder folder;
  std::set<std::string> said;

  // The calls above the one in CUDA that are the program's, from the first of which the line is known. CUDA's own come first: with
  // few frames kept (caller.h) templates of its header, else its libraries, linked in or loaded.
  Stack host_frames(const Caller& caller, std::string_view kernel) {
    const symbolize::ProcessMap map = symbolize::read_maps(static_cast<std::uint32_t>(::getpid()));
    std::vector<const void*> pcs{caller.at};
    if (caller.above != nullptr) pcs.push_back(caller.above);
    pcs.insert(pcs.end(), caller.outer.begin(), caller.outer.end());
    Stack all, cudas;
    for (const void* pc : pcs) {
      Stack frames = symbolizer.frames(map, reinterpret_cast<std::uint64_t>(pc));
      if (frames.empty()) continue;
      if (!all.empty() && is_libc(frames.front().module)) break;  // it calls main
      for (CodeFrame& frame :
           frames) {  // templates of CUDA's header may be inlined into the program's function
        const bool is_own =
            !all.empty() || !(is_cudas_library(frame.module) || is_static_runtime(frame) ||
                              is_cudas_own(frame) || is_stub(frame, kernel));
        (is_own ? all : cudas).push_back(std::move(frame));
      }
    }
    if (all.empty()) return cudas;
    const auto known = std::find_if(all.begin(), all.end(),
                                    [](const CodeFrame& frame) { return !frame.file.empty(); });
    if (known != all.end()) all.erase(all.begin(), known);
    return all;
  }

  // One write for each line: lines of several processes do not mix.
  void append(std::string line) const {
    if (file < 0) return;
    if (line.empty() || line.back() != '\n') line += '\n';
    (void)!::write(file, line.data(), line.size());
  }
};

Outlet::Outlet(const Settings& settings) : impl_(std::make_unique<Impl>()) {
  impl_->settings = settings;
  if (!settings.report.empty()) {
    impl_->file = ::open(settings.report.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
}

Outlet::~Outlet() {
  if (impl_->file >= 0) ::close(impl_->file);
}

void Outlet::set_frames(DeviceFrames frames) {
  impl_->device_frames = std::move(frames);
}

Stack Outlet::frames(gpu::LaunchId launch, gpu::SiteId site) {
  if (const Caller caller = caller_of(site); caller.at != nullptr) {
    const gpu::Launch* const known = find_launch(launch);
    return impl_->host_frames(caller, known == nullptr ? std::string_view() : known->kernel);
  }
  Stack stack;
  if (!impl_->device_frames) return stack;
  for (Frame& frame : impl_->device_frames(launch, site)) {
    frame.function = demangled(frame.function);
    stack.emplace_back(std::move(frame));
  }
  return stack;
}

void Outlet::launch_begins(const gpu::Launch& launch) {
  impl_->launches[launch.id] = launch;
  if (impl_->launches.size() > kLaunchesKept) impl_->launches.erase(impl_->launches.begin());
  ++impl_->count;
}

void Outlet::launched_at(gpu::LaunchId launch, gpu::SiteId site) {
  const auto at = impl_->launches.find(launch);
  if (at != impl_->launches.end()) at->second.site = site;
}

void Outlet::take(const gpu::HostStep& step) {
  impl_->allocations.take(step);
}

const gpu::Launch* Outlet::find_launch(gpu::LaunchId launch) const {
  const auto at = impl_->launches.find(launch);
  return at == impl_->launches.end() ? nullptr : &at->second;
}

void Outlet::put(const std::vector<gpu::GpuRace>& races) {
  gpu::SiteFrames sites;
  sites.frames = [&](gpu::LaunchId launch, gpu::SiteId site) { return frames(launch, site); };
  sites.launch = [&](gpu::LaunchId id) { return find_launch(id); };
  for (const gpu::GpuRace& race : races) {
    Finding finding = gpu::to_finding(race, sites);
    if (race.space == gpu::Space::kGlobal) name_memory(finding, race.address);
    put(std::move(finding));
  }
}

void Outlet::put(Finding finding) {
  if (impl_->file >= 0) {
    Report report;
    report.detector = impl_->settings.detector;
    report.findings.push_back(std::move(finding));
    impl_->append("F " + write_json(report, -1));
    return;
  }
  const Folder::Place place = impl_->folder.put(std::move(finding));
  if (place.is_new) print(write_text(impl_->folder.findings()[place.index]) + "\n");
}

void Outlet::name_memory(Finding& finding, std::uint64_t address) {
  const gpu::Allocations::Block block = impl_->allocations.holding(address);
  if (block.size != 0) gpu::name_memory(finding, block, frames(gpu::LaunchId{0}, block.site));
}

void Outlet::error(const std::string& message) {
  if (!impl_->said.insert(message).second) return;
  print("redflag: " + message + "\n");
  impl_->append("E ");
}

void Outlet::note(const std::string& message) {
  if (impl_->said.insert(message).second) print("redflag: " + message + "\n");
}

void Outlet::leave_out(Unchecked::Kind kind, const std::string& kernel) {
  Report report;
  report.unchecked.push_back({.kind = kind, .name = kernel, .count = 1});
  const std::string line = "U " + write_json(report, -1);
  if (impl_->said.insert(line).second) impl_->append(line);
}

int Outlet::finish(const std::vector<Counter>& stats) {
  if (!stats.empty() && !impl_->launches.empty()) {
    Report figures;
    figures.detector = impl_->settings.detector;
    figures.stats = stats;
    impl_->append("S " + write_json(figures, -1));
  }
  impl_->append("K " + std::to_string(impl_->count));
  if (impl_->file >= 0 || impl_->folder.findings().empty()) return -1;
  return impl_->settings.exit_status;
}

}  // namespace redflag::cuda_report
