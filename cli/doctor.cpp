// redflag doctor: what this machine can do, and how to get the rest.
//
// Each line is a row of kChecks: what is looked for, what it is for, the command that gets it. A
// thing that is missing is no error, since nothing here is needed to replay a trace on one process.
// The detectors are tried on a built-in trace, and only their failure makes the exit status 70.
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "cli/child.h"
#include "cli/console.h"
#include "cli/gpu.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/runtime_files.h"
#include "cli/toolchain.h"
#include "core/detect/registry.h"
#include "core/model/make_event.h"

namespace redflag::cli {
namespace {

struct Found {
  bool present = false;
  std::string what;  // path, version
};

// The first of the names on PATH, or below one of the folders.
Found program(std::initializer_list<std::string_view> names, std::string_view folder = {}) {
  std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  if (!folder.empty()) path += ":" + std::string(folder);
  for (const std::string_view name : names) {
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find(':', at), path.size());
      const std::string file = path.substr(at, end - at) + "/" + std::string(name);
      if (end > at && ::access(file.c_str(), X_OK) == 0) return {true, file};
      at = end + 1;
    }
  }
  return {};
}

Found gpu() {
  const GpuFound found = find_gpu();
  return {found.present, found.what};
}

Found mpi_library() {
  const std::string file = find_mpi_library();
  return {!file.empty(), file};
}

Found runtime() {
  const Result<RuntimeFiles> files = find_runtime();
  return {files.has_value(), files ? files->archive() : ""};
}

// One of the files beside libredflag.
Found library(std::string_view name) {
  const Result<RuntimeFiles> files = find_runtime(name);
  return {files.has_value(), files ? files->folder + "/" + std::string(name) : ""};
}

// Where Debian puts the library of each LLVM version.
Found libomp() {
  std::error_code fault;
  for (const char* folder : {"/usr/lib/llvm-19/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib"}) {
    for (const char* name : {"/libomp.so", "/libomp.so.5"}) {
      const std::string file = std::string(folder) + name;
      if (std::filesystem::exists(file, fault)) return {true, file};
    }
  }
  return {};
}

// As the default compiler says: the file's name alone where it knows none.
Found static_libc() {
  const Result<Compiler> compiler = find_compiler(Language::kC, "");
  if (!compiler) return {};
  std::vector<std::string> words = compiler->command;
  words.emplace_back("-print-file-name=libc.a");
  Result<std::string> said = run_child(words);
  if (!said || said->find('/') == std::string::npos) return {};
  said->erase(std::min(said->find('\n'), said->size()));
  return {true, *said};
}

struct Check {
  std::string_view name;
  Found (*look)();
  std::string_view purpose;
  std::string_view remedy;
};

constexpr std::array<Check, 17> kChecks{{
    {"libredflag", runtime, "the library that checked programs are linked with",
     "cmake --build BUILD --target product, or REDFLAG_LIBRARY_DIR=DIR"},
    {"libc.a", static_libc, "links checked programs with -static",
     "apt-get install libc6-dev (elsewhere: glibc-static)"},
    {"gcc", [] { return program({"gcc", "gcc-12"}); }, "builds C programs for checking",
     "apt-get install gcc"},
    {"g++", [] { return program({"g++", "g++-12"}); }, "builds Redflag, and programs for checking",
     "apt-get install g++"},
    {"clang-19", [] { return program({"clang++-19", "clang++"}); },
     "builds programs for checking, the first choice of 'redflag c++', and CUDA where there is no "
     "nvcc",
     "apt-get install clang-19 libclang-rt-19-dev"},
    {"libredflag-pass", [] { return library(kPassName); },
     "instruments with fewer checks than -fsanitize=thread, for clang-19",
     "apt-get install llvm-19-dev, then cmake --build BUILD --target redflag_pass"},
    {"libomp", libomp, "runs OpenMP programs that clang built (those of gcc use libgomp)",
     "apt-get install libomp-19-dev"},
    {"Open MPI layer", [] { return library("redflag/libredflag-openmpi.so"); },
     "checks programs of Open MPI: redflag mpicc, mpirun redflag run",
     "apt-get install openmpi-bin libopenmpi-dev, then build Redflag again"},
    {"MPICH layer", [] { return library("redflag/libredflag-mpich.so"); },
     "checks programs of MPICH", "apt-get install mpich libmpich-dev, then build Redflag again"},
    {"OpenSHMEM layer", [] { return library("redflag/libredflag-oshmem.so"); },
     "checks programs of Open MPI's OpenSHMEM: redflag oshcc, oshrun redflag run",
     "apt-get install openmpi-bin libopenmpi-dev, then build Redflag again"},
    {"mpirun", [] { return program({"mpirun", "mpiexec"}); },
     "starts one-sided programs; replays a trace in several processes",
     "apt-get install openmpi-bin libopenmpi-dev"},
    {"libredflag-mpi", mpi_library, "replays a trace in several processes, under mpirun",
     "apt-get install openmpi-bin libopenmpi-dev, then build Redflag again"},
    {"zstd", [] { return Found{true, std::string("built in, ") + ZSTD_versionString()}; },
     "compresses .rft traces", ""},
    {"NVIDIA GPU", gpu, "runs kernels for 'redflag run'; without one they run on the emulated GPU",
     "a machine with an NVIDIA GPU and its driver"},
    {"libredflag-cuda", [] { return library("redflag/cuda/libredflag-cuda.so"); },
     "the library that checks kernels on a GPU", "cmake --build BUILD --target product"},
    {"nvidia-smi", [] { return program({"nvidia-smi"}); },
     "shows the GPU and its driver; Redflag does not need it",
     "apt-get install nvidia-smi (Debian non-free)"},
    {"nvcc", [] { return program({"nvcc"}, "/usr/local/cuda/bin"); },
     "builds CUDA programs for checking: redflag nvcc; without it clang++-19 builds them",
     "install CUDA 13's toolkit (developer.nvidia.com/cuda-downloads)"},
}};

struct CountRaces final : FindingSink {
  void on_race(const Race&) override { ++count; }
  std::uint64_t count = 0;
};

// Two threads write the same word, in turn under a lock; the racy twin has no lock.
bool finds_the_race(const DetectorInfo& detector) {
  using namespace make;
  const std::vector<Event> good{fork(0, 1),       acquire(0, 0x40), write(0, 0x1000),
                                release(0, 0x40), acquire(1, 0x40), write(1, 0x1000),
                                release(1, 0x40), join(0, 1)};
  const std::vector<Event> racy{fork(0, 1), write(0, 0x1000), write(1, 0x1000), join(0, 1)};
  const auto races_in = [&detector](const std::vector<Event>& events) {
    PageResource memory;
    CountRaces races;
    DetectorOptions options;
    options.memory = &memory;
    options.sink = &races;
    const std::unique_ptr<Detector> made = detector.make(options);
    made->on_events(events, EventIndex{0});
    made->finish();
    return races.count;
  };
  return races_in(good) == 0 && races_in(racy) > 0;
}

std::string line(std::string_view state, std::string_view name, const std::string& rest) {
  std::string text(state);
  text.resize(9, ' ');
  text += name;
  text.resize(std::max<std::size_t>(text.size(), 26), ' ');
  return text + rest + "\n";
}

}  // namespace

Status run_doctor(const Arguments&) {
  std::string text = "redflag " REDFLAG_VERSION "\n\n";
  bool works = true;
  for (const DetectorInfo& detector : kDetectors) {
    if (!detector.precise) continue;
    const bool good = finds_the_race(detector);
    works &= good;
    text += line(good ? "ok" : "BROKEN", detector.name,
                 good ? "finds the race in a small trace, and none in its repaired twin"
                      : "finds no race in a small racy trace, or one in its repaired twin");
  }
  for (const Check& check : kChecks) {
    const Found found = check.look();
    std::string rest(check.purpose);
    if (found.present) {
      rest += " (" + found.what + ")";
    } else {
      rest += "\n" + std::string(26, ' ') + "to get it: " + std::string(check.remedy);
    }
    text += line(found.present ? "ok" : "missing", check.name, rest);
  }
  if (!works) {
    text += "\nredflag itself is broken: build it again, and run its tests with ctest\n";
  }
  return print_and_end(text, works ? Status::kClean : Status::kFault);
}

}  // namespace redflag::cli
