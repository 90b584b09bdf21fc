#include "frontends/cuda/emulate/device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>
#include <unordered_map>

#include "frontends/cuda/emulate/memory.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/emulate/worker.h"
#include "frontends/cuda/ptx/image.h"

namespace redflag::cuda {

using ptx::Space;

namespace {

bool is_shared_space(Space space) {
  return space == Space::kShared || space == Space::kSharedCta || space == Space::kSharedCluster;
}
bool is_linked(ptx::Linkage linkage) {
  return linkage == ptx::Linkage::kVisible || linkage == ptx::Linkage::kWeak ||
         linkage == ptx::Linkage::kCommon;
}

std::uint32_t target_of(const ptx::Module& module) {
  for (const std::string_view each : module.targets) {
    if (!each.starts_with("sm_")) continue;
    std::uint32_t number = 0;
    for (const char c : each.substr(3)) {
      if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return number;
  }
  return 0;
}

}  // namespace

struct Device::Impl final : Linker {
  explicit Impl(const DeviceOptions& given) : options(given), memory(given.memory_bytes) {}

  struct Kernel {
    FunctionKey key;
    KernelInfo info;
    std::unique_ptr<Program> program;
  };

  const LoadedModule& module(std::uint32_t index) const override { return *modules[index]; }
  std::uint32_t module_count() const override { return static_cast<std::uint32_t>(modules.size()); }
  bool find_function(FunctionKey& key) const override {
    const ptx::Module& ptx = modules[key.module]->ptx;
    for (int hops = 0; hops < 16; ++hops) {  // aliases
      const std::uint32_t next = ptx.functions[key.function].alias_of;
      if (next == ptx::kNoFunction) break;
      key.function = next;
    }
    if (ptx.functions[key.function].defined) return true;
    const auto at = functions.find(std::string(ptx.functions[key.function].name));
    if (at == functions.end()) return false;
    key = at->second;
    return true;
  }
  bool find_variable(VariableKey& key) const override {
    const LoadedModule& in = *modules[key.module];
    if (in.addresses[key.variable] != 0) return true;
    const auto at = variables.find(std::string(in.ptx.variables[key.variable].name));
    if (at == variables.end()) return false;
    key = at->second;
    return true;
  }
  Mode mode() const {
    return {.sink = options.sink != nullptr,
            .parallel = options.sink == nullptr && options.workers > 1};
  }

  Result<void> place(LoadedModule& into);
  Result<void> initialize(LoadedModule& into);
  Result<std::uint64_t> address_of(const LoadedModule& from,
                                   const ptx::Relocation& relocation) const;
  KernelInfo describe(const Kernel& kernel) const;
  Result<void> prepare(Kernel& kernel);

  DeviceOptions options;
  GlobalMemory memory;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::unordered_map<std::string, FunctionKey> functions;  // visible in all modules
  std::unordered_map<std::string, VariableKey> variables;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::map<FunctionKey, KernelId> kernel_ids;
  std::uint32_t next_site = 1;
  std::uint32_t launches = 0;
  LaunchStats stats;
  void (*write)(void*, std::string_view) = nullptr;
  void* write_context = nullptr;
};

Device::Device(const DeviceOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Device::~Device() = default;

Result<void> Device::Impl::place(LoadedModule& into) {
  for (const ptx::Variable& each : into.ptx.variables) {
    std::uint64_t address = 0;
    const bool here = each.linkage != ptx::Linkage::kExtern && !is_shared_space(each.space);
    if (here) {
      // Opaque references (textures, surfaces) hold a handle of eight bytes.
      std::uint64_t bytes = std::max<std::uint64_t>(each.bytes(), 8);
      const bool open = !each.dimensions.empty() && each.dimensions.front() == 0;
      if (open) {
        const Result<ptx::Image> image = ptx::initial_image(into.ptx, each);
        if (!image) return Failure(image.error());
        bytes = std::max<std::uint64_t>(image->bytes.size(), 1);
      }
      const Result<std::uint64_t> got =
          memory.allocate(bytes, std::max<std::uint32_t>(each.alignment(), 16));
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

Result<std::uint64_t> Device::Impl::address_of(const LoadedModule& from,
                                               const ptx::Relocation& relocation) const {
  std::uint64_t address = 0;
  if (relocation.symbol_kind == ptx::SymbolKind::kFunction) {
    FunctionKey key{from.index, relocation.index};
    find_function(key);
    address = function_address(key.module, key.function);
  } else {
    VariableKey key{from.index, ptx::kNoFunction, relocation.index};
    const ptx::Variable& variable = from.ptx.variables[relocation.index];
    if (is_shared_space(variable.space)) {
      return fail(from.ptx.path + ":" + std::to_string(variable.line) +
                  ": the address of shared variable '" + std::string(variable.name) +
                  "' as an initial value is not emulated");
    }
    if (!find_variable(key)) {
      return fail(from.ptx.path + ":" + std::to_string(variable.line) + ": variable '" +
                  std::string(variable.name) +
                  "' is needed as an initial value and defined in no module loaded so far");
    }
    address = modules[key.module]->addresses[key.variable];
  }
  address += static_cast<std::uint64_t>(relocation.addend);
  if (relocation.mask != 0) {
    address = (address & relocation.mask) >> __builtin_ctzll(relocation.mask);
  }
  return address;
}

Result<void> Device::Impl::initialize(LoadedModule& into) {
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

Result<ModuleId> Device::load(ptx::Module module) {
  Impl& impl = *impl_;
  if (module.address_size != 64) {
    return fail(module.path + ": needed .address_size 64, found " +
                std::to_string(module.address_size) + "; compile for 64 bits");
  }
  auto made = std::make_unique<LoadedModule>();
  made->ptx = std::move(module);
  made->index = static_cast<std::uint32_t>(impl.modules.size());
  made->strings = std::make_unique<ptx::DebugStrings>(made->ptx);
  const Result<void> placed = impl.place(*made);
  if (!placed) return Failure(placed.error());
  for (std::uint32_t i = 0; i < made->ptx.functions.size(); ++i) {
    const ptx::Function& function = made->ptx.functions[i];
    made->first_sites.push_back(impl.next_site);
    impl.next_site += static_cast<std::uint32_t>(function.body.instructions.size()) + 1;
    if (function.defined && is_linked(function.linkage)) {
      impl.functions.try_emplace(std::string(function.name), FunctionKey{made->index, i});
    }
  }
  for (std::uint32_t i = 0; i < made->ptx.variables.size(); ++i) {
    const ptx::Variable& variable = made->ptx.variables[i];
    if (made->addresses[i] != 0 && is_linked(variable.linkage)) {
      impl.variables.try_emplace(std::string(variable.name),
                                 VariableKey{made->index, ptx::kNoFunction, i});
    }
  }
  impl.modules.push_back(std::move(made));
  const Result<void> filled = impl.initialize(*impl.modules.back());
  if (!filled) return Failure(filled.error());
  return static_cast<ModuleId>(impl.modules.size() - 1);
}

void Device::unload(ModuleId module) {
  Impl& impl = *impl_;
  LoadedModule& which = *impl.modules[static_cast<std::uint32_t>(module)];
  if (which.unloaded) return;
  which.unloaded = true;  // the text stays: reports name its lines later
  for (const std::uint64_t address : which.addresses) {
    if (address != 0) (void)impl.memory.free(address);
  }
  std::erase_if(impl.functions,
                [&](const auto& each) { return each.second.module == which.index; });
  std::erase_if(impl.variables,
                [&](const auto& each) { return each.second.module == which.index; });
}

KernelInfo Device::Impl::describe(const Kernel& kernel) const {
  const LoadedModule& in = *modules[kernel.key.module];
  const ptx::Function& function = in.ptx.functions[kernel.key.function];
  KernelInfo info;
  info.name = std::string(function.name);
  ParameterLayout layout = lay_out_parameters(function);
  info.parameter_offsets = std::move(layout.offsets);
  info.parameter_sizes = std::move(layout.sizes);
  info.parameter_bytes = layout.bytes;
  info.static_shared = kernel.program->static_shared;
  info.local_bytes = kernel.program->local_bytes;
  info.sm = target_of(in.ptx);
  if (const ptx::Directive* const limit = function.directive(".maxntid")) {
    std::uint64_t threads = 1;
    for (const std::uint64_t each : limit->values) threads *= each;
    info.most_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1024));
  }
  // ptxas shares registers among values that do not live together; a guess for occupancy.
  const std::size_t named = function.body.registers.size();
  info.registers = static_cast<std::uint32_t>(std::clamp<std::size_t>(named / 2, 16, 255));
  return info;
}

Result<void> Device::Impl::prepare(Kernel& kernel) {
  Result<std::unique_ptr<Program>> built = build_program(*this, kernel.key, mode());
  if (!built) return Failure(built.error());
  kernel.program = std::move(*built);
  kernel.info = describe(kernel);
  return {};
}

Result<KernelId> Device::find_kernel(ModuleId module, std::string_view name) const {
  Impl& impl = *impl_;
  const LoadedModule& in = *impl.modules[static_cast<std::uint32_t>(module)];
  for (std::uint32_t i = 0; i < in.ptx.functions.size(); ++i) {
    const ptx::Function& function = in.ptx.functions[i];
    if (!function.is_entry || function.name != name) continue;
    FunctionKey key{in.index, i};
    impl.find_function(key);
    const auto known = impl.kernel_ids.find(key);
    if (known != impl.kernel_ids.end()) return known->second;
    auto kernel = std::make_unique<Impl::Kernel>();
    kernel->key = key;
    const Result<void> ready = impl.prepare(*kernel);
    if (!ready) return Failure(ready.error());
    const auto id = static_cast<KernelId>(impl.kernels.size());
    impl.kernels.push_back(std::move(kernel));
    impl.kernel_ids[key] = id;
    return id;
  }
  return fail(in.ptx.path + ": needed a kernel '" + std::string(name) +
              "', found none of that name; is it in another module?");
}

Result<Symbol> Device::find_symbol(ModuleId module, std::string_view name) const {
  const LoadedModule& in = *impl_->modules[static_cast<std::uint32_t>(module)];
  for (std::uint32_t i = 0; i < in.ptx.variables.size(); ++i) {
    const ptx::Variable& variable = in.ptx.variables[i];
    if (variable.name != name || is_shared_space(variable.space)) continue;
    VariableKey key{in.index, ptx::kNoFunction, i};
    if (!impl_->find_variable(key)) continue;
    const ptx::Variable& found = impl_->modules[key.module]->ptx.variables[key.variable];
    return Symbol{impl_->modules[key.module]->addresses[key.variable], found.bytes()};
  }
  return fail(in.ptx.path + ": needed a variable '" + std::string(name) +
              "' in global or constant memory, found none");
}

const KernelInfo& Device::info(KernelId kernel) const {
  return impl_->kernels[static_cast<std::uint32_t>(kernel)]->info;
}

Result<std::uint64_t> Device::allocate(std::uint64_t bytes, std::uint64_t align) {
  return impl_->memory.allocate(bytes, align);
}
Result<void> Device::free(std::uint64_t address) {
  return impl_->memory.free(address);
}
void Device::adopt(std::uint64_t address, std::uint64_t bytes) {
  impl_->memory.adopt(address, bytes);
}
void Device::disown(std::uint64_t address) {
  impl_->memory.disown(address);
}
Symbol Device::allocation_of(std::uint64_t address) const {
  const Interval found = impl_->memory.find(address);
  return {found.begin, found.end - found.begin};
}

Result<void> Device::launch(KernelId id, const LaunchConfig& config,
                            std::span<const std::byte> params, Fault& fault) {
  Impl& impl = *impl_;
  fault = {};
  Impl::Kernel& kernel = *impl.kernels[static_cast<std::uint32_t>(id)];
  const std::string name = kernel.info.name;
  if (!kernel.program->missing.empty()) {  // perhaps a module loaded since then has them
    const Result<void> again = impl.prepare(kernel);
    if (!again) return again;
  }
  if (!kernel.program->missing.empty()) {
    return fail("kernel '" + name + "' needs '" + kernel.program->missing.front() +
                "', which no loaded module defines");
  }
  const std::uint64_t threads = config.block.count();
  if (threads == 0 || threads > kernel.info.most_threads) {
    return fail("kernel '" + name + "': a block may have 1 to " +
                std::to_string(kernel.info.most_threads) + " threads, not " +
                std::to_string(threads));
  }
  if (config.grid.count() == 0) return fail("kernel '" + name + "': the grid has no blocks");
  const gpu::Dim& cluster = config.cluster;
  if (cluster.count() == 0 || cluster.count() > 16 || config.grid.x % cluster.x != 0 ||
      config.grid.y % cluster.y != 0 || config.grid.z % cluster.z != 0) {
    return fail("kernel '" + name +
                "': the grid must be a multiple of the cluster, which has at most 16 blocks");
  }
  const std::uint64_t shared = kernel.program->static_shared + config.dynamic_shared;
  constexpr std::uint64_t kMostShared = 228U << 10;
  if (shared > kMostShared) {
    return fail("kernel '" + name + "': needs " + std::to_string(shared) +
                " bytes of shared memory; a block has at most " + std::to_string(kMostShared));
  }
  if (params.size() < kernel.info.parameter_bytes) {
    return fail("kernel '" + name + "': its parameters are " +
                std::to_string(kernel.info.parameter_bytes) + " bytes, given were " +
                std::to_string(params.size()));
  }

  Machine machine;
  machine.options = &impl.options;
  machine.program = kernel.program.get();
  machine.memory = &impl.memory;
  machine.sink = impl.options.sink;
  machine.launch.id = static_cast<gpu::LaunchId>(++impl.launches);
  machine.launch.kernel = name;
  machine.launch.grid = config.grid;
  machine.launch.block = config.block;
  machine.launch.cluster = cluster;
  machine.launch.shared_bytes = shared;
  machine.launch.stream = config.stream;
  machine.launch.host_thread = config.host_thread;
  machine.launch.cooperative = config.cooperative;
  machine.shared_bytes = shared;
  machine.dynamic_shared = static_cast<std::uint32_t>(config.dynamic_shared);
  machine.clusters = {config.grid.x / cluster.x, config.grid.y / cluster.y,
                      config.grid.z / cluster.z};
  std::vector<std::byte> kept(params.size() + 128);  // and room for the blocks to meet
  std::copy(params.begin(), params.end(), kept.begin());
  machine.params = kept.data();
  machine.param_bytes = params.size();
  impl.memory.adopt(reinterpret_cast<std::uint64_t>(kept.data()), kept.size());
  for (const auto& module : impl.modules) {
    for (std::size_t i = 0; i < module->ptx.variables.size(); ++i) {
      const ptx::Variable& each = module->ptx.variables[i];
      if (each.space == Space::kConst && module->addresses[i] != 0) {
        machine.constants.push_back({module->addresses[i], module->addresses[i] + each.bytes()});
      }
    }
  }
  machine.started_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
  machine.write = impl.write;
  machine.write_context = impl.write_context;

  unsigned workers = 1;
  if (impl.mode().parallel && !config.cooperative && impl.options.seed == 0) {
    workers = static_cast<unsigned>(
        std::min<std::uint64_t>(impl.options.workers, machine.clusters.count()));
  }
  machine.parallel = workers > 1;
  if (machine.sink != nullptr) machine.sink->launch_begins(machine.launch);
  std::vector<std::unique_ptr<Worker>> crew;
  for (unsigned i = 0; i < workers; ++i) {
    crew.push_back(std::make_unique<Worker>(machine, impl.options.seed, i));
  }
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back([&crew, i] { crew[i]->work(); });
  crew[0]->work();
  for (std::thread& each : others) each.join();
  for (const auto& each : crew) {
    impl.stats.warp_instructions += each->stats.warp_instructions;
    impl.stats.thread_instructions += each->stats.thread_instructions;
  }
  if (machine.sink != nullptr) machine.sink->launch_ends(machine.launch.id);
  impl.memory.disown(reinterpret_cast<std::uint64_t>(kept.data()));
  fault = std::move(machine.fault);
  return {};
}

const LaunchStats& Device::stats() const {
  return impl_->stats;
}
void Device::on_printf(void (*write)(void*, std::string_view), void* context) {
  impl_->write = write;
  impl_->write_context = context;
}
gpu::LaunchId Device::last_launch() const {
  return static_cast<gpu::LaunchId>(impl_->launches);
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

std::vector<Frame> Device::frames(gpu::SiteId site) const {
  std::vector<Frame> found;
  const SiteOf at = find_site(impl_->modules, static_cast<std::uint32_t>(site));
  if (at.instruction == nullptr) return found;
  const ptx::Module& module = at.module->ptx;
  const auto file_name = [&](std::uint32_t number) {
    const ptx::File* const file = module.find_file(number);
    return file == nullptr ? std::string() : std::string(file->name);
  };
  ptx::LocationId location = at.instruction->location;
  if (location == ptx::LocationId::kNone) {
    found.push_back({std::string(at.function->name), module.path, at.instruction->line, 0});
    return found;
  }
  for (int depth = 0; depth < 64; ++depth) {
    const ptx::Location& each = at.function->body.locations[ptx::raw(location)];
    Frame frame{std::string(at.function->name), file_name(each.file), each.line, each.column};
    if (!each.inlined) {
      found.push_back(std::move(frame));
      break;
    }
    const std::string_view inlined = at.module->strings->function_of(each);
    if (!inlined.empty()) frame.function = std::string(inlined);
    found.push_back(std::move(frame));
    if (each.caller == ptx::LocationId::kNone) {
      found.push_back(
          {std::string(at.function->name), file_name(each.at_file), each.at_line, each.at_column});
      break;
    }
    location = each.caller;
  }
  return found;
}

std::string_view Device::instruction_text(gpu::SiteId site) const {
  const SiteOf at = find_site(impl_->modules, static_cast<std::uint32_t>(site));
  return at.instruction == nullptr ? std::string_view() : at.instruction->text;
}

}  // namespace redflag::cuda
