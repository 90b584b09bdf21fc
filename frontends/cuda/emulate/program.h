// Program: a kernel with everything that it may reach, decoded and laid out.
//
// Linker is what decoding asks about names: where a variable is, which function a symbol means, also in
// other modules. Shared variables are laid out per kernel, since each kernel has only those that it
// reaches; so functions are decoded per kernel too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/debug_strings.h"

namespace redflag::cuda {

struct LoadedModule {
  ptx::Module ptx;
  std::uint32_t index = 0;
  bool unloaded = false;
  std::unique_ptr<ptx::DebugStrings> strings;
  std::vector<std::uint64_t> addresses;    // of Module::variables; 0: shared, or extern
  std::vector<std::uint32_t> first_sites;  // of Module::functions
};

struct FunctionKey {
  std::uint32_t module = 0;
  std::uint32_t function = 0;
  friend auto operator<=>(const FunctionKey&, const FunctionKey&) = default;
};
struct VariableKey {
  std::uint32_t module = 0;
  std::uint32_t function = ptx::kNoFunction;  // kNoFunction: of the module
  std::uint32_t variable = 0;
  friend auto operator<=>(const VariableKey&, const VariableKey&) = default;
};

class Linker {
 public:
  virtual ~Linker() = default;
  virtual const LoadedModule& module(std::uint32_t index) const = 0;
  virtual std::uint32_t module_count() const = 0;
  // The definition of a function, perhaps in another module; false: there is none (yet).
  virtual bool find_function(FunctionKey& key) const = 0;
  virtual bool find_variable(VariableKey& key) const = 0;
};

// How handlers are chosen.
struct Mode {
  bool sink = false;
  bool parallel = false;
};

struct Program {
  FunctionKey kernel;
  Mode mode;
  std::map<FunctionKey, std::unique_ptr<Code>> codes;
  std::map<VariableKey, std::uint32_t> shared;  // offsets; dynamic arrays at static_shared
  std::uint64_t static_shared = 0;
  gpu::SyncOps sync;              // of all that it may reach
  std::uint64_t local_bytes = 0;  // of one thread, calls not counted
  bool uses_local = false;
  bool uses_indirect = false;
  std::vector<std::string> missing;    // symbols that nobody defines
  std::vector<std::uint8_t> specials;  // those in use
  std::vector<const Code*> by_index;

  const Code* find(std::uint64_t function_address) const;
};

// Fails on what is not supported; symbols that are missing are listed, not a failure.
Result<std::unique_ptr<Program>> build_program(const Linker& linker, FunctionKey kernel, Mode mode);
// Decodes one function of the program; its Code exists already.
Result<void> decode_function(const Linker& linker, Program& program, FunctionKey key, Code& code);

// Parameters of a function as they lie in a block of bytes.
struct ParameterLayout {
  std::vector<std::uint32_t> offsets, sizes;
  std::uint32_t bytes = 0;
};
ParameterLayout lay_out_parameters(const ptx::Function& function);
Builtin find_builtin(std::string_view name);

}  // namespace redflag::cuda
