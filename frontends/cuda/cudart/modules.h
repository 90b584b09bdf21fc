// What the program registered: fat binaries, and which host symbol stands for which kernel or
// variable of them.
//
// nvcc's host code registers everything before main. PTX is unpacked, parsed and given to the device
// when something of its fat binary is first used: programs that use no kernel pay nothing, and what
// is wrong with one is said where it is used. Of several PTX for different GPUs the newest that the
// device can run is taken; of relocatable objects (-rdc=true) one for each object, linked by the
// device. A kernel of which there is machine code only is named, with the flag that adds PTX.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "frontends/cuda/cudart/abi.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/fatbin/container.h"

namespace redflag::cudart {

struct FatBinary {
  const FatbinWrapper* wrapper = nullptr;
  bool tried = false;  // loaded, or failed to
  std::string fault;   // why it could not be loaded; empty: it was
  bool has_ptx = true;
  std::vector<cuda::ModuleId> modules;
};

// What a cudaKernel_t points to, and what a host function stands for.
struct Kernel {
  FatBinary* binary = nullptr;
  const void* host = nullptr;
  std::string name;  // as in the PTX
  std::optional<cuda::KernelId> id;
  int dynamic_shared_limit = 48 << 10;  // cudaFuncSetAttribute raises it
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;
  std::uint64_t size = 0;
  void** managed = nullptr;  // the program's pointer to a managed variable
};

class ModuleTable {
 public:
  explicit ModuleTable(cuda::Device& device) : device_(device) {}

  FatBinary* add_binary(const FatbinWrapper* wrapper);
  void remove_binary(FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host, std::string name);
  void add_variable(FatBinary* binary, const void* host, Variable variable);

  // The kernel that a host function or a cudaKernel_t is; nullptr: nothing was registered for it.
  Kernel* find(const void* handle);
  // With its module loaded. The error is for people.
  Result<cuda::KernelId> ready(Kernel& kernel);
  Result<cuda::Symbol> symbol(const void* host);
  bool has_symbol(const void* host) const { return variables_.contains(host); }
  // Managed variables must have an address before the host first uses one.
  Result<void> place_managed(FatBinary* binary);
  std::vector<cuda::Symbol> managed(FatBinary* binary);

  // The kernels that have been loaded, for messages.
  std::size_t loaded() const { return loaded_; }

 private:
  Result<void> load(FatBinary& binary);
  Result<void> load_text(FatBinary& binary, const fatbin::Entry& entry, const std::string& name);

  cuda::Device& device_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;  // by host function
  std::unordered_map<const void*, Kernel*> handles_;                  // by Kernel*
  std::unordered_map<const void*, Variable> variables_;               // by shadow variable
  std::size_t loaded_ = 0;
};

}  // namespace redflag::cudart
