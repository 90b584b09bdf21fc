// See driven.h.
#include "tests/cuda/host/driven.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/inject/driver.h"
#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/versions.h"

namespace redflag::script {
namespace {

using inject::CUdeviceptr;
using Handle = void*;

CUdeviceptr address_of(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

}  // namespace

Driver::Driver() {
  library_ = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (library_ == nullptr) {
    fault_ = "needs an NVIDIA driver (libcuda.so.1), and there is none here";
    return;
  }
  int device = 0, major = 0, minor = 0;
  fault_ = call("cuInit", 0U);
  if (fault_.empty()) fault_ = call("cuDeviceGet", &device, 0);
  if (fault_.empty()) fault_ = call("cuDevicePrimaryCtxRetain", &context_, device);
  if (fault_.empty()) fault_ = call("cuCtxSetCurrent", context_);
  if (fault_.empty()) {
    fault_ = call("cuDeviceGetAttribute", &major, inject::kAttributeMajor, device);
  }
  if (fault_.empty()) {
    fault_ = call("cuDeviceGetAttribute", &minor, inject::kAttributeMinor, device);
  }
  sm_ = static_cast<std::uint32_t>(10 * major + minor);
}

Driver::~Driver() {
  for (void* const each : mapped_) (void)call("cuMemFreeHost", each);
}

void* Driver::find(const char* function) const {
  return library_ == nullptr ? nullptr : ::dlsym(library_, function);
}

std::string Driver::answer(const char* function, int result) const {
  if (result == inject::kSuccess) return {};
  const char* text = nullptr;
  if (auto* const name = reinterpret_cast<int (*)(int, const char**)>(find("cuGetErrorString"))) {
    (void)name(result, &text);
  }
  return std::string(function) + ": " + (text == nullptr ? std::to_string(result) : text);
}

Result<std::uint64_t> Driver::allocate(std::uint64_t bytes) {
  CUdeviceptr at = 0;
  std::string fault = call("cuMemAlloc_v2", &at, static_cast<std::size_t>(bytes));
  if (!fault.empty()) return fail(fault);
  clear(at, bytes);
  return std::uint64_t{at};
}
void Driver::free(std::uint64_t address) {
  (void)call("cuMemFree_v2", CUdeviceptr{address});
}
void Driver::clear(std::uint64_t from, std::uint64_t bytes) {
  (void)call("cuMemsetD8_v2", CUdeviceptr{from}, static_cast<unsigned char>(0),
             static_cast<std::size_t>(bytes));
}
void Driver::write(std::uint64_t to, std::span<const std::byte> bytes) {
  (void)call("cuMemcpyHtoD_v2", CUdeviceptr{to}, static_cast<const void*>(bytes.data()),
             bytes.size());
}
void Driver::read(std::uint64_t from, std::span<std::byte> bytes) {
  (void)call("cuMemcpyDtoH_v2", static_cast<void*>(bytes.data()), CUdeviceptr{from}, bytes.size());
}
Result<device::DeviceMemory::Mapped> Driver::allocate_mapped(std::uint64_t bytes) {
  void* host = nullptr;
  CUdeviceptr at = 0;
  std::string fault = call("cuMemHostAlloc", &host, static_cast<std::size_t>(bytes),
                           unsigned{inject::kHostAllocPortable | inject::kHostAllocDeviceMap});
  if (fault.empty()) fault = call("cuMemHostGetDevicePointer_v2", &at, host, 0U);
  if (!fault.empty()) return fail(fault);
  mapped_.push_back(host);
  std::memset(host, 0, bytes);
  return Mapped{static_cast<std::byte*>(host), at};
}
std::uint64_t Driver::free_bytes() const {
  std::size_t left = 0, all = 0;
  (void)call("cuMemGetInfo_v2", &left, &all);
  return left;
}

Driven::~Driven() {
  (void)driver_.call("cuCtxSynchronize");
  for (const std::uint64_t each : textures_) (void)driver_.call("cuTexObjectDestroy", each);
  for (const std::uint64_t each : surfaces_) (void)driver_.call("cuSurfObjectDestroy", each);
  for (const auto& [array, range] : arrays_) {
    (void)driver_.call("cuArrayDestroy", array);
    (void)driver_.call("cuMemAddressFree", CUdeviceptr{range.address},
                       static_cast<std::size_t>(range.bytes));
  }
  for (const std::uint64_t each : allocations_) driver_.free(each);
  for (const auto& [number, stream] : streams_) (void)driver_.call("cuStreamDestroy_v2", stream);
  if (module_ != nullptr) (void)driver_.call("cuModuleUnload", module_);
}

std::string Driven::connect() {
  const Result<std::uint64_t> state = runtime_.state();
  if (!state) return state.error().message;
  char log[4096] = "";
  // Hooks must not cost so many registers that few warps are left.
  const bool checks = std::any_of(made_.kernels.begin(), made_.kernels.end(),
                                  [](const rewrite::Kernel& each) { return each.checked; });
  int options[3] = {inject::kJitErrorLog, inject::kJitErrorLogBytes, inject::kJitMostRegisters};
  Handle values[3] = {log, reinterpret_cast<Handle>(sizeof(log)),
                      reinterpret_cast<Handle>(registers_)};
  std::string fault =
      driver_.call("cuModuleLoadDataEx", &module_, static_cast<const void*>(made_.ptx.c_str()),
                   checks ? 3U : 2U, static_cast<int*>(options), static_cast<Handle*>(values));
  if (!fault.empty()) return fault + "\n" + log;
  if (!checks) return {};
  CUdeviceptr at = 0;
  std::size_t size = 0;
  const Result<ptx::Module> parsed = ptx::parse("", made_.ptx);
  if (!parsed) return parsed.error().message;
  for (const ptx::Variable& each : parsed->variables) {
    if (each.space != ptx::Space::kGlobal || each.name.starts_with("redflag_")) continue;
    const std::string name(each.name);
    if (!driver_.call("cuModuleGetGlobal_v2", &at, &size, module_, name.c_str()).empty()) continue;
    runtime_.host({.kind = gpu::HostKind::kAlloc, .address = at, .size = size});
  }
  const char* const symbol = device::kStateSymbol;
  fault = driver_.call("cuModuleGetGlobal_v2", &at, &size, module_, symbol);
  if (fault.empty()) driver_.write(at, std::as_bytes(std::span(&*state, 1)));
  return fault;
}

std::string Driven::allocate(int line, std::uint64_t bytes, bool managed, void** address) {
  CUdeviceptr at = 0;
  std::string fault =
      managed ? driver_.call("cuMemAllocManaged", &at, static_cast<std::size_t>(bytes), 1U)
              : driver_.call("cuMemAlloc_v2", &at, static_cast<std::size_t>(bytes));
  if (!fault.empty()) return fault;
  driver_.clear(at, bytes);
  fault = driver_.call("cuCtxSynchronize");
  allocations_.push_back(at);
  *address = reinterpret_cast<void*>(at);
  runtime_.host(
      {.kind = gpu::HostKind::kAlloc, .site = host_site(line), .address = at, .size = bytes});
  return fault;
}

std::string Driven::find_symbol(const std::string& name, std::uint64_t bytes, void** address) {
  CUdeviceptr at = 0;
  std::size_t size = 0;
  std::string fault = driver_.call("cuModuleGetGlobal_v2", &at, &size, module_, name.c_str());
  if (fault.empty() && size < bytes) return name + " has only " + std::to_string(size) + " bytes";
  *address = reinterpret_cast<void*>(at);
  return fault;
}

std::string Driven::launch(int /*line*/, const LaunchPlan& plan) {
  const auto kernel =
      std::find_if(made_.kernels.begin(), made_.kernels.end(),
                   [&](const rewrite::Kernel& each) { return each.name == plan.kernel; });
  if (kernel == made_.kernels.end()) return "no kernel " + plan.kernel;
  Handle function = nullptr;
  std::string fault = driver_.call("cuModuleGetFunction", &function, module_, plan.kernel.c_str());
  if (!fault.empty()) return fault;
  int shared = 0;
  fault = driver_.call("cuFuncGetAttribute", &shared, inject::kFunctionShared, function);
  gpu::Launch told;
  told.id = gpu::LaunchId{++launches_};
  told.kernel = plan.kernel;
  told.grid = {plan.grid[0], plan.grid[1], plan.grid[2]};
  told.block = {plan.block[0], plan.block[1], plan.block[2]};
  told.cluster = {plan.cluster, 1, 1};
  rewrite::settle_clusters(*kernel, told);
  told.shared_bytes = static_cast<std::uint64_t>(shared) + plan.shared_bytes;
  told.stream = gpu::StreamId{static_cast<std::uint32_t>(plan.stream)};
  told.cooperative = plan.cooperative;
  told.sync = kernel->sync;
  std::uint64_t number = kernel->checked ? runtime_.launch_begins(told, plan.shared_bytes) : 0;
  const auto address_of = [&](const std::string& name) {
    CUdeviceptr at = 0;
    std::size_t size = 0;
    (void)driver_.call("cuModuleGetGlobal_v2", &at, &size, module_, name.c_str());
    return std::uint64_t{at};
  };
  const rewrite::Version version = kernel->checked
                                       ? version_for(*kernel, told, plan, runtime_, address_of)
                                       : rewrite::Version::kFull;
  if (version == rewrite::Version::kLean && (kernel->is_lean_flat || kernel->is_lean_direct)) {
    number = runtime_.with_cells(number);
  }
  if (kernel->checked) versions_.add(plan.kernel, version);
  const bool is_told = kernel->checked && version != rewrite::Version::kPlain;
  const bool has_more = kernel->checked && rewrite::needs_more_shared(*kernel, version);
  if (version != rewrite::Version::kFull) {
    const std::string name = rewrite::name_of(plan.kernel, version);
    fault = driver_.call("cuModuleGetFunction", &function, module_, name.c_str());
    if (fault.empty()) {
      fault = driver_.call("cuFuncGetAttribute", &shared, inject::kFunctionShared, function);
    }
  }
  const std::uint64_t dynamic =
      plan.shared_bytes + (has_more ? runtime_.more_shared(static_cast<std::uint64_t>(shared),
                                                           plan.shared_bytes, told.block_threads())
                                    : 0);
  if (is_told && !has_more) number = runtime_.without_more_shared(number);
  std::vector<Argument> arguments = plan.arguments;
  std::vector<Handle> parameters;
  for (Argument& each : arguments) parameters.push_back(each.bytes.data());
  if (is_told) parameters.push_back(&number);
  if (dynamic + static_cast<std::uint64_t>(shared) > (48U << 10)) {
    fault = driver_.call("cuFuncSetAttribute", function, inject::kFunctionMostDynamic,
                         static_cast<int>(dynamic));
  }
  inject::CUlaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (plan.cooperative) {
    attributes[count].id = inject::kLaunchCooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (plan.cluster > 1) {
    attributes[count].id = inject::kLaunchCluster;
    attributes[count].value.cluster[0] = plan.cluster;
    attributes[count].value.cluster[1] = attributes[count].value.cluster[2] = 1;
    ++count;
  }
  Handle const stream = plan.stream == 0 ? nullptr : streams_[plan.stream];
  const inject::CUlaunchConfig config{plan.grid[0],
                                      plan.grid[1],
                                      plan.grid[2],
                                      plan.block[0],
                                      plan.block[1],
                                      plan.block[2],
                                      static_cast<unsigned>(dynamic),
                                      static_cast<inject::CUstream>(stream),
                                      attributes,
                                      count};
  const auto start = std::chrono::steady_clock::now();
  if (fault.empty()) {
    fault = driver_.call("cuLaunchKernelEx", &config, function, parameters.data(),
                         static_cast<Handle*>(nullptr));
  }
  if (fault.empty()) fault = driver_.call("cuStreamSynchronize", stream);
  kernel_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (kernel->checked) runtime_.launch_ends(told.id);
  return fault;
}

std::string Driven::tell_copy(gpu::HostKind kind, int line, std::uint64_t at, std::uint64_t bytes,
                              int stream) {
  runtime_.host({.kind = kind,
                 .waits = stream == 0,
                 .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
                 .site = host_site(line),
                 .address = at,
                 .size = bytes});
  return {};
}
std::string Driven::upload(int line, void* to, const void* from, std::uint64_t bytes, int stream) {
  driver_.write(address_of(to), {static_cast<const std::byte*>(from), bytes});
  return tell_copy(gpu::HostKind::kWrite, line, address_of(to), bytes, stream);
}
std::string Driven::download(int line, void* to, const void* from, std::uint64_t bytes,
                             int stream) {
  driver_.read(address_of(from), {static_cast<std::byte*>(to), bytes});
  return tell_copy(gpu::HostKind::kRead, line, address_of(from), bytes, stream);
}
std::string Driven::set(int line, void* at, int value, std::uint64_t bytes, int stream) {
  std::string fault =
      driver_.call("cuMemsetD8_v2", address_of(at), static_cast<unsigned char>(value),
                   static_cast<std::size_t>(bytes));
  if (!fault.empty()) return fault;
  return tell_copy(gpu::HostKind::kWrite, line, address_of(at), bytes, stream);
}
std::string Driven::host_access(int line, void* at, std::uint64_t bytes, bool writes) {
  runtime_.host({.kind = writes ? gpu::HostKind::kHostWrite : gpu::HostKind::kHostRead,
                 .site = host_site(line),
                 .address = address_of(at),
                 .size = bytes});
  return {};
}

std::string Driven::create_stream(int stream) {
  runtime_.host({.kind = gpu::HostKind::kStreamNonBlocking,
                 .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)}});
  return driver_.call("cuStreamCreate", &streams_[stream], unsigned{inject::kStreamNonBlocking});
}
std::string Driven::record(int event, int stream) {
  runtime_.host({.kind = gpu::HostKind::kRecordEvent,
                 .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
                 .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Driven::stream_waits(int event, int stream) {
  runtime_.host({.kind = gpu::HostKind::kStreamWait,
                 .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)},
                 .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Driven::sync_event(int event) {
  runtime_.host({.kind = gpu::HostKind::kSyncEvent,
                 .waits = true,
                 .event = gpu::HostEventId{static_cast<std::uint32_t>(event)}});
  return {};
}
std::string Driven::sync_stream(int stream) {
  runtime_.host({.kind = gpu::HostKind::kSyncStream,
                 .waits = true,
                 .stream = gpu::StreamId{static_cast<std::uint32_t>(stream)}});
  return {};
}
std::string Driven::sync_device() {
  runtime_.host({.kind = gpu::HostKind::kSyncDevice, .waits = true});
  return driver_.call("cuCtxSynchronize");
}
std::string Driven::peek(void* to, const void* from, std::uint64_t bytes) {
  driver_.read(address_of(from), {static_cast<std::byte*>(to), bytes});
  return {};
}

}  // namespace redflag::script
