// redflag cc, redflag c++, redflag fortran: the compiler, with what checking needs; redflag flags: only the words.
//
// The command becomes the compiler: no process stands between it and the build system, so signals,
// exit status and output are the compiler's own.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/memory_limit.h"
#include "cli/nvcc.h"
#include "cli/run.h"
#include "cli/static_library.h"
#include "cli/wrap.h"
#include "core/base/suggest.h"

namespace redflag::cli {
namespace {

constexpr std::string_view library_name(Runtime runtime) {
  switch (runtime) {
    case Runtime::kArchive:
      return kArchiveName;
    case Runtime::kShared:
      return kSharedName;
    case Runtime::kForStatic:
      return kForStaticName;
  }
  return {};
}

// What is linked, made if it must be.
Result<RuntimeFiles> runtime_files(const Compiler& compiler, Runtime runtime, bool openmp) {
  Result<RuntimeFiles> files = find_runtime(library_name(runtime));
  if (!files || runtime != Runtime::kForStatic) return files;
  Result<std::vector<std::string>> folders = prepare_static_libraries(compiler, *files, openmp);
  if (!folders) return tl::unexpected(folders.error());
  files->static_folders = std::move(*folders);
  return files;
}

// What only a plugin of its own does.
struct Variant {
  std::string_view option;
  std::string_view plugin;
};
constexpr Variant kVariants[] = {{"sampling", kSamplingPassName},
                                 {"count-instructions", kCountingPassName}};

// The one that is asked for; nullptr: none.
Result<const Variant*> chosen_variant(const Arguments& arguments) {
  const Variant* chosen = nullptr;
  for (const Variant& each : kVariants) {
    if (!arguments.flag(each.option)) continue;
    if (chosen != nullptr) {
      return fail("--" + std::string(chosen->option) + " and --" + std::string(each.option) +
                  ": found both, expected one of them: compile the program twice");
    }
    chosen = &each;
  }
  return chosen;
}

// The compiler; with our own pass, where it loads it and it is not declined.
Result<Compiler> chosen_compiler(const Arguments& arguments, Language language) {
  Result<Compiler> compiler = find_compiler(language, arguments.text("compiler"));
  if (!compiler) return compiler;
  if (language == Language::kFortran) return compiler;
  const Result<const Variant*> variant = chosen_variant(arguments);
  if (!variant) return tl::unexpected(variant.error());
  const bool own = loads_pass(*compiler) && arguments.flag("own-pass");
  if (*variant != nullptr && !own) {
    const std::string option = "--" + std::string((*variant)->option);
    return fail("needed: " + option + " by Redflag's own pass, with clang 19\nfound: " +
                (arguments.flag("own-pass") ? compiler->command.back() : "--no-own-pass") +
                "\nto mend it: add --compiler=clang++-19 (clang-19 for C), or leave out " + option);
  }
  if (!own) return compiler;
  const std::string_view name = *variant != nullptr ? (*variant)->plugin : kPassName;
  const Result<RuntimeFiles> files = find_runtime(name);
  if (!files && *variant != nullptr) return tl::unexpected(files.error());
  if (files) compiler->pass = files->folder + "/" + std::string(name);
  return compiler;
}

Status compile(const Arguments& arguments, Language language) {
  const Result<Compiler> compiler = chosen_compiler(arguments, language);
  if (!compiler) return bad_input(compiler.error().message);
  const bool shared_runtime = arguments.flag("shared-runtime");
  const Plan plan = plan_of(arguments.operands());
  RuntimeFiles files;
  if (plan.step == Step::kProgram || plan.step == Step::kLibrary) {
    const std::string refused =
        plan.is_static ? static_refused(*compiler, plan, shared_runtime) : std::string();
    if (!refused.empty()) return bad_input(refused);
    const Runtime runtime = runtime_of(plan.is_static, shared_runtime);
    // Libraries do without, unless gcc's own runtime is to be kept out.
    Result<RuntimeFiles> found = runtime_files(*compiler, runtime, plan.uses_openmp);
    if (!found) return bad_input(found.error().message);
    files = std::move(*found);
  }
  const Result<std::vector<std::string>> command =
      wrapped_command(*compiler, arguments.operands(), files, shared_runtime);
  if (!command) return bad_input(command.error().message);
  return become(*command);
}

Status print_flags(const std::vector<std::string>& flags) {
  std::string line;
  for (const std::string& flag : flags) line += (line.empty() ? "" : " ") + shell_quoted(flag);
  return print_and_end(line + "\n");
}

}  // namespace

Status become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  lift_memory_limit();
  ::execv(words[0], words.data());
  return bad_input(command.front() + ": cannot start the compiler: " + std::strerror(errno));
}

Status run_cc(const Arguments& arguments) {
  return compile(arguments, Language::kC);
}

Status run_cxx(const Arguments& arguments) {
  return compile(arguments, Language::kCxx);
}

Status run_fortran(const Arguments& arguments) {
  return compile(arguments, Language::kFortran);
}

Status run_flags(const Arguments& arguments) {
  const std::string& wanted = arguments.operands().front();
  const std::vector<std::string> known{"cc", "c++", "ld", "nvcc"};
  if (std::find(known.begin(), known.end(), wanted) == known.end()) {
    return bad_input("there are no flags for '" + wanted + "'" +
                     did_you_mean(nearest(wanted, known)) + "\nexpected one of: cc, c++, ld, nvcc");
  }
  if (wanted == "nvcc") {
    const Result<std::string> folder = cuda_library_folder();
    if (!folder) return bad_input(folder.error().message);
    return print_flags(nvcc_flags({}, *folder));
  }
  const Language language = wanted == "cc" ? Language::kC : Language::kCxx;
  const Result<Compiler> compiler = chosen_compiler(arguments, language);
  if (!compiler) return bad_input(compiler.error().message);
  std::vector<std::string> flags = compile_flags(*compiler);
  if (wanted == "ld") {
    const bool is_static = arguments.flag("static");
    const bool shared_runtime = arguments.flag("shared-runtime");
    const std::string refused =
        is_static ? static_refused(*compiler, Plan{.step = Step::kProgram}, shared_runtime) : "";
    if (!refused.empty()) return bad_input(refused);
    const Runtime runtime = runtime_of(is_static, shared_runtime);
    const Result<RuntimeFiles> files = runtime_files(*compiler, runtime, false);
    if (!files) return bad_input(files.error().message);
    flags = link_flags(*compiler, *files, runtime);
  }
  return print_flags(flags);
}

}  // namespace redflag::cli
