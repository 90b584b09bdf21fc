// The options of nvcc, and what becomes of each when clang compiles (clang_cuda.h).
//
// Part of clang_cuda.cpp alone. An option that is in no row is given to clang as it is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cli/clang_cuda.h"

namespace redflag::cli {

enum class NvccUse : std::uint8_t {
  kBoth,          // both passes
  kHost,          // the host's pass, where dependencies and warnings are made too
  kHostList,      // words between commas for the host's pass and the link
  kLinkList,      // words between commas for the linker
  kLink,          // at its place among the objects
  kLinkAnywhere,  // for the linker
  kGoal,          // how far to go: `as` is the number of a CudaGoal
  kDropped,       // nothing to do here
  kOwn,           // NvccReader::own
  kRefused,       // `as` says why
};

struct NvccOption {
  std::string_view name;
  std::string_view other;  // the long spelling
  bool has_value;
  NvccUse use;
  std::string_view as;  // how clang spells it; its value follows at once
  CudaGoal goal = CudaGoal::kNothing;
};

inline constexpr std::string_view kRelocatable =
    "needed: device code that is complete in each source\nfound: -rdc=true or -dc, which leaves "
    "linking "
    "it to NVIDIA's nvlink\nto mend it: leave the option out where sources do not call each "
    "other's "
    "device functions, include them in one source, or install CUDA 13's toolkit";
inline constexpr std::string_view kMachineCode =
    "needed: a goal that has PTX: -c, -ptx, -fatbin or a program\nfound: an option for machine "
    "code "
    "of a GPU, which only NVIDIA's ptxas makes\nto mend it: install CUDA 13's toolkit, or ask for "
    "-ptx";

inline constexpr auto kNvccOptions = std::to_array<NvccOption>({
    {"-I", "--include-path", true, NvccUse::kBoth, "-I"},
    {"-isystem", "--system-include", true, NvccUse::kBoth, "-isystem"},
    {"-include", "--pre-include", true, NvccUse::kBoth, "-include"},
    {"-D", "--define-macro", true, NvccUse::kBoth, "-D"},
    {"-U", "--undefine-macro", true, NvccUse::kBoth, "-U"},
    {"-std", "--std", true, NvccUse::kBoth, "-std="},
    {"-O", "--optimize", true, NvccUse::kBoth, "-O"},
    {"-w", "--disable-warnings", false, NvccUse::kBoth, "-w"},
    {"-g", "--debug", false, NvccUse::kHost, "-g"},
    {"-pg", "--profile", false, NvccUse::kHost, "-pg"},
    {"-Werror", "--Werror", true, NvccUse::kDropped, ""},
    {"-MD", "--generate-dependencies-with-compile", false, NvccUse::kHost, "-MD"},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", false, NvccUse::kHost, "-MMD"},
    {"-MP", "--generate-dependency-targets", false, NvccUse::kHost, "-MP"},
    {"-MF", "--dependency-output", true, NvccUse::kHost, "-MF"},
    {"-MT", "--dependency-target-name", true, NvccUse::kHost, "-MT"},
    {"-Xcompiler", "--compiler-options", true, NvccUse::kHostList, ""},
    {"-Xlinker", "--linker-options", true, NvccUse::kLinkList, ""},
    {"-L", "--library-path", true, NvccUse::kLinkAnywhere, "-L"},
    {"-l", "--library", true, NvccUse::kLink, "-l"},
    {"-c", "--compile", false, NvccUse::kGoal, "", CudaGoal::kObject},
    {"-E", "--preprocess", false, NvccUse::kGoal, "", CudaGoal::kPreprocess},
    {"-M", "--generate-dependencies", false, NvccUse::kGoal, "-M", CudaGoal::kDependencies},
    {"-MM", "--generate-nonsystem-dependencies", false, NvccUse::kGoal, "-MM",
     CudaGoal::kDependencies},
    {"-ptx", "--ptx", false, NvccUse::kGoal, "", CudaGoal::kPtx},
    {"-fatbin", "--fatbin", false, NvccUse::kGoal, "", CudaGoal::kFatBinary},
    {"-lib", "--lib", false, NvccUse::kGoal, "", CudaGoal::kArchive},
    {"-shared", "--shared", false, NvccUse::kGoal, "-shared", CudaGoal::kLibrary},
    {"-link", "--link", false, NvccUse::kGoal, "", CudaGoal::kProgram},
    {"-Xclang", "", true, NvccUse::kBoth, "-Xclang"},
    {"-mllvm", "", true, NvccUse::kBoth, "-mllvm"},
    {"-o", "--output-file", true, NvccUse::kOwn, ""},
    {"-odir", "--output-directory", true, NvccUse::kOwn, ""},
    {"-x", "--x", true, NvccUse::kOwn, ""},
    {"-optf", "--options-file", true, NvccUse::kOwn, ""},
    {"-v", "--verbose", false, NvccUse::kOwn, ""},
    {"-dryrun", "--dryrun", false, NvccUse::kOwn, ""},
    {"-use_fast_math", "--use_fast_math", false, NvccUse::kOwn, ""},
    {"-fmad", "--fmad", true, NvccUse::kOwn, ""},
    {"-default-stream", "--default-stream", true, NvccUse::kOwn, ""},
    {"-rdc", "--relocatable-device-code", true, NvccUse::kOwn, ""},
    {"-extended-lambda", "--extended-lambda", false, NvccUse::kOwn, ""},
    {"-expt-extended-lambda", "--expt-extended-lambda", false, NvccUse::kOwn, ""},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", false, NvccUse::kOwn, ""},
    {"-dc", "--device-c", false, NvccUse::kRefused, kRelocatable},
    {"-dw", "--device-w", false, NvccUse::kRefused, kRelocatable},
    {"-dlink", "--device-link", false, NvccUse::kRefused, kRelocatable},
    {"-cubin", "--cubin", false, NvccUse::kRefused, kMachineCode},
    {"-optix-ir", "--optix-ir", false, NvccUse::kRefused, kMachineCode},
    {"-ltoir", "--ltoir", false, NvccUse::kRefused, kMachineCode},
    {"-run", "--run", false, NvccUse::kRefused,
     "needed: a command that compiles or links\nfound: -run\nto mend it: run the program by "
     "redflag "
     "run"},
    {"-cudart", "--cudart", true, NvccUse::kDropped, ""},
    {"-cudadevrt", "--cudadevrt", true, NvccUse::kDropped, ""},
    {"-ccbin", "--compiler-bindir", true, NvccUse::kDropped, ""},
    {"-allow-unsupported-compiler", "--allow-unsupported-compiler", false, NvccUse::kDropped, ""},
    {"-lineinfo", "--generate-line-info", false, NvccUse::kDropped, ""},
    {"-G", "--device-debug", false, NvccUse::kDropped, ""},
    {"-src-in-ptx", "--source-in-ptx", false, NvccUse::kDropped, ""},
    {"-maxrregcount", "--maxrregcount", true, NvccUse::kDropped, ""},
    {"-Xptxas", "--ptxas-options", true, NvccUse::kDropped, ""},
    {"-Xnvlink", "--nvlink-options", true, NvccUse::kDropped, ""},
    {"-Xcudafe", "--cudafe-options", true, NvccUse::kDropped, ""},
    {"-Xarchive", "--archive-options", true, NvccUse::kDropped, ""},
    {"-diag-suppress", "--diag-suppress", true, NvccUse::kDropped, ""},
    {"-diag-error", "--diag-error", true, NvccUse::kDropped, ""},
    {"-diag-warn", "--diag-warn", true, NvccUse::kDropped, ""},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", false, NvccUse::kDropped, ""},
    {"-res-usage", "--resource-usage", false, NvccUse::kDropped, ""},
    {"-t", "--threads", true, NvccUse::kDropped, ""},
    {"-split-compile", "--split-compile", true, NvccUse::kDropped, ""},
    {"-keep", "--keep", false, NvccUse::kDropped, ""},
    {"-keep-dir", "--keep-dir", true, NvccUse::kDropped, ""},
    {"-m", "--machine", true, NvccUse::kDropped, ""},
    {"-m64", "--m64", false, NvccUse::kDropped, ""},
    {"-ftz", "--ftz", true, NvccUse::kDropped, ""},
    {"-prec-div", "--prec-div", true, NvccUse::kDropped, ""},
    {"-prec-sqrt", "--prec-sqrt", true, NvccUse::kDropped, ""},
    {"-lto", "--lto", false, NvccUse::kDropped, ""},
    {"-dlto", "--dlink-time-opt", false, NvccUse::kDropped, ""},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", false,
     NvccUse::kDropped, ""},
    {"-forward-unknown-opts", "--forward-unknown-opts", false, NvccUse::kDropped, ""},
});

// nvcc takes the value of these at once: -DX, -lm, -O2.
inline constexpr std::string_view kJoinedOptions = "IDULlO";

// The libraries of the toolkit that the emulated GPU's takes the place of.
inline constexpr auto kServedLibraries =
    std::to_array<std::string_view>({"cudart", "cudart_static", "cudadevrt", "cuda"});

}  // namespace redflag::cli
