// Any bytes as a command line and REDFLAG_OPTIONS: either a message, or arguments that every
// look-up accepts. The same words as those of nvcc, for clang: either a message, or commands.
//
// The words are separated by line ends; what follows the first byte of zero is the environment.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/clang_cuda.h"
#include "cli/cuda_libraries.h"
#include "core/base/check.h"

namespace {

using redflag::cli::ClangPlan;
using redflag::cli::CudaItem;

// Files of options would be read from this machine.
bool names_a_file_of_options(const std::string& word) {
  return word.starts_with('@') || word.find("opt") != std::string::npos;
}

void try_nvcc_words(const std::vector<std::string>& words) {
  if (std::any_of(words.begin(), words.end(), names_a_file_of_options)) return;
  const redflag::Result<ClangPlan> plan = redflag::cli::plan_clang(words);
  if (!plan) {
    REDFLAG_CHECK(plan.error().message.starts_with("needed: "));
    return;
  }
  const redflag::cli::CudaFiles files{"/lib", "clang"};
  std::vector<std::string> objects;
  for (const CudaItem& item : plan->items) {
    if (!item.is_source) continue;
    objects.push_back(output_of(*plan, item, ".o"));
    REDFLAG_CHECK(device_command(*plan, files, item, "p").back() == "p");
    REDFLAG_CHECK(!host_command(*plan, files, item, "f", "o").empty());
  }
  REDFLAG_CHECK(!link_command(*plan, files, objects).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  using namespace redflag::cli;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = text.find('\0');
  std::string_view line = text.substr(0, zero);
  const std::string environment(zero == std::string_view::npos ? "" : text.substr(zero + 1));
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = line.find('\n');
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  try_nvcc_words(words);
  (void)missing_library(text);
  const Result<Arguments> arguments =
      parse_arguments(words, zero == std::string_view::npos ? nullptr : environment.c_str());
  if (!arguments) {
    REDFLAG_CHECK(!arguments.error().message.empty());
    return 0;
  }
  for (const OptionInfo& option : kOptions) {
    if (!contains(option.commands, arguments->command().id)) continue;
    const bool has_value = !option.fallback.empty() || arguments->is_set(option.name);
    // Values that got through were checked: none of these may fail.
    if (option.repeatable) {
      (void)arguments->all(option.name);
    } else if (!has_value) {
      REDFLAG_CHECK(arguments->text(option.name).empty());
    } else if (option.kind == ValueKind::kNumber || option.kind == ValueKind::kBytes) {
      const std::uint64_t value = arguments->number(option.name);
      REDFLAG_CHECK(value >= option.least && value <= option.most);
    } else if (option.kind == ValueKind::kFlag) {
      (void)arguments->flag(option.name);
    } else if (arguments->is_set(option.name)) {
      REDFLAG_CHECK(value_fault(option, arguments->text(option.name)).empty());
    }
  }
  REDFLAG_CHECK(!arguments->line().empty());
  return 0;
}
