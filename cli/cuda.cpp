#include "cli/cuda.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "cli/console.h"
#include "cli/recording.h"
#include "cli/runtime_files.h"
#include "cli/temporary.h"
#include "core/report/json.h"
#include "core/trace/gpu_mend.h"
#include "frontends/cuda/fatbin/binary.h"

namespace redflag::cli {
namespace {

constexpr std::string_view kLibrary = "redflag/cuda/libcudart.so.13";
constexpr std::string_view kBeforeDriver = "redflag/cuda/libredflag-cuda.so";
constexpr std::string_view kPrefix = "libcudart.so";
constexpr std::string_view kSupported = "libcudart.so.13";
// What the library reads (frontends/cuda/report/settings.h).
constexpr const char* kReportVariable = "REDFLAG_CUDA_REPORT";
constexpr const char* kRecordVariable = "REDFLAG_CUDA_RECORD";
constexpr const char* kRecordSuffix = ".kernels";

// What a program with kernels may load; the driver itself where it uses nothing above it.
constexpr std::array<std::string_view, 3> kCudaLibraries{"libcudart.so", "libcuda.so",
                                                         "libnvrtc.so"};

// NVIDIA's runtime library. Programs built by 'redflag nvcc' would find the emulated GPU's first.
std::string real_runtime() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* home = std::getenv(variable);
    if (home != nullptr && *home == '/') folders.push_back(std::string(home) + "/lib64");
  }
  for (const char* folder : {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"}) {
    folders.emplace_back(folder);
  }
  std::error_code fault;
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + std::string(kSupported);
    if (std::filesystem::exists(path, fault)) return path;
  }
  return {};
}

// LD_PRELOAD with these before what the user has there.
std::string preload(const std::vector<std::string>& libraries) {
  std::string line = "LD_PRELOAD=";
  for (const std::string& library : libraries) {
    line += (line.back() == '=' ? "" : ":") + library;
  }
  const char* before = std::getenv("LD_PRELOAD");
  if (before != nullptr && *before != '\0') line += std::string(":") + before;
  return line;
}

std::string quoted_flags() {
  return "\nto mend it: build it with 'redflag nvcc', or with nvcc's flags -cudart shared "
         "-lineinfo";
}

}  // namespace

Result<std::string> cuda_library_folder() {
  const Result<RuntimeFiles> files = find_runtime(kLibrary);
  if (!files) return Failure(files.error());
  return files->folder + "/redflag/cuda";
}

Result<bool> needs_cuda(const std::string& path, const Probe& probe) {
  const auto at = std::find_if(probe.needed.begin(), probe.needed.end(),
                               [](const std::string& name) { return name.starts_with(kPrefix); });
  if (at != probe.needed.end() && *at != kSupported) {
    return fail("needed: a program that loads " + std::string(kSupported) + "\nfound: " + path +
                " loads " + *at + ", of another CUDA version" +
                "\nto mend it: build it with the nvcc of CUDA 13: redflag nvcc");
  }
  const Result<fatbin::Binary> binary = fatbin::open_binary(path);
  if (!binary || binary->entries.empty()) {
    // A broken container is told of only where there would be something to run.
    if (at != probe.needed.end() && !binary) return Failure(binary.error());
    return at != probe.needed.end();
  }
  if (at == probe.needed.end()) {
    return fail(
        "needed: a program that loads CUDA's runtime library, so that the emulated GPU can "
        "take its place\nfound: " +
        path + " has GPU code and contains the library itself (-cudart static)" + quoted_flags());
  }
  const Result<std::vector<fatbin::PtxText>> ptx = fatbin::ptx_of(*binary);
  if (!ptx) {
    return fail(ptx.error().message +
                "\nor build it with 'redflag nvcc', which adds what is needed");
  }
  return true;
}

bool uses_gpu(const std::string& path, const Probe& probe) {
  const bool loads =
      std::any_of(probe.needed.begin(), probe.needed.end(), [](const std::string& name) {
        return std::any_of(kCudaLibraries.begin(), kCudaLibraries.end(),
                           [&](std::string_view prefix) { return name.starts_with(prefix); });
      });
  if (loads || probe.has_gpu_code) return true;
  const Result<fatbin::Binary> binary = fatbin::open_binary(path);
  return binary && !binary->entries.empty();
}

Result<CudaRun> CudaRun::prepare(Kernels kernels, std::string record) {
  Result<std::string> folder = cuda_library_folder();
  if (kernels == Kernels::kOnGpu) {
    const Result<RuntimeFiles> files = find_runtime(kBeforeDriver);
    if (!files) return Failure(files.error());
    folder = files->folder + "/redflag/cuda";
  }
  if (!folder) return Failure(folder.error());
  Result<std::string> file =
      make_temporary("redflag-cuda", "what the program's kernels are found to do");
  if (!file) return Failure(file.error());
  return CudaRun(kernels, std::move(*folder), std::move(record), std::move(*file));
}

CudaRun::CudaRun(CudaRun&& other) noexcept
    : kernels_run_(other.kernels_run_),
      library_(std::move(other.library_)),
      record_(std::move(other.record_)),
      file_(std::exchange(other.file_, {})),
      read_(other.read_),
      failed_(other.failed_),
      processes_(other.processes_),
      kernels_(other.kernels_),
      stats_(std::move(other.stats_)) {}

CudaRun::~CudaRun() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

std::vector<std::string> CudaRun::environment(bool by_name) const {
  if (kernels_run_ == Kernels::kOnGpu) {
    std::vector<std::string> libraries{library_ + "/libredflag-cuda.so"};
    if (const std::string runtime = real_runtime(); by_name && !runtime.empty()) {
      libraries.push_back(runtime);
    }
    return {preload(libraries), std::string(kReportVariable) + "=" + file_};
  }
  const char* before = std::getenv("LD_LIBRARY_PATH");
  std::string path = "LD_LIBRARY_PATH=" + library_;
  if (before != nullptr && *before != '\0') path += std::string(":") + before;
  std::vector<std::string> made{path, std::string(kReportVariable) + "=" + file_};
  if (!record_.empty())
    made.push_back(std::string(kRecordVariable) + "=" + record_ + kRecordSuffix);
  if (!by_name) return made;
  made.push_back(preload({library_ + "/libcudart.so.13"}));
  return made;
}

Result<void> CudaRun::finish_recording(bool quiet) {
  if (record_.empty()) return {};
  std::error_code fault;
  const std::filesystem::path target = std::filesystem::absolute(record_, fault);
  const std::string prefix = target.filename().string() + kRecordSuffix + ".";
  std::map<std::filesystem::file_time_type, std::filesystem::path> found;  // by age
  for (const auto& entry : std::filesystem::directory_iterator(target.parent_path(), fault)) {
    const std::string name = entry.path().filename().string();
    const bool whole = name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (name.starts_with(prefix) && whole) found[entry.last_write_time(fault)] = entry.path();
  }
  if (found.empty()) {
    return fail(
        "needed: a trace of the program's kernels\nfound: none; no process of the "
        "program used CUDA");
  }
  bool first = true;
  for (const auto& [age, from] : found) {
    const std::string pid = from.filename().string().substr(prefix.size());
    const std::string to =
        first ? record_ : numbered(record_, static_cast<std::uint32_t>(std::stoul(pid)));
    if (Result<void> done = mend_gpu_trace(from.string()); !done) return done;
    std::filesystem::rename(from, to, fault);
    if (fault) return fail(to + ": cannot be written: " + fault.message());
    if (!quiet) print_note("wrote the trace of the kernels: " + to);
    first = false;
  }
  return {};
}

void CudaRun::collect(collect::Collector& collector, std::uint64_t seed, bool says_seed) {
  std::ifstream in(file_);
  in.seekg(static_cast<std::streamoff>(read_));
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // half a line: a process is writing, or was killed
    read_ += line.size() + 1;
    const std::string_view body =
        std::string_view(line).substr(std::min<std::size_t>(2, line.size()));
    if (line.starts_with("E ")) failed_ = true;
    if (line.starts_with("K ")) {
      std::uint64_t count = 0;
      std::from_chars(body.data(), body.data() + body.size(), count);
      kernels_ += count;
      ++processes_;
    }
    if (!line.starts_with("F ") && !line.starts_with("S ") && !line.starts_with("U ")) continue;
    Result<Report> report = read_json(file_, body);
    if (!report) continue;
    for (const Counter& counter : report->stats) {
      const auto at = std::find_if(stats_.begin(), stats_.end(), [&](const Counter& known) {
        return known.name == counter.name;
      });
      if (at == stats_.end()) {
        stats_.push_back(counter);
      } else {
        at->value += counter.value;
      }
    }
    for (Unchecked& one : report->unchecked) collector.on_unchecked(std::move(one));
    for (Finding& finding : report->findings) {
      if (says_seed) {
        finding.advice += (finding.advice.empty() ? "Seen with --seed=" : " Seen with --seed=") +
                          std::to_string(seed) + ".";
      }
      collector.on_finding(std::move(finding));
    }
  }
}

}  // namespace redflag::cli
