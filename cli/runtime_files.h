// Where libredflag is: what checked programs are linked with.
//
// Beside the command: in bin/../lib of a build tree, in the library folder of an installed prefix;
// REDFLAG_LIBRARY_DIR names another folder. Nothing is remembered: a moved prefix goes on working.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

inline constexpr std::string_view kArchiveName = "libredflag.a";
// For programs linked with -static.
inline constexpr std::string_view kForStaticName = "libredflag-static.a";
inline constexpr std::string_view kSharedName = "libredflag.so";
// The plugin for clang-19 that instruments (frontends/cpu/pass).
inline constexpr std::string_view kPassName = "libredflag-pass.so";
inline constexpr std::string_view kSamplingPassName = "libredflag-pass-sampling.so";
inline constexpr std::string_view kCountingPassName = "libredflag-pass-counting.so";
// The symbols that programs export, so that libraries they load find the runtime.
inline constexpr std::string_view kSymbolsName = "libredflag.syms";
// A folder for gcc's -B with an empty libtsan.so and libtsan_preinit.o: gcc adds both by itself, and
// finds these first. (The second would start the runtime before there is an environment to read.)
inline constexpr std::string_view kStandInFolder = "redflag/gcc";
// With which gcc's compilers are told to instrument a -static program, where its driver may not be.
inline constexpr std::string_view kSpecsName = "redflag/gcc/static.specs";

struct RuntimeFiles {
  std::string folder;
  // Of the copies of libraries that -static programs are linked with (static_library.h).
  std::vector<std::string> static_folders{};

  std::string archive() const { return folder + "/" + std::string(kArchiveName); }
  std::string for_static() const { return folder + "/" + std::string(kForStaticName); }
  std::string shared() const { return folder + "/" + std::string(kSharedName); }
  std::string symbols() const { return folder + "/" + std::string(kSymbolsName); }
  std::string specs() const { return folder + "/" + std::string(kSpecsName); }
  std::string stand_in() const { return folder + "/" + std::string(kStandInFolder); }
};

// The folder that holds `name`; the error says where it was looked for and how to get it.
Result<RuntimeFiles> find_runtime(std::string_view name = kArchiveName);

// This command's own file, for processes that start it again; empty: unknown.
std::string own_path();

}  // namespace redflag::cli
