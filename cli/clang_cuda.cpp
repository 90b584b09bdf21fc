#include "cli/clang_cuda.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/clang_cuda_options.h"
#include "cli/cuda_arch.h"
#include "cli/response_file.h"
#include "core/base/output_file.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMaxOptionsBytes = std::size_t{16} << 20;
// nvcc of CUDA 13 compiles for this one when nothing is said.
constexpr std::string_view kUsualArch = "75";

// A list as -Xcompiler has it: words between commas or blanks.
std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(", ");
    if (end != 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return parts;
}

class NvccReader {
 public:
  Result<void> read(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (!word.starts_with('-') || word == "-") {
        if (Result<void> done = input(word); !done) return done;
        continue;
      }
      std::string_view value;
      const NvccOption* option = find(word, value);
      const bool apart = value.data() == nullptr;
      const bool takes = option != nullptr ? option->has_value : CudaArchs().read(word, "");
      if (takes && apart && i + 1 < words.size()) value = words[++i];
      if (Result<void> done = apply(option, word, value); !done) return done;
    }
    return {};
  }

  Result<ClangPlan> finish() {
    plan_.arch = archs_.newest_known(std::string(kUsualArch));
    const bool has_input = !plan_.items.empty();
    if (!has_input) {
      plan_.goal = CudaGoal::kNothing;
    } else if (plan_.goal == CudaGoal::kNothing) {
      plan_.goal = CudaGoal::kProgram;
    }
    const bool one_each = plan_.goal == CudaGoal::kObject || plan_.goal == CudaGoal::kPtx ||
                          plan_.goal == CudaGoal::kFatBinary;
    if (one_each && !plan_.output.empty() && plan_.sources() > 1) {
      return fail("needed: one source where -o names what is made of it\nfound: " +
                  std::to_string(plan_.sources()) + " sources\nto mend it: leave out -o");
    }
    const auto is_device = [](const CudaItem& each) {
      return each.is_source && each.kind == SourceKind::kCuda;
    };
    if (relocatable_ && (plan_.goal != CudaGoal::kProgram ||
                         std::count_if(plan_.items.begin(), plan_.items.end(), is_device) > 1)) {
      return fail(std::string(kRelocatable));
    }
    return std::move(plan_);
  }

 private:
  // The row of the table for this word, or none; `value`: what is said in the word itself.
  static const NvccOption* find(std::string_view word, std::string_view& value) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto at = std::find_if(
        kNvccOptions.begin(), kNvccOptions.end(),
        [&](const NvccOption& each) { return each.name == name || each.other == name; });
    const bool joins = word.size() > 2 && kJoinedOptions.find(word[1]) != std::string_view::npos;
    if (at != kNvccOptions.end() && (equals == std::string_view::npos || at->has_value) &&
        !(joins && name.size() == 2)) {
      if (equals != std::string_view::npos) value = word.substr(equals + 1);
      return &*at;
    }
    if (!joins) return nullptr;
    const auto short_one = std::find_if(
        kNvccOptions.begin(), kNvccOptions.end(),
        [&](const NvccOption& each) { return each.has_value && each.name == word.substr(0, 2); });
    if (short_one == kNvccOptions.end()) return nullptr;
    value = word.substr(2);
    if (value.starts_with('=')) value.remove_prefix(1);
    return &*short_one;
  }

  Result<void> apply(const NvccOption* option, std::string_view word, std::string_view value) {
    if (option == nullptr) return unknown(word, value);
    const std::string spelled = std::string(option->as) + std::string(value);
    switch (option->use) {
      case NvccUse::kBoth:
        add_spelled(plan_.common, *option, value);
        break;
      case NvccUse::kHost:
        add_spelled(plan_.host, *option, value);
        break;
      case NvccUse::kHostList:
        for (std::string& each : split_list(value)) host_word(std::move(each));
        break;
      case NvccUse::kLinkList:
        for (const std::string& each : split_list(value)) plan_.link.push_back("-Wl," + each);
        break;
      case NvccUse::kLink:
        library(value);
        break;
      case NvccUse::kLinkAnywhere:
        plan_.link.push_back(spelled);
        break;
      case NvccUse::kGoal:
        plan_.goal = option->goal;
        if (option->goal == CudaGoal::kDependencies) plan_.host.emplace_back(option->as);
        if (option->goal == CudaGoal::kLibrary) plan_.link.emplace_back(option->as);
        break;
      case NvccUse::kOwn:
        return own(option->name, value);
      case NvccUse::kRefused:
        return fail(std::string(option->as));
      case NvccUse::kDropped:
        break;
    }
    return {};
  }

  static void add_spelled(std::vector<std::string>& to, const NvccOption& option,
                          std::string_view value) {
    // clang takes the file behind these as a word of its own.
    const bool apart = option.has_value && option.as.size() > 2 && !option.as.ends_with('=');
    if (apart || option.as == "-MF" || option.as == "-MT") {
      to.emplace_back(option.as);
      to.emplace_back(value);
    } else {
      to.push_back(std::string(option.as) + std::string(value));
    }
  }

  // A word of -Xcompiler is for the host, but macros and folders are for the device as well.
  void host_word(std::string word) {
    const bool is_common = word.starts_with("-D") || word.starts_with("-U") ||
                           word.starts_with("-I") || word.starts_with("-std=");
    if (is_common) {
      plan_.common.push_back(std::move(word));
      return;
    }
    plan_.link.push_back(word);
    plan_.host.push_back(std::move(word));
  }

  void library(std::string_view name) {
    if (std::find(kServedLibraries.begin(), kServedLibraries.end(), name) != kServedLibraries.end())
      return;
    plan_.items.push_back({"-l" + std::string(name)});
  }

  Result<void> own(std::string_view name, std::string_view value) {
    if (name == "-o") {
      plan_.output = value;
    } else if (name == "-odir") {
      plan_.output_folder = value;
    } else if (name == "-x") {
      language_ = value;
    } else if (name == "-v") {
      plan_.is_verbose = true;
    } else if (name == "-dryrun") {
      plan_.is_dry = plan_.is_verbose = true;
    } else if (name == "-use_fast_math") {
      plan_.device.insert(plan_.device.end(),
                          {"-fgpu-approx-transcendentals", "-D__USE_FAST_MATH__"});
    } else if (name == "-fmad") {
      if (value == "false") plan_.device.emplace_back("-ffp-contract=off");
    } else if (name == "-default-stream") {
      if (value == "per-thread") {
        plan_.common.insert(plan_.common.end(), {"-Xclang", "-fgpu-default-stream=per-thread",
                                                 "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"});
      }
    } else if (name == "-rdc") {
      relocatable_ = value == "true";
    } else if (name.ends_with("extended-lambda")) {
      plan_.common.emplace_back("-D__CUDACC_EXTENDED_LAMBDA__");
    } else if (name == "-expt-relaxed-constexpr") {
      plan_.common.emplace_back("-D__CUDACC_RELAXED_CONSTEXPR__");
    } else if (name == "-optf") {
      const Result<std::string> text = read_file(std::string(value), kMaxOptionsBytes);
      if (!text) return tl::unexpected(text.error());
      return read(response_words(*text));
    }
    return {};
  }

  // clang's own, or for the architecture.
  Result<void> unknown(std::string_view word, std::string_view value) {
    const std::size_t equals = word.find('=');
    const std::string_view behind =
        equals == std::string_view::npos ? value : word.substr(equals + 1);
    if (archs_.read(word.substr(0, equals), behind)) return {};
    if (word.starts_with("-W") && !word.starts_with("-Wl,")) {
      plan_.host.emplace_back(word);
    } else if (word.starts_with("-Wl,") || word == "-pthread" || word.starts_with("-fuse-ld") ||
               word == "-rdynamic") {
      plan_.link.emplace_back(word);
    } else {
      plan_.common.emplace_back(word);
      if (word.starts_with("-f")) plan_.link.emplace_back(word);
    }
    return {};
  }

  Result<void> input(std::string_view word) {
    if (word.starts_with('@')) {
      const Result<std::string> text = read_file(std::string(word.substr(1)), kMaxOptionsBytes);
      if (!text) return tl::unexpected(text.error());
      return read(response_words(*text));
    }
    const std::string suffix = std::filesystem::path(word).extension().string();
    CudaItem item{std::string(word)};
    if (language_ == "cu" || (language_.empty() && (suffix == ".cu" || suffix == ".cuh"))) {
      item.is_source = true;
    } else if (language_ == "c" || (language_.empty() && suffix == ".c")) {
      item.is_source = true;
      item.kind = SourceKind::kC;
    } else if (language_ == "c++" || (language_.empty() && (suffix == ".cpp" || suffix == ".cc" ||
                                                            suffix == ".cxx" || suffix == ".C"))) {
      item.is_source = true;
      item.kind = SourceKind::kCxx;
    } else if (suffix == ".ptx" || suffix == ".cubin" || suffix == ".fatbin") {
      return fail("needed: sources, objects and libraries\nfound: " + item.word +
                  "\nto mend it: compile the .cu file that it was made of; PTX alone is checked by "
                  "redflag run " +
                  item.word);
    }
    plan_.items.push_back(std::move(item));
    return {};
  }

  ClangPlan plan_;
  CudaArchs archs_;
  std::string language_;
  bool relocatable_ = false;
};

}  // namespace

std::size_t ClangPlan::sources() const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [](const CudaItem& each) { return each.is_source; }));
}

Result<ClangPlan> plan_clang(std::span<const std::string> words) {
  NvccReader reader;
  if (const Result<void> done = reader.read(words); !done) return tl::unexpected(done.error());
  return reader.finish();
}

}  // namespace redflag::cli
