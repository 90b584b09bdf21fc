#include "frontends/cuda/emulate/device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <thread>

#include "frontends/cuda/emulate/memory.h"
#include "frontends/cuda/emulate/modules.h"
#include "frontends/cuda/emulate/program.h"
#include "frontends/cuda/emulate/worker.h"
#include "frontends/cuda/meaning/sizes.h"

namespace redflag::cuda {

namespace {

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

std::string text_of(const gpu::Dim& dim) {
  return std::to_string(dim.x) + " x " + std::to_string(dim.y) + " x " + std::to_string(dim.z);
}

// Processor time of this thread.
std::uint64_t processor_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void work_timed(Worker& worker) {
  const std::uint64_t before = processor_ns();
  worker.work();
  worker.stats.busiest_ns = processor_ns() - before;
}

}  // namespace

Result<void> settle_sizes(const KernelInfo& kernel, LaunchConfig& config, Refusal& refusal) {
  const auto refuse = [&](Refusal why, const std::string& what) {
    refusal = why;
    return fail("kernel '" + kernel.name + "': " + what);
  };
  const std::uint64_t threads = config.block.count();
  if (threads == 0 || threads > kernel.most_threads) {
    return refuse(kernel.most_threads < 1024 ? Refusal::kValue : Refusal::kConfiguration,
                  "a block may have 1 to " + std::to_string(kernel.most_threads) +
                      " threads, not " + std::to_string(threads));
  }
  if (kernel.needed_block.count() != 0 && config.block != kernel.needed_block) {
    return refuse(Refusal::kValue, "was compiled for blocks of " + text_of(kernel.needed_block) +
                                       " threads, and launched with " + text_of(config.block));
  }
  if (config.grid.count() == 0) return refuse(Refusal::kConfiguration, "the grid has no blocks");
  gpu::Dim& cluster = config.cluster;
  if (kernel.cluster.count() != 0) {
    if (cluster != gpu::Dim{} && cluster != kernel.cluster) {
      return refuse(Refusal::kClusterSize, "was compiled for clusters of " +
                                               text_of(kernel.cluster) +
                                               " blocks, and launched with " + text_of(cluster));
    }
    cluster = kernel.cluster;
    if (kernel.grid_of_clusters) {
      config.grid = {config.grid.x * cluster.x, config.grid.y * cluster.y,
                     config.grid.z * cluster.z};
    }
  }
  if (cluster.count() == 0 || cluster.count() > kernel.most_cluster ||
      config.grid.x % cluster.x != 0 || config.grid.y % cluster.y != 0 ||
      config.grid.z % cluster.z != 0) {
    return refuse(Refusal::kClusterSize,
                  "the grid must be a multiple of the cluster, which has 1 to " +
                      std::to_string(kernel.most_cluster) + " blocks");
  }
  return {};
}

struct Device::Impl {
  explicit Impl(const DeviceOptions& given)
      : options(given), memory(given.memory_bytes), modules(memory) {}

  struct Kernel {
    FunctionKey key;
    KernelInfo info;
    std::unique_ptr<Program> program;
  };

  Mode mode() const {
    return {.sink = options.sink != nullptr,
            .parallel = options.sink == nullptr && options.workers > 1};
  }

  KernelInfo describe(const Kernel& kernel) const;
  Result<void> prepare(Kernel& kernel);

  DeviceOptions options;
  GlobalMemory memory;
  Modules modules;
  TextureTable textures;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::map<FunctionKey, KernelId> kernel_ids;
  std::uint32_t launches = 0;
  LaunchStats stats;
  void (*write)(void*, std::string_view) = nullptr;
  void* write_context = nullptr;
};

Device::Device(const DeviceOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Device::~Device() = default;

Result<ModuleId> Device::load(ptx::Module module) {
  return impl_->modules.load(std::move(module));
}
void Device::unload(ModuleId module) {
  impl_->modules.unload(static_cast<std::uint32_t>(module));
}
Result<Symbol> Device::find_symbol(ModuleId module, std::string_view name) const {
  return impl_->modules.find_symbol(static_cast<std::uint32_t>(module), name);
}
std::vector<redflag::Frame> Device::frames(gpu::SiteId site) const {
  return impl_->modules.frames(site);
}
std::string_view Device::instruction_text(gpu::SiteId site) const {
  return impl_->modules.instruction_text(site);
}

KernelInfo Device::Impl::describe(const Kernel& kernel) const {
  const LoadedModule& in = modules.module(kernel.key.module);
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
    info.most_threads =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(dim_of(*limit).count(), 1024));
  }
  if (const ptx::Directive* const needed = function.directive(".reqntid")) {
    info.needed_block = dim_of(*needed);
  }
  if (const ptx::Directive* const cluster = function.directive(".reqnctapercluster")) {
    info.cluster = dim_of(*cluster);
  }
  const ptx::Directive* const most = function.directive(".maxclusterrank");
  if (most != nullptr && !most->values.empty()) {
    info.most_cluster = static_cast<std::uint32_t>(std::min<std::uint64_t>(most->values[0], 16));
  }
  info.grid_of_clusters = function.directive(".blocksareclusters") != nullptr;
  // ptxas shares registers among values that do not live together; a guess for occupancy.
  const std::size_t named = function.body.registers.size();
  info.registers = static_cast<std::uint32_t>(std::clamp<std::size_t>(named / 2, 16, 255));
  return info;
}

Result<void> Device::Impl::prepare(Kernel& kernel) {
  Result<std::unique_ptr<Program>> built = build_program(modules, kernel.key, mode());
  if (!built) return Failure(built.error());
  kernel.program = std::move(*built);
  kernel.info = describe(kernel);
  return {};
}

Result<KernelId> Device::find_kernel(ModuleId module, std::string_view name) const {
  Impl& impl = *impl_;
  const LoadedModule& in = impl.modules.module(static_cast<std::uint32_t>(module));
  for (std::uint32_t i = 0; i < in.ptx.functions.size(); ++i) {
    const ptx::Function& function = in.ptx.functions[i];
    if (!function.is_entry || function.name != name) continue;
    FunctionKey key{in.index, i};
    impl.modules.find_function(key);
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
              "', found no kernel of that name; it may be in another module");
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

std::uint64_t Device::add_texture(const Texture& texture) {
  return impl_->textures.add(texture);
}
const Texture* Device::find_texture(std::uint64_t handle) const {
  return impl_->textures.find(handle);
}
void Device::remove_texture(std::uint64_t handle) {
  impl_->textures.remove(handle);
}

Result<void> Device::launch(KernelId id, const LaunchConfig& given,
                            std::span<const std::byte> params, Fault& fault) {
  Impl& impl = *impl_;
  fault = {};
  Impl::Kernel& kernel = *impl.kernels[static_cast<std::uint32_t>(id)];
  const std::string name = kernel.info.name;
  if (!kernel.program->missing.empty()) {  // perhaps a module loaded since then has them
    Result<void> again = impl.prepare(kernel);
    if (!again) return again;
  }
  if (!kernel.program->missing.empty()) {
    return fail("kernel '" + name + "' needs '" + kernel.program->missing.front() +
                "', which no loaded module defines");
  }
  LaunchConfig config = given;
  Result<void> fits = settle_sizes(kernel.info, config, fault.refusal);
  if (!fits) return fits;
  const gpu::Dim& cluster = config.cluster;
  const std::uint64_t shared = kernel.program->static_shared + config.dynamic_shared;
  constexpr std::uint64_t kMostShared = 228U << 10;
  if (shared > kMostShared) {
    return fail("kernel '" + name + "': needs " + std::to_string(shared) +
                " bytes of shared memory; a block has at most " + std::to_string(kMostShared));
  }
  if (params.size() < kernel.info.parameter_bytes) {
    return fail("kernel '" + name + "': needed " + std::to_string(kernel.info.parameter_bytes) +
                " bytes of parameters, found " + std::to_string(params.size()));
  }

  Machine machine;
  machine.options = &impl.options;
  machine.program = kernel.program.get();
  machine.memory = &impl.memory;
  machine.textures = &impl.textures;
  machine.sink = impl.options.sink;
  machine.launch.id = static_cast<gpu::LaunchId>(++impl.launches);
  machine.launch.kernel = name;
  machine.launch.grid = config.grid;
  machine.launch.block = config.block;
  machine.launch.cluster = cluster;
  machine.launch.shared_bytes = shared;
  machine.launch.stream = config.stream;
  machine.launch.host_thread = config.host_thread;
  machine.launch.site = config.site;
  machine.launch.cooperative = config.cooperative;
  machine.launch.sync = kernel.program->sync;
  machine.shared_bytes = shared;
  machine.dynamic_shared = static_cast<std::uint32_t>(config.dynamic_shared);
  machine.clusters = {config.grid.x / cluster.x, config.grid.y / cluster.y,
                      config.grid.z / cluster.z};
  std::vector<std::byte> kept(params.size() + 128);  // and room for the blocks to meet
  std::copy(params.begin(), params.end(), kept.begin());
  machine.params = kept.data();
  machine.param_bytes = params.size();
  impl.memory.adopt(reinterpret_cast<std::uint64_t>(kept.data()), kept.size());
  machine.constants = impl.modules.constants();
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
  for (unsigned i = 1; i < workers; ++i) others.emplace_back([&crew, i] { work_timed(*crew[i]); });
  work_timed(*crew[0]);
  for (std::thread& each : others) each.join();
  std::uint64_t busiest = 0;
  for (const auto& each : crew) {
    busiest = std::max(busiest, each->stats.busiest_ns);
    impl.stats.warp_instructions += each->stats.warp_instructions;
    impl.stats.thread_instructions += each->stats.thread_instructions;
  }
  impl.stats.busiest_ns += busiest;
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

}  // namespace redflag::cuda
