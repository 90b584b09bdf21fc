// Modules: loaded PTX, with its variables placed in memory and its names linked.
//
// A variable's address is that of its memory in this process; initial values and the addresses in them
// are put in when the module is loaded. Names with .visible, .weak or .common linkage serve the
// extern ones of all modules, in whichever order they come; the first definition wins. The text of a
// module stays after it is unloaded: reports name its lines later. A site is an instruction's number
// among those of all modules, from 1.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/cuda/emulate/memory.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/ptx/image.h"

namespace redflag::cuda {

class Modules final : public Linker {
 public:
  explicit Modules(GlobalMemory& memory) : memory_(memory) {}

  Result<ModuleId> load(ptx::Module module);
  void unload(std::uint32_t module);
  Result<Symbol> find_symbol(std::uint32_t module, std::string_view name) const;
  std::vector<Interval> constants() const;  // where .const variables lie
  std::vector<Frame> frames(gpu::SiteId site) const;
  std::string_view instruction_text(gpu::SiteId site) const;

  const LoadedModule& module(std::uint32_t index) const override { return *modules_[index]; }
  std::uint32_t module_count() const override {
    return static_cast<std::uint32_t>(modules_.size());
  }
  bool find_function(FunctionKey& key) const override;
  bool find_variable(VariableKey& key) const override;

 private:
  Result<void> place(LoadedModule& into);
  Result<void> initialize(LoadedModule& into);
  Result<std::uint64_t> address_of(const LoadedModule& from,
                                   const ptx::Relocation& relocation) const;

  GlobalMemory& memory_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::unordered_map<std::string, FunctionKey> functions_;  // seen by all modules
  std::unordered_map<std::string, VariableKey> variables_;
  std::uint32_t next_site_ = 1;
};

}  // namespace redflag::cuda
