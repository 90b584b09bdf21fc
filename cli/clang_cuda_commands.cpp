// The command lines of clang that a plan comes to.
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/clang_cuda.h"

namespace redflag::cli {
namespace {

void append_words(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

// What both passes of a .cu file begin with.
std::vector<std::string> cuda_words(const ClangPlan& plan, const CudaFiles& files) {
  std::vector<std::string> words{files.clang, "-x", "cuda", "-nocudainc", "-nocudalib",
                                 "--cuda-gpu-arch=sm_" + plan.arch, "-Wno-unknown-cuda-version",
                                 // As nvcc 12.5 would be asked: newer calls for launches, PTX 8.5.
                                 "-Xclang", "-target-sdk-version=12.5", "-D__CUDACC__",
                                 "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13",
                                 "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0", "-include",
                                 files.library + "/include/cuda_runtime.h"};
  append_words(words, plan.common);
  words.insert(words.end(), {"-isystem", files.library + "/include"});
  return words;
}

bool has_prefix(const std::vector<std::string>& words, std::string_view prefix) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& each) { return each.starts_with(prefix); });
}

}  // namespace

std::vector<std::string> device_command(const ClangPlan& plan, const CudaFiles& files,
                                        const CudaItem& source, const std::string& output) {
  std::vector<std::string> words = cuda_words(plan, files);
  // Lines for every access; warnings come from the host's pass, which sees the same source.
  words.insert(words.end(), {"--cuda-device-only", "-S", "-gline-tables-only", "-w", "-Xclang",
                             "-mlink-builtin-bitcode", "-Xclang", files.library + "/libdevice.bc"});
  if (!has_prefix(plan.common, "-O") || has_prefix(plan.common, "-O0")) words.emplace_back("-O1");
  // Accesses of two branches stay two, each with its line (frontends/cuda/lines).
  words.insert(words.end(), {"-mllvm", "-simplifycfg-sink-common=false", "-mllvm",
                             "-simplifycfg-hoist-common=false", "-mllvm",
                             "-simplifycfg-merge-cond-stores=false"});
  if (!files.lines.empty()) words.push_back("-fpass-plugin=" + files.lines);
  append_words(words, plan.device);
  words.insert(words.end(), {source.word, "-o", output});
  return words;
}

std::vector<std::string> host_command(const ClangPlan& plan, const CudaFiles& files,
                                      const CudaItem& source, const std::string& fatbin,
                                      const std::string& output) {
  std::vector<std::string> words;
  if (source.kind == SourceKind::kCuda) {
    words = cuda_words(plan, files);
    words.emplace_back("--cuda-host-only");
    if (!fatbin.empty()) {
      words.insert(words.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin});
    }
  } else {
    words = {files.clang, "-x", source.kind == SourceKind::kC ? "c" : "c++"};
    append_words(words, plan.common);
    words.insert(words.end(), {"-isystem", files.library + "/include"});
  }
  append_words(words, plan.host);
  if (plan.goal == CudaGoal::kPreprocess) {
    words.emplace_back("-E");
  } else if (plan.goal != CudaGoal::kDependencies) {
    words.emplace_back("-c");
    if (!has_prefix(plan.host, "-g")) words.emplace_back("-g");
  }
  words.push_back(source.word);
  if (!output.empty()) words.insert(words.end(), {"-o", output});
  return words;
}

std::vector<std::string> link_command(const ClangPlan& plan, const CudaFiles& files,
                                      std::span<const std::string> objects) {
  const std::string output = !plan.output.empty()              ? plan.output
                             : plan.goal == CudaGoal::kArchive ? "a.a"
                                                               : "a.out";
  std::vector<std::string> words;
  std::size_t next = 0;
  const auto add_items = [&] {
    for (const CudaItem& item : plan.items) {
      if (item.is_source) {
        words.push_back(objects[next++]);
      } else if (plan.goal != CudaGoal::kArchive || !item.word.starts_with("-l")) {
        words.push_back(item.word);
      }
    }
  };
  if (plan.goal == CudaGoal::kArchive) {
    words = {"ar", "rcs", output};
    add_items();
    return words;
  }
  words = {files.clang};
  append_words(words, plan.link);
  add_items();
  words.insert(words.end(), {"-L" + files.library, "-l:libcudart.so.13",
                             "-Wl,-rpath," + files.library, "-o", output});
  return words;
}

std::vector<std::string> include_command(const ClangPlan& plan, const CudaFiles& files,
                                         const CudaItem& source) {
  std::vector<std::string> words = cuda_words(plan, files);
  words.insert(words.end(), {"--cuda-host-only", "-w", "-M", "-MG", source.word});
  return words;
}

std::string output_of(const ClangPlan& plan, const CudaItem& source, const std::string& suffix) {
  if (!plan.output.empty()) return plan.output;
  const std::string name = std::filesystem::path(source.word).stem().string() + suffix;
  return plan.output_folder.empty() ? name : plan.output_folder + "/" + name;
}

}  // namespace redflag::cli
