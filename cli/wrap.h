// From the words of a compiler's command line to the words of the same, for checking.
//
// Instrumented code comes from the compiler's own -fsanitize=thread; only the library behind it is
// ours. So compiling adds that flag (with debug information and frame pointers), and linking a
// program adds libredflag and keeps the compiler's own runtime out: clang has a flag for that, gcc
// is led to an empty libtsan.so. Shared libraries get no runtime: theirs is the program's, which
// exports it. A program linked with -static gets libredflag-static.a and copies of the static
// libraries instead (static_library.h). Our words come before the user's, whose later ones win; none of the
// user's is changed, but those that choose a form of ThreadSanitizer's library are left out.
//
// Pure but for response files (@FILE), which are looked into and passed on as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/runtime_files.h"
#include "cli/toolchain.h"
#include "core/base/error.h"

namespace redflag::cli {

enum class Step : std::uint8_t {
  kNone,     // nothing to compile: --version, -print-file-name=...
  kCompile,  // stops before linking: -c, -S, -E, -M, -fsyntax-only
  kLibrary,  // -shared
  kPartial,  // -r
  kProgram,  // links an executable, perhaps compiling before
};

// What the compiler will do with these words.
struct Plan {
  Step step = Step::kNone;
  bool has_sources = false;          // something to compile, not objects only
  bool has_debug = false;            // some -g of the user
  bool is_static = false;            // -static, -static-pie
  bool uses_openmp = false;          // -fopenmp
  bool demands_symbols = false;      // -Wl,-z,defs or -Wl,--no-undefined
  bool has_other_sanitizer = false;  // -fsanitize=undefined and so on
};
Plan plan_of(std::span<const std::string> words);

// Which libredflag is linked.
enum class Runtime : std::uint8_t {
  kArchive,    // libredflag.a
  kShared,     // libredflag.so
  kForStatic,  // libredflag-static.a; files.static_folders are needed
};

constexpr Runtime runtime_of(bool is_static, bool shared_runtime) {
  return is_static ? Runtime::kForStatic : shared_runtime ? Runtime::kShared : Runtime::kArchive;
}

// The flags alone, as 'redflag flags' prints them.
std::vector<std::string> compile_flags(const Compiler& compiler, bool with_debug = true);
std::vector<std::string> link_flags(const Compiler& compiler, const RuntimeFiles& files,
                                    Runtime runtime);

// Why -static is out of the question with these words; empty: it is not.
std::string static_refused(const Compiler& compiler, const Plan& plan, bool shared_runtime);

// The whole command. An error says why the combination cannot be checked.
Result<std::vector<std::string>> wrapped_command(const Compiler& compiler,
                                                 std::span<const std::string> words,
                                                 const RuntimeFiles& files, bool shared_runtime);

}  // namespace redflag::cli
