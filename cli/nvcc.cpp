// redflag nvcc: NVIDIA's compiler, with what the emulated GPU needs; where it is not, clang
// (clang_cuda.h).
#include "cli/nvcc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/clang_cuda_run.h"
#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/cuda_arch.h"
#include "cli/response_file.h"
#include "cli/run.h"
#include "cli/runtime_files.h"
#include "cli/toolchain.h"
#include "core/base/output_file.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMaxOptionsBytes = std::size_t{16} << 20;

// Options whose value is the next word unless it follows an equals sign.
constexpr auto kWithValue = std::to_array<std::string_view>({
    "-o",
    "--output-file",
    "-x",
    "--x",
    "-I",
    "--include-path",
    "-L",
    "--library-path",
    "-l",
    "--library",
    "-D",
    "--define-macro",
    "-U",
    "--undefine-macro",
    "-include",
    "--pre-include",
    "-isystem",
    "--system-include",
    "-Xcompiler",
    "--compiler-options",
    "-Xlinker",
    "--linker-options",
    "-Xptxas",
    "--ptxas-options",
    "-Xnvlink",
    "--nvlink-options",
    "-Xarchive",
    "-Xcudafe",
    "-std",
    "--std",
    "-ccbin",
    "--compiler-bindir",
    "-arch",
    "--gpu-architecture",
    "-code",
    "--gpu-code",
    "-gencode",
    "--generate-code",
    "-cudart",
    "--cudart",
    "-rdc",
    "--relocatable-device-code",
    "-maxrregcount",
    "--maxrregcount",
    "-MF",
    "--dependency-output",
    "-MT",
    "-odir",
    "--output-directory",
    "-keep-dir",
    "--keep-dir",
    "-m",
    "-O",
    "-t",
    "--threads",
    "-optf",
    "--options-file",
    "-diag-suppress",
    "-lto",
});

bool takes_value(std::string_view word) {
  return std::find(kWithValue.begin(), kWithValue.end(), word) != kWithValue.end();
}

class Planner {
 public:
  void read(std::span<const std::string> words, bool keeps) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      const std::size_t equals = word.starts_with('-') ? word.find('=') : std::string_view::npos;
      const std::string_view name = word.substr(0, equals);
      std::string_view value;
      std::size_t used = 1;
      if (equals != std::string_view::npos) {
        value = word.substr(equals + 1);
      } else if (takes_value(name) && i + 1 < words.size()) {
        value = words[i + 1];
        used = 2;
      }
      const bool dropped = understand(name, value);
      for (std::size_t k = 0; keeps && !dropped && k < used; ++k)
        plan_.words.push_back(words[i + k]);
      i += used - 1;
    }
  }

  NvccPlan finish() {
    if (!archs_.has_ptx()) plan_.add_ptx = archs_.newest_known(std::to_string(kNewestArch));
    return plan_;
  }

 private:
  // True: the words are left out.
  bool understand(std::string_view name, std::string_view value) {
    if (!name.starts_with('-')) {
      plan_.has_input = true;
    } else if (name == "-cudart" || name == "--cudart") {
      return true;
    } else if (name == "-lineinfo" || name == "--generate-line-info" || name == "-G" ||
               name == "--device-debug") {
      plan_.has_lines = true;
    } else if (name == "-g" || name == "--debug") {
      plan_.has_debug = true;
    } else if (name == "-optf" || name == "--options-file") {
      const Result<std::string> text = read_file(std::string(value), kMaxOptionsBytes);
      if (text) read(response_words(*text), false);
    } else {
      archs_.read(name, value);
    }
    return false;
  }

  NvccPlan plan_;
  CudaArchs archs_;
};

}  // namespace

NvccPlan plan_nvcc(std::span<const std::string> words) {
  Planner planner;
  planner.read(words, true);
  return planner.finish();
}

std::vector<std::string> nvcc_flags(const NvccPlan& plan, const std::string& library_folder) {
  std::vector<std::string> flags{"-cudart", "shared"};
  if (!plan.has_lines) flags.emplace_back("-lineinfo");
  if (!plan.has_debug) flags.emplace_back("-g");
  if (!plan.add_ptx.empty()) {
    flags.emplace_back("-gencode");
    flags.push_back("arch=compute_" + plan.add_ptx + ",code=compute_" + plan.add_ptx);
  }
  if (!library_folder.empty()) {
    flags.emplace_back("-Xlinker");
    flags.push_back("-rpath=" + library_folder);
  }
  return flags;
}

Result<std::string> find_nvcc(const std::string& asked) {
  std::string wanted = asked;
  if (const char* value = std::getenv("REDFLAG_NVCC"); wanted.empty() && value != nullptr) {
    wanted = value;
  }
  if (!wanted.empty()) {
    std::string path = find_program(wanted);
    if (!path.empty()) return path;
    return fail("needed: a compiler of CUDA\nfound: no program '" + wanted +
                "'\nto mend it: name the file by --compiler= or REDFLAG_NVCC");
  }
  if (std::string path = find_program("nvcc"); !path.empty()) return path;
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back(std::string(value) + "/bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    if (std::string path = find_program(folder + "/nvcc"); !path.empty()) return path;
  }
  // CUDA without a toolkit (clang_cuda.h).
  if (std::string path = find_program("clang++-19"); !path.empty()) return path;
  std::string looked = "PATH";
  for (const std::string& folder : folders) looked += ", " + folder;
  return fail(
      "needed: a compiler of CUDA: clang++-19, or NVIDIA's nvcc\nfound: no nvcc in " + looked +
      ", and no clang++-19 in PATH\nto get it: apt-get install clang-19; or install CUDA 13's "
      "toolkit, and name its folder by CUDA_HOME\nno GPU and no driver are needed");
}

Status run_nvcc(const Arguments& arguments) {
  const Result<std::string> nvcc = find_nvcc(arguments.text("compiler"));
  if (!nvcc) return bad_input(nvcc.error().message);
  if (is_clang(*nvcc)) return run_clang_cuda(*nvcc, arguments.operands());
  const NvccPlan plan = plan_nvcc(arguments.operands());
  std::vector<std::string> command{*nvcc};
  if (plan.has_input) {
    const Result<std::string> folder = cuda_library_folder();
    if (!folder) return bad_input(folder.error().message);
    for (std::string& flag : nvcc_flags(plan, *folder)) command.push_back(std::move(flag));
  }
  command.insert(command.end(), plan.words.begin(), plan.words.end());
  return become(command);
}

}  // namespace redflag::cli
