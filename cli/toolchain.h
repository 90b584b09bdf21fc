// Which compiler the wrappers call, and which family it belongs to.
//
// Chosen by --compiler, else by REDFLAG_CC, REDFLAG_CXX or REDFLAG_FORTRAN, else the first of the known names that
// is installed. The family decides the flags (wrap.h): clang has a flag to leave its runtime out,
// gcc is given an empty one to find. It is told from the name of the program, after following
// links, since c++ may be either; a wrapper script of unknown name is taken for gcc's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

enum class Language : std::uint8_t { kC, kCxx, kFortran };
enum class Family : std::uint8_t { kGcc, kClang };

struct Compiler {
  std::vector<std::string> command;  // usually one word, a path; {"ccache", "/usr/bin/g++"}
  Family family = Family::kGcc;
  std::string pass{};  // libredflag-pass.so, where the compiler loads it and it is wanted
};

// Is it clang 19, the one that libredflag-pass.so is built for?
bool loads_pass(const Compiler& compiler);

// The file that a shell would run for this name, or empty.
std::string find_program(std::string_view name);

// `asked`: the value of --compiler, may be empty.
Result<Compiler> find_compiler(Language language, const std::string& asked);

}  // namespace redflag::cli
