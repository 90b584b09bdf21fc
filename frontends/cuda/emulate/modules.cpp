#include "frontends/cuda/emulate/modules.h"

#include <algorithm>
#include <cstring>

#include "frontends/cuda/meaning/frames.h"
#include "frontends/cuda/ptx/image.h"

namespace redflag::cuda {

using ptx::Space;

namespace {

bool is_linked(ptx::Linkage linkage) {
  return linkage == ptx::Linkage::kVisible || linkage == ptx::Linkage::kWeak ||
         linkage == ptx::Linkage::kCommon;
}

}  // namespace

bool Modules::find_function(FunctionKey& key) const {
  const ptx::Module& ptx = modules_[key.module]->ptx;
  for (int hops = 0; hops < 16; ++hops) {  // aliases
    const std::uint32_t next = ptx.functions[key.function].alias_of;
    if (next == ptx::kNoFunction) break;
    key.function = next;
  }
  if (ptx.functions[key.function].defined) return true;
  const auto at = functions_.find(std::string(ptx.functions[key.function].name));
  if (at == functions_.end()) return false;
  key = at->second;
  return true;
}

bool Modules::find_variable(VariableKey& key) const {
  const LoadedModule& in = *modules_[key.module];
  if (in.addresses[key.variable] != 0) return true;
  const auto at = variables_.find(std::string(in.ptx.variables[key.variable].name));
  if (at == variables_.end()) return false;
  key = at->second;
  return true;
}

Result<void> Modules::place(LoadedModule& into) {
  for (const ptx::Variable& each : into.ptx.variables) {
    std::uint64_t address = 0;
    const bool here = each.linkage != ptx::Linkage::kExtern && !is_shared(each.space);
    if (here) {
      // Opaque references (textures, surfaces) hold a handle of eight bytes.
      std::uint64_t bytes = std::max<std::uint64_t>(each.bytes(), 8);
      const bool open = !each.dimensions.empty() && each.dimensions.front() == 0;
      if (open) {
        const Result<ptx::Image> image = ptx::initial_image(into.ptx, each);
        if (!image) return Failure(image.error());
        bytes = std::max<std::uint64_t>(image->bytes.size(), 1);
      }
      // Managed variables have their pages for themselves: the host's accesses can then be seen.
      const std::uint32_t least = each.managed() ? 4096 : 16;
      const Result<std::uint64_t> got = memory_.allocate(bytes, std::max(each.alignment(), least));
      if (!got) {
        return fail(into.ptx.path + ":" + std::to_string(each.line) + ": variable '" +
                    std::string(each.name) + "': " + got.error().message);
      }
      address = *got;
    }
    into.addresses.push_back(address);
  }
  return {};
}

Result<std::uint64_t> Modules::address_of(const LoadedModule& from,
                                          const ptx::Relocation& relocation) const {
  std::uint64_t address = 0;
  if (relocation.symbol_kind == ptx::SymbolKind::kFunction) {
    FunctionKey key{from.index, relocation.index};
    find_function(key);
    address = function_address(key.module, key.function);
  } else {
    VariableKey key{from.index, ptx::kNoFunction, relocation.index};
    const ptx::Variable& variable = from.ptx.variables[relocation.index];
    if (is_shared(variable.space)) {
      return fail(from.ptx.path + ":" + std::to_string(variable.line) +
                  ": the address of shared variable '" + std::string(variable.name) +
                  "' as an initial value is not emulated");
    }
    if (!find_variable(key)) {
      return fail(from.ptx.path + ":" + std::to_string(variable.line) + ": variable '" +
                  std::string(variable.name) +
                  "' is used as an initial value, but no loaded module defines it");
    }
    address = modules_[key.module]->addresses[key.variable];
  }
  address += static_cast<std::uint64_t>(relocation.addend);
  if (relocation.mask != 0) {
    address = (address & relocation.mask) >> __builtin_ctzll(relocation.mask);
  }
  return address;
}

Result<void> Modules::initialize(LoadedModule& into) {
  for (std::size_t i = 0; i < into.ptx.variables.size(); ++i) {
    const ptx::Variable& variable = into.ptx.variables[i];
    if (into.addresses[i] == 0 || variable.initial.empty()) continue;
    const Result<ptx::Image> image = ptx::initial_image(into.ptx, variable);
    if (!image) return Failure(image.error());
    auto* const to = reinterpret_cast<std::byte*>(into.addresses[i]);
    std::memcpy(to, image->bytes.data(), image->bytes.size());
    for (const ptx::Relocation& each : image->relocations) {
      const Result<std::uint64_t> address = address_of(into, each);
      if (!address) return Failure(address.error());
      std::memcpy(to + each.offset, &*address, std::min<std::size_t>(each.bytes, 8));
    }
  }
  return {};
}

Result<ModuleId> Modules::load(ptx::Module module) {
  if (module.address_size != 64) {
    return fail(module.path + ": needed .address_size 64, found " +
                std::to_string(module.address_size) + "; compile for 64 bits");
  }
  auto made = std::make_unique<LoadedModule>();
  made->ptx = std::move(module);
  made->index = static_cast<std::uint32_t>(modules_.size());
  made->strings = std::make_unique<ptx::DebugStrings>(made->ptx);
  const Result<void> placed = place(*made);
  if (!placed) return Failure(placed.error());
  for (std::uint32_t i = 0; i < made->ptx.functions.size(); ++i) {
    const ptx::Function& function = made->ptx.functions[i];
    made->first_sites.push_back(next_site_);
    next_site_ += static_cast<std::uint32_t>(function.body.instructions.size()) + 1;
    if (function.defined && is_linked(function.linkage)) {
      functions_.try_emplace(std::string(function.name), FunctionKey{made->index, i});
    }
  }
  for (std::uint32_t i = 0; i < made->ptx.variables.size(); ++i) {
    const ptx::Variable& variable = made->ptx.variables[i];
    if (made->addresses[i] != 0 && is_linked(variable.linkage)) {
      variables_.try_emplace(std::string(variable.name),
                             VariableKey{made->index, ptx::kNoFunction, i});
    }
  }
  modules_.push_back(std::move(made));
  const Result<void> filled = initialize(*modules_.back());
  if (!filled) return Failure(filled.error());
  return static_cast<ModuleId>(modules_.size() - 1);
}

void Modules::unload(std::uint32_t module) {
  LoadedModule& which = *modules_[module];
  if (which.unloaded) return;
  which.unloaded = true;  // the text stays: reports name its lines later
  for (const std::uint64_t address : which.addresses) {
    if (address != 0) (void)memory_.free(address);
  }
  std::erase_if(functions_, [&](const auto& each) { return each.second.module == which.index; });
  std::erase_if(variables_, [&](const auto& each) { return each.second.module == which.index; });
}

Result<Symbol> Modules::find_symbol(std::uint32_t module, std::string_view name) const {
  const LoadedModule& in = *modules_[module];
  for (std::uint32_t i = 0; i < in.ptx.variables.size(); ++i) {
    const ptx::Variable& variable = in.ptx.variables[i];
    if (variable.name != name || is_shared(variable.space)) continue;
    VariableKey key{in.index, ptx::kNoFunction, i};
    if (!find_variable(key)) continue;
    const ptx::Variable& found = modules_[key.module]->ptx.variables[key.variable];
    return Symbol{modules_[key.module]->addresses[key.variable], found.bytes()};
  }
  return fail(in.ptx.path + ": needed a variable '" + std::string(name) +
              "' in global or constant memory, found none");
}

std::vector<Interval> Modules::constants() const {
  std::vector<Interval> all;
  for (const auto& module : modules_) {
    for (std::size_t i = 0; i < module->ptx.variables.size(); ++i) {
      const ptx::Variable& each = module->ptx.variables[i];
      if (each.space != Space::kConst || module->addresses[i] == 0) continue;
      all.push_back({module->addresses[i], module->addresses[i] + each.bytes()});
    }
  }
  return all;
}

namespace {

struct SiteOf {
  const LoadedModule* module = nullptr;
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;
};

SiteOf find_site(const std::vector<std::unique_ptr<LoadedModule>>& modules, std::uint32_t site) {
  for (const auto& module : modules) {
    for (std::size_t i = module->first_sites.size(); i-- > 0;) {
      const std::uint32_t first_site = module->first_sites[i];
      if (site < first_site) continue;
      const ptx::Function& function = module->ptx.functions[i];
      if (site - first_site >= function.body.instructions.size()) break;
      return {module.get(), &function, &function.body.instructions[site - first_site]};
    }
  }
  return {};
}

}  // namespace

std::vector<Frame> Modules::frames(gpu::SiteId site) const {
  const SiteOf at = find_site(modules_, static_cast<std::uint32_t>(site));
  if (at.instruction == nullptr) return {};
  return frames_of(at.module->ptx, *at.module->strings, *at.function, *at.instruction);
}

std::string_view Modules::instruction_text(gpu::SiteId site) const {
  const SiteOf at = find_site(modules_, static_cast<std::uint32_t>(site));
  return at.instruction == nullptr ? std::string_view() : at.instruction->text;
}

}  // namespace redflag::cuda
