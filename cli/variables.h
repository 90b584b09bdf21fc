// The environment variables that users may set, in one table: the manual and docs/user/options.md
// derive from it. Variables by which Redflag's own processes find each other are not here.
#pragma once

#include <array>
#include <string_view>

namespace redflag::cli {

struct VariableInfo {
  std::string_view name;  // several that mean alike, with commas
  std::string_view meaning;
};

inline constexpr std::array kVariables{
    VariableInfo{
        "REDFLAG_OPTIONS",
        "Options for every command, as key=value separated by white space or colons: the names of "
        "the options without their dashes, for flags also key and no-key. Programs built for "
        "checking read it too, when they run without 'redflag run'. Quotes keep white space in a "
        "value. The command line wins; a command ignores options that it does not take."},
    VariableInfo{"TSAN_OPTIONS",
                 "Flags of ThreadSanitizer, which 'redflag run' and programs built for checking "
                 "read before REDFLAG_OPTIONS (docs/user/tsan-options.md)."},
    VariableInfo{"REDFLAG_CC, REDFLAG_CXX, REDFLAG_FORTRAN, REDFLAG_NVCC",
                 "The compilers that 'redflag cc', 'redflag c++', 'redflag fortran' and 'redflag "
                 "nvcc' call, unless --compiler names one."},
    VariableInfo{"REDFLAG_MPICC, REDFLAG_MPICXX, REDFLAG_MPIFORT, REDFLAG_OSHCC",
                 "The compiler wrappers of MPI and OpenSHMEM that 'redflag mpicc', 'redflag "
                 "mpicxx', 'redflag mpifort' and 'redflag oshcc' call, unless --compiler names "
                 "one."},
    VariableInfo{"REDFLAG_LIBRARY_DIR",
                 "The folder of libredflag, where it is not beside the command."},
    VariableInfo{"REDFLAG_PROGRAM",
                 "The redflag command that a checked program starts to print its races, where it "
                 "runs without 'redflag run' and the command is neither beside the library nor on "
                 "PATH."},
    VariableInfo{"REDFLAG_CACHE_DIR",
                 "The folder of the copies of libc.a that -static programs are linked with; the "
                 "default is the folder redflag in XDG_CACHE_HOME."},
    VariableInfo{"XDG_CACHE_HOME",
                 "The folder in which Redflag makes its cache, the folder redflag: rewritten GPU "
                 "code and copies of libc.a; the default is ~/.cache."},
    VariableInfo{"NO_COLOR", "If set and not empty, --color=auto means never."},
    VariableInfo{"TMPDIR",
                 "The folder where standard input is kept while it is read twice; default /tmp."},
};

}  // namespace redflag::cli
