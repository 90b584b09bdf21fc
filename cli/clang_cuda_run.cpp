#include "cli/clang_cuda_run.h"

#include <charconv>
#include <filesystem>
#include <vector>

#include "cli/child.h"
#include "cli/clang_cuda.h"
#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/cuda_libraries.h"
#include "cli/run.h"
#include "cli/temporary.h"
#include "core/base/output_file.h"
#include "frontends/cuda/fatbin/writer.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMaxPtxBytes = std::size_t{1} << 30;

class ClangBuild {
 public:
  ClangBuild(const ClangPlan& plan, const CudaFiles& files, const std::string& folder)
      : plan_(plan), files_(files), folder_(folder) {}

  Status all() {
    std::vector<std::string> objects;
    for (const CudaItem& item : plan_.items) {
      if (!item.is_source) continue;
      const std::string object =
          plan_.goal == CudaGoal::kObject ? output_of(plan_, item, ".o") : temporary(item, ".o");
      if (const Status status = one(item, object); status != Status::kClean) return status;
      objects.push_back(object);
    }
    const bool links = plan_.goal == CudaGoal::kProgram || plan_.goal == CudaGoal::kLibrary ||
                       plan_.goal == CudaGoal::kArchive;
    return links ? run(link_command(plan_, files_, objects)) : Status::kClean;
  }

 private:
  // One source, as far as the plan goes.
  Status one(const CudaItem& item, const std::string& object) {
    const bool host_only =
        plan_.goal == CudaGoal::kPreprocess || plan_.goal == CudaGoal::kDependencies;
    if (item.kind != SourceKind::kCuda || host_only) {
      return run(host_command(plan_, files_, item, "", host_only ? plan_.output : object));
    }
    const bool stops = plan_.goal == CudaGoal::kPtx;
    const std::string ptx = stops ? output_of(plan_, item, ".ptx") : temporary(item, ".ptx");
    if (const Status status = run(device_command(plan_, files_, item, ptx));
        status != Status::kClean) {
      return explain(item, status);
    }
    if (stops) return Status::kClean;
    const std::string fatbin = plan_.goal == CudaGoal::kFatBinary
                                   ? output_of(plan_, item, ".fatbin")
                                   : temporary(item, ".fatbin");
    if (const Result<void> made = pack(ptx, fatbin); !made) return bad_input(made.error().message);
    if (plan_.goal == CudaGoal::kFatBinary) return Status::kClean;
    return run(host_command(plan_, files_, item, fatbin, object));
  }

  Result<void> pack(const std::string& ptx, const std::string& fatbin) {
    if (plan_.is_dry) return {};
    const Result<std::string> text = read_file(ptx, kMaxPtxBytes);
    if (!text) return tl::unexpected(text.error());
    std::uint32_t sm = 0;
    std::from_chars(plan_.arch.data(), plan_.arch.data() + plan_.arch.size(), sm);
    Result<OutputFile> file = OutputFile::create(fatbin);
    if (!file) return tl::unexpected(file.error());
    const Result<void> written = file->write(fatbin::write_container(*text, sm));
    return written ? file->commit() : written;
  }

  // The compiler has said what it did not find; a library of NVIDIA's is named with the remedy.
  Status explain(const CudaItem& item, Status status) {
    const Result<std::string> rule = run_child(include_command(plan_, files_, item));
    const std::string message = rule ? missing_library(*rule) : std::string();
    return message.empty() ? status : bad_input(message);
  }

  Status run(const std::vector<std::string>& words) {
    if (plan_.is_verbose) {
      std::string line = "#$";
      for (const std::string& word : words) line += " " + word;
      print_to_error(line + "\n");
    }
    if (plan_.is_dry) return Status::kClean;
    const int status = run_step(words);
    return status == 127 ? bad_input(words.front() + ": cannot be started") : Status{status};
  }

  // Sources of one name in several folders must not meet here.
  std::string temporary(const CudaItem& item, const std::string& suffix) {
    if (suffix != ".fatbin") ++made_;
    return folder_ + "/" + std::to_string(made_) + "-" +
           std::filesystem::path(item.word).stem().string() + suffix;
  }

  const ClangPlan& plan_;
  const CudaFiles& files_;
  const std::string folder_;
  std::size_t made_ = 0;
};

}  // namespace

bool is_clang(const std::string& path) {
  return std::filesystem::path(path).filename().string().find("clang") != std::string::npos;
}

Status run_clang_cuda(const std::string& clang, std::span<const std::string> words) {
  const Result<ClangPlan> plan = plan_clang(words);
  if (!plan) return bad_input(plan.error().message);
  if (plan->goal == CudaGoal::kNothing) {
    std::vector<std::string> command{clang};
    command.insert(command.end(), words.begin(), words.end());
    return become(command);
  }
  const Result<std::string> folder = cuda_library_folder();
  if (!folder) return bad_input(folder.error().message);
  const Result<TemporaryFolder> temporary = TemporaryFolder::make("PTX and objects of one command");
  if (!temporary) return bad_input(temporary.error().message);
  CudaFiles files{*folder, clang};
  std::error_code fault;
  const std::string lines = *folder + "/libredflag-lines.so";
  // Built for clang 19: no other loads it.
  if (clang.ends_with("-19") && std::filesystem::exists(lines, fault)) files.lines = lines;
  print_note(clang + " compiles, with Redflag's own CUDA headers: no nvcc of NVIDIA's is used");
  return ClangBuild(*plan, files, temporary->path()).all();
}

}  // namespace redflag::cli
