// CUDA without NVIDIA's compiler: from the words of an nvcc command line to command lines of clang.
//
// clang compiles a .cu file twice: for the device, to PTX, around which a fat binary of ours goes,
// and for the host, with that fat binary inside (-fcuda-include-gpubinary). Both passes see the
// headers of frontends/cuda/toolkit and nothing of NVIDIA's. The options of nvcc are a table; what
// it does not know is given to clang. Options that only machine code of a GPU would show
// (-maxrregcount, -Xptxas) are left out; what cannot be done is refused with the remedy: device
// code that is linked over several sources, machine code, PTX as a source.
//
// Pure but for files of options, which are read; clang_cuda_run.cpp runs the plan.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

// How far the compiler goes.
enum class CudaGoal : std::uint8_t {
  kNothing,       // no input: --version
  kPreprocess,    // -E
  kDependencies,  // -M, -MM
  kPtx,           // -ptx
  kFatBinary,     // -fatbin
  kObject,        // -c
  kArchive,       // -lib
  kLibrary,       // -shared
  kProgram,
};

enum class SourceKind : std::uint8_t { kCuda, kCxx, kC };

// A source, or a word for the linker at its place among them.
struct CudaItem {
  std::string word;
  bool is_source = false;
  SourceKind kind = SourceKind::kCuda;
};

struct ClangPlan {
  CudaGoal goal = CudaGoal::kNothing;
  std::string output;               // -o
  std::string output_folder;        // -odir
  std::string arch;                 // 80, 90a
  bool is_verbose = false;          // -v: commands are shown
  bool is_dry = false;              // --dryrun: shown, not run
  std::vector<std::string> common;  // words for both passes
  std::vector<std::string> host;    // for the host's pass
  std::vector<std::string> device;  // for the device's
  std::vector<std::string> link;    // for the linker, whatever the order
  std::vector<CudaItem> items;      // sources, objects and libraries in their order

  std::size_t sources() const;
};

// An error says which option cannot be served and what to do.
Result<ClangPlan> plan_clang(std::span<const std::string> words);

// The folders of this installation.
struct CudaFiles {
  std::string library;     // where libcudart.so.13 is; include/ and libdevice.bc lie beside it
  std::string clang;       // the compiler
  std::string lines = {};  // libredflag-lines.so, where it was built
};

// clang's command line for one source and pass. `fatbin`: what the host's pass embeds.
std::vector<std::string> device_command(const ClangPlan& plan, const CudaFiles& files,
                                        const CudaItem& source, const std::string& output);
std::vector<std::string> host_command(const ClangPlan& plan, const CudaFiles& files,
                                      const CudaItem& source, const std::string& fatbin,
                                      const std::string& output);
// Which links `objects`, one for each source of the plan in order.
std::vector<std::string> link_command(const ClangPlan& plan, const CudaFiles& files,
                                      std::span<const std::string> objects);
// Prints what the source includes, found or not (-M -MG).
std::vector<std::string> include_command(const ClangPlan& plan, const CudaFiles& files,
                                         const CudaItem& source);

// Where what is made of a source goes when the plan names no output: a.cu, ".o" gives a.o.
std::string output_of(const ClangPlan& plan, const CudaItem& source, const std::string& suffix);

}  // namespace redflag::cli
