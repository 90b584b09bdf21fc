#include "frontends/cuda/cudart/modules.h"

#include <dlfcn.h>

#include <set>

#include "frontends/cuda/fatbin/binary.h"
#include "frontends/cuda/ptx/parser.h"

namespace redflag::cudart {
namespace {

constexpr std::uint32_t kCapability = 90;

// The file that an address of this process was loaded from.
std::string file_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "the program";
  return info.dli_fname;
}

// Containers of relocatable objects come with numbers of their own.
Result<std::vector<fatbin::Entry>> entries_of(const FatbinWrapper& wrapper) {
  Result<std::vector<fatbin::Entry>> all = fatbin::read_memory(&wrapper);
  if (!all || wrapper.version < 2 || wrapper.linked == nullptr) return all;
  std::uint32_t number = all->empty() ? 0 : all->back().container + 1;
  for (const void* const* at = wrapper.linked; *at != nullptr; ++at, ++number) {
    Result<std::vector<fatbin::Entry>> more = fatbin::read_memory(*at);
    if (!more) return more;
    for (fatbin::Entry& entry : *more) {
      entry.container = number;
      all->push_back(std::move(entry));
    }
  }
  return all;
}

std::string no_ptx(const std::vector<fatbin::Entry>& entries, const std::string& file) {
  std::set<std::uint32_t> code;
  for (const fatbin::Entry& entry : entries) {
    if (entry.kind == fatbin::Kind::kElf) code.insert(entry.sm);
  }
  std::string found;
  for (const std::uint32_t sm : code) {
    found += (found.empty() ? "machine code for sm_" : ", sm_") + std::to_string(sm);
  }
  return "needed: PTX, which the emulated GPU runs\nfound: " +
         (found.empty() ? "no GPU code" : found + " only") + " in " + file +
         "\nto mend it: compile with 'redflag nvcc', or add to nvcc's flags: -gencode "
         "arch=compute_80,code=compute_80";
}

}  // namespace

FatBinary* ModuleTable::add_binary(const FatbinWrapper* wrapper) {
  binaries_.push_back(std::make_unique<FatBinary>());
  binaries_.back()->wrapper = wrapper;
  return binaries_.back().get();
}

void ModuleTable::remove_binary(FatBinary* binary) {
  // Its memory may be about to go (dlclose). What was loaded from it stays: kernels may have been
  // told of, and reports ask for their places.
  std::erase_if(kernels_, [&](const auto& row) { return row.second->binary == binary; });
  std::erase_if(handles_, [&](const auto& row) { return row.second->binary == binary; });
  std::erase_if(variables_, [&](const auto& row) { return row.second.binary == binary; });
}

void ModuleTable::add_kernel(FatBinary* binary, const void* host, std::string name) {
  auto made = std::make_unique<Kernel>();
  made->binary = binary;
  made->host = host;
  made->name = std::move(name);
  if (const auto old = kernels_.find(host); old != kernels_.end()) {
    handles_.erase(old->second.get());
  }
  handles_[made.get()] = made.get();
  kernels_[host] = std::move(made);
}

void ModuleTable::add_variable(FatBinary* binary, const void* host, Variable variable) {
  variable.binary = binary;
  variables_[host] = std::move(variable);
}

Kernel* ModuleTable::find(const void* handle) {
  if (const auto at = kernels_.find(handle); at != kernels_.end()) return at->second.get();
  const auto at = handles_.find(handle);
  return at == handles_.end() ? nullptr : at->second;
}

Result<void> ModuleTable::load_text(FatBinary& binary, const fatbin::Entry& entry,
                                    const std::string& name) {
  Result<std::string> text = fatbin::unpack(entry);
  if (!text) return Failure(text.error());
  Result<ptx::Module> module = ptx::parse(name, std::move(*text));
  if (!module) return Failure(module.error());
  const Result<cuda::ModuleId> id = device_.load(std::move(*module));
  if (!id) return Failure(id.error());
  binary.modules.push_back(*id);
  ++loaded_;
  return {};
}

Result<void> ModuleTable::load(FatBinary& binary) {
  if (binary.tried) return binary.fault.empty() ? Result<void>{} : fail(binary.fault);
  binary.tried = true;
  const std::string file = file_of(binary.wrapper);
  Result<std::vector<fatbin::Entry>> entries = entries_of(*binary.wrapper);
  if (!entries) {
    binary.fault = file + ": " + entries.error().message;
    return fail(binary.fault);
  }
  std::vector<const fatbin::Entry*> chosen = fatbin::choose_ptx(*entries, kCapability);
  // Relocatable objects whose machine code was linked: the file has their PTX in a section.
  fatbin::Binary on_disk;
  if (chosen.empty()) {
    if (Result<fatbin::Binary> opened = fatbin::open_binary(file); opened) {
      on_disk = std::move(*opened);
      std::erase_if(on_disk.entries, [](const fatbin::Entry& entry) {
        return entry.options.find("--compile-only") == std::string::npos;
      });
      chosen = fatbin::choose_ptx(on_disk.entries, kCapability);
    }
  }
  if (chosen.empty()) {
    binary.has_ptx = false;
    binary.fault = no_ptx(*entries, file);
    return fail(binary.fault);
  }
  // Of linked objects some are not the user's (CUDA's device runtime): that one of them does not
  // load matters when a kernel of it is wanted.
  std::string faults;
  for (const fatbin::Entry* entry : chosen) {
    const std::string name =
        file + ":ptx" + std::to_string(entry->container) + ".sm_" + std::to_string(entry->sm);
    if (Result<void> done = load_text(binary, *entry, name); !done) {
      faults += (faults.empty() ? "" : "\n") + done.error().message;
    }
  }
  if (binary.modules.empty()) binary.fault = faults;
  return binary.fault.empty() ? Result<void>{} : fail(binary.fault);
}

Result<cuda::KernelId> ModuleTable::ready(Kernel& kernel) {
  if (kernel.id) return *kernel.id;
  if (Result<void> done = load(*kernel.binary); !done) {
    return fail("kernel " + kernel.name + ": " + done.error().message);
  }
  std::string fault;
  for (const cuda::ModuleId module : kernel.binary->modules) {
    const Result<cuda::KernelId> id = device_.find_kernel(module, kernel.name);
    if (id) {
      kernel.id = *id;
      return *id;
    }
    fault = id.error().message;
  }
  return fail("kernel " + kernel.name + ": " + fault);
}

Result<cuda::Symbol> ModuleTable::symbol(const void* host) {
  const auto at = variables_.find(host);
  if (at == variables_.end()) return fail("no device variable is registered at this address");
  if (Result<void> done = load(*at->second.binary); !done) return Failure(done.error());
  std::string fault;
  for (const cuda::ModuleId module : at->second.binary->modules) {
    const Result<cuda::Symbol> found = device_.find_symbol(module, at->second.name);
    if (found) return found;
    fault = found.error().message;
  }
  return fail("variable " + at->second.name + ": " + fault);
}

Result<void> ModuleTable::place_managed(FatBinary* binary) {
  for (auto& [host, variable] : variables_) {
    if (variable.binary != binary || variable.managed == nullptr) continue;
    const Result<cuda::Symbol> place = symbol(host);
    if (!place) return Failure(place.error());
    *variable.managed = reinterpret_cast<void*>(place->address);
  }
  return {};
}

std::vector<cuda::Symbol> ModuleTable::managed(FatBinary* binary) {
  std::vector<cuda::Symbol> all;
  for (const auto& [host, variable] : variables_) {
    if (variable.binary != binary || variable.managed == nullptr) continue;
    if (const Result<cuda::Symbol> place = symbol(host); place) all.push_back(*place);
  }
  return all;
}

}  // namespace redflag::cudart
