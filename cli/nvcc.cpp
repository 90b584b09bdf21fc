// redflag nvcc: NVIDIA's compiler, with what the emulated GPU needs.
#include "cli/nvcc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/console.h"
#include "cli/cuda.h"
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

// "sm_90a", "compute_80": 90 and "90a".
struct Arch {
  int number = 0;
  std::string name;
  bool is_ptx = false;
};

std::optional<Arch> parse_arch(std::string_view text) {
  Arch made;
  made.is_ptx = text.starts_with("compute_");
  if (!made.is_ptx && !text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(text.find('_') + 1);
  made.name = text;
  for (const char c : text) {
    if (c >= '0' && c <= '9') made.number = made.number * 10 + (c - '0');
  }
  return made;
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
    if (!arch_.empty()) {
      // -arch=sm_80 alone stands for machine code and PTX; with -code, that says what is embedded.
      if (code_.empty()) {
        if (arch_ == "all" || arch_ == "all-major") {
          named_.push_back({kNewestArch, std::to_string(kNewestArch), false});
        } else if (const std::optional<Arch> arch = parse_arch(arch_)) {
          named_.push_back({arch->number, arch->name, true});
        } else {
          named_.push_back({0, "", true});  // native: whatever it is, with PTX
        }
      } else if (const std::optional<Arch> arch = parse_arch(arch_)) {
        named_.push_back({arch->number, arch->name, false});
        read_codes(code_);
      }
    }
    const bool has_ptx =
        named_.empty() || std::any_of(named_.begin(), named_.end(), [](auto& each) {
          return each.is_ptx && each.number <= kNewestArch;
        });
    if (!has_ptx) {
      const Arch* best = nullptr;
      for (const Arch& each : named_) {
        if (each.number <= kNewestArch && (best == nullptr || each.number > best->number)) {
          best = &each;
        }
      }
      plan_.add_ptx = best == nullptr ? std::to_string(kNewestArch) : best->name;
    }
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
    } else if (name == "-arch" || name == "--gpu-architecture") {
      arch_ = value;
    } else if (name == "-code" || name == "--gpu-code") {
      code_ = value;
    } else if (name == "-gencode" || name == "--generate-code") {
      read_gencode(value);
    } else if (name == "-optf" || name == "--options-file") {
      const Result<std::string> text = read_file(std::string(value), kMaxOptionsBytes);
      if (text) read(response_words(*text), false);
    }
    return false;
  }

  // arch=compute_80,code=[sm_80,compute_80]
  void read_gencode(std::string_view value) {
    const std::size_t code = value.find("code=");
    std::string_view arch = value.substr(0, code);
    if (arch.starts_with("arch=")) arch.remove_prefix(5);
    arch = arch.substr(0, arch.find(','));
    if (const std::optional<Arch> parsed = parse_arch(arch)) {
      named_.push_back({parsed->number, parsed->name, code == std::string_view::npos});
    }
    if (code != std::string_view::npos) read_codes(value.substr(code + 5));
  }

  void read_codes(std::string_view list) {
    while (!list.empty()) {
      const std::size_t begin = list.find_first_not_of("[],\"\\ ");
      if (begin == std::string_view::npos) return;
      list.remove_prefix(begin);
      const std::string_view word = list.substr(0, list.find_first_of("[],\"\\ "));
      list.remove_prefix(word.size());
      if (const std::optional<Arch> arch = parse_arch(word)) named_.push_back(*arch);
    }
  }

  NvccPlan plan_;
  std::string arch_;
  std::string code_;
  std::vector<Arch> named_;  // is_ptx: embedded as such
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
    return fail("needed: nvcc, NVIDIA's CUDA compiler\nfound: no program '" + wanted +
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
  std::string looked = "PATH";
  for (const std::string& folder : folders) looked += ", " + folder;
  return fail("needed: nvcc, NVIDIA's CUDA compiler\nfound: none in " + looked +
              "\nto get it: install the CUDA toolkit (Debian: apt-get install "
              "nvidia-cuda-toolkit), or name its folder by CUDA_HOME\nno GPU and no driver are "
              "needed");
}

Status run_nvcc(const Arguments& arguments) {
  const Result<std::string> nvcc = find_nvcc(arguments.text("compiler"));
  if (!nvcc) return bad_input(nvcc.error().message);
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
