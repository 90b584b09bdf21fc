// See rewritten.h.
#include "tests/cuda/host/rewritten.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::device {
std::string_view compact_ptx(std::uint32_t sm);  // by redflag_device_runtime
std::string_view stream_ptx(std::uint32_t sm);
}  // namespace redflag::device

namespace redflag::script {

std::string_view StreamTo::ptx(std::uint32_t sm) const {
  return device::stream_ptx(sm);
}

Result<rewrite::Rewritten> rewrite_for(const std::string& runtime, const std::string& path,
                                       const std::string& ptx, bool prune) {
  const Result<ptx::Module> module = ptx::parse(path, ptx);
  if (!module) return Failure(module.error());
  std::uint32_t sm = 0;
  for (const std::string_view target : module->targets) {
    if (target.starts_with("sm_")) sm = static_cast<std::uint32_t>(std::atoi(target.data() + 3));
  }
  if (runtime == "none") {
    rewrite::Rewritten same;
    same.ptx = ptx;
    for (const ptx::Function& each : module->functions) {
      if (!each.is_entry) continue;
      rewrite::Kernel& kernel = same.kernels.emplace_back();
      kernel.name = each.name;
      kernel.why = "asked so";
    }
    return same;
  }
  return rewrite::rewrite(
      *module, {.runtime = runtime == "compact" ? device::compact_ptx(sm) : device::stream_ptx(sm),
                .prune = prune,
                .versions = runtime == "compact" && prune});
}

void Versions::append(std::vector<Counter>& to) const {
  constexpr const char* kNames[] = {"full", "lean", "plain"};
  for (const auto& [which, count] : launches_) {
    to.push_back({which.first + " " + kNames[static_cast<std::size_t>(which.second)],
                  static_cast<double>(count), "launches"});
  }
}

rewrite::Version version_for(const rewrite::Kernel& kernel, const gpu::Launch& launch,
                             const LaunchPlan& plan, device::Runtime& runtime,
                             const std::function<std::uint64_t(const std::string&)>& address_of) {
  if (!kernel.proof.is_possible || !runtime.runs_alone(launch)) return rewrite::Version::kFull;
  std::vector<Argument> arguments = plan.arguments;
  std::vector<void*> pointers;
  for (Argument& each : arguments) pointers.push_back(each.bytes.data());
  const std::vector<std::byte> block = rewrite::parameter_block(kernel, pointers);
  std::vector<std::uint64_t> variables;
  for (const std::string& each : kernel.proof.variables) variables.push_back(address_of(each));
  prove::Facts facts;
  for (std::size_t i = 0; i < 3; ++i) {
    facts.sizes.threads[i] = plan.block[i];
    facts.sizes.blocks[i] = plan.grid[i];
  }
  facts.parameters = block;
  facts.variables = variables;
  return rewrite::choose(
      kernel, facts, [&](std::uint64_t address) { return runtime.allocation_of(address); },
      [&](std::span<const std::uint64_t> allocations, device::Cells which) {
        return runtime.make_cells(allocations, which);
      },
      [&](std::uint64_t allocation) { return runtime.has_texture(allocation); });
}

std::string Rewritten::connect(const std::vector<std::string>& variables) {
  const Result<std::uint64_t> state = runtime().state();
  if (!state) return state.error().message;
  const Result<cuda::Symbol> symbol = device().find_symbol(module(), device::kStateSymbol);
  if (!symbol) return symbol.error().message;
  std::memcpy(reinterpret_cast<void*>(symbol->address), &*state, sizeof(*state));
  for (const std::string& name : variables) {
    const Result<cuda::Symbol> at = device().find_symbol(module(), name);
    if (!at) continue;
    runtime().host({.kind = gpu::HostKind::kAlloc, .address = at->address, .size = at->size});
  }
  return {};
}

std::string Rewritten::create_object(const ObjectPlan& plan, std::uint64_t* handle) {
  std::string fault = Emulated::create_object(plan, handle);
  const auto address = reinterpret_cast<std::uintptr_t>(plan.of);
  if (fault.empty()) runtime().add_image(*handle, texture_of(plan, address));
  return fault;
}

std::string Rewritten::launch(int line, const LaunchPlan& plan) {
  const auto kernel =
      std::find_if(made_.kernels.begin(), made_.kernels.end(),
                   [&](const rewrite::Kernel& each) { return each.name == plan.kernel; });
  if (kernel == made_.kernels.end() || !kernel->checked) return Emulated::launch(line, plan);
  const Result<cuda::KernelId> found = device().find_kernel(module(), plan.kernel);
  if (!found) return found.error().message;
  const cuda::KernelInfo& info = device().info(*found);
  cuda::LaunchConfig config = config_of(plan);
  cuda::Refusal refusal{};
  const Result<void> settled = cuda::settle_sizes(info, config, refusal);
  if (!settled) return settled.error().message;
  gpu::Launch told;
  told.id = gpu::LaunchId{++launches_};
  told.kernel = plan.kernel;
  told.grid = config.grid;
  told.block = config.block;
  told.cluster = config.cluster;
  told.shared_bytes = info.static_shared + config.dynamic_shared;
  told.stream = config.stream;
  told.host_thread = config.host_thread;
  told.cooperative = config.cooperative;
  told.sync = kernel->sync;
  std::uint64_t number = runtime().launch_begins(told, config.dynamic_shared);
  const auto address_of = [&](const std::string& name) {
    const Result<cuda::Symbol> at = device().find_symbol(module(), name);
    return at ? at->address : 0;
  };
  const rewrite::Version version = version_for(*kernel, told, plan, runtime(), address_of);
  versions_.add(plan.kernel, version);
  LaunchPlan more = plan;
  more.kernel = rewrite::name_of(plan.kernel, version);
  if (version == rewrite::Version::kPlain) {
    std::string fault = Emulated::launch(line, more);
    runtime().launch_ends(told.id);
    return fault;
  }
  if (version == rewrite::Version::kLean && (kernel->is_lean_flat || kernel->is_lean_direct)) {
    number = runtime().with_cells(number);
  }
  if (rewrite::needs_more_shared(*kernel, version)) {
    more.shared_bytes +=
        runtime().more_shared(info.static_shared, config.dynamic_shared, told.block_threads());
  } else {
    number = runtime().without_more_shared(number);
  }
  Argument last;
  std::memcpy(last.bytes.data(), &number, sizeof(number));
  more.arguments.push_back(last);
  std::string fault = Emulated::launch(line, more);
  runtime().launch_ends(told.id);
  return fault;
}

}  // namespace redflag::script
