#include "cli/toolchain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace redflag::cli {
namespace {

struct LanguageInfo {
  std::string_view name;
  const char* variable;
  std::array<std::string_view, 4> compilers;  // in the order of preference
  std::string_view package;
};

constexpr std::array<LanguageInfo, 3> kLanguages{{
    {"C", "REDFLAG_CC", {"clang-19", "gcc", "gcc-12", "cc"}, "gcc"},
    {"C++", "REDFLAG_CXX", {"clang++-19", "g++", "g++-12", "c++"}, "g++"},
    {"Fortran",
     "REDFLAG_FORTRAN",
     {"gfortran", "gfortran-13", "gfortran-12", "gfortran-11"},
     "gfortran"},
}};

bool is_program(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Family family_of(const std::string& path) {
  std::error_code fault;
  const std::filesystem::path real = std::filesystem::canonical(path, fault);
  // Both names count: clang's own file is called clang-19, a link to ccache says more than ccache.
  for (const std::filesystem::path& one : {std::filesystem::path(path), real}) {
    if (one.filename().string().find("clang") != std::string::npos) return Family::kClang;
  }
  return Family::kGcc;
}

}  // namespace

bool loads_pass(const Compiler& compiler) {
  if (compiler.family != Family::kClang) return false;
  const std::string& path = compiler.command.back();
  std::error_code fault;
  const std::filesystem::path real = std::filesystem::canonical(path, fault);
  const std::string name = std::filesystem::path(path).filename().string();
  // Debian's and LLVM's own packages: /usr/lib/llvm-19/bin/clang.
  return name.ends_with("-19") || real.string().find("llvm-19/") != std::string::npos ||
         real.filename().string().ends_with("-19");
}

std::string find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    const std::string path(name);
    return is_program(path) ? path : std::string();
  }
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + std::string(name);
    if (is_program(path)) return path;
  }
  return {};
}

Result<Compiler> find_compiler(Language language, const std::string& asked) {
  const LanguageInfo& row = kLanguages[static_cast<std::size_t>(language)];
  std::string words = asked;
  std::string origin = "--compiler";
  if (words.empty()) {
    const char* value = std::getenv(row.variable);
    words = value == nullptr ? "" : value;
    origin = row.variable;
  }
  Compiler made;
  std::istringstream parts(words);
  for (std::string part; parts >> part;) made.command.push_back(part);
  if (made.command.empty()) {
    for (const std::string_view name : row.compilers) {
      if (const std::string path = find_program(name); !path.empty()) {
        return Compiler{{path}, family_of(path)};
      }
    }
    return fail("needed: a compiler for " + std::string(row.name) + "\nfound: none of " +
                std::string(row.compilers[0]) + ", " + std::string(row.compilers[1]) +
                " on PATH\nto get one: apt-get install " + std::string(row.package) +
                "\nor name yours: " + row.variable + "=COMPILER");
  }
  for (std::string& word : made.command) {
    // Launchers such as ccache take the compiler as their first operand: both must exist.
    const bool is_last = &word == &made.command.back();
    const std::string path = find_program(word);
    if (path.empty() && (is_last || &word == &made.command.front())) {
      return fail("needed: the compiler that " + origin + " names\nfound: no program '" + word +
                  "' on PATH\nto see what there is: redflag doctor");
    }
    if (!path.empty()) word = path;
  }
  made.family = family_of(made.command.back());
  return made;
}

}  // namespace redflag::cli
