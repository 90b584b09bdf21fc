// Launches, and what programs ask about kernels before they launch them.
#include <algorithm>
#include <cstring>

#include "frontends/cuda/cudart/api.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::cudart {
namespace {

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint32_t kMostGridYZ = 65535;

gpu::Dim dim(const Dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

std::vector<std::byte> pack(const cuda::KernelInfo& kernel, void** args) {
  std::vector<std::byte> block(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameter_offsets.size(); ++i) {
    std::memcpy(block.data() + kernel.parameter_offsets[i], args[i], kernel.parameter_sizes[i]);
  }
  return block;
}

int active_blocks(const cuda::KernelInfo& kernel, int threads, std::size_t dynamic_shared) {
  if (threads <= 0 || static_cast<std::uint32_t>(threads) > kernel.most_threads) return 0;
  const int warps = (threads + 31) / 32;
  int blocks = std::min(kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / (warps * 32));
  const std::size_t shared = kernel.static_shared + dynamic_shared;
  if (shared > kSharedOptIn) return 0;
  blocks =
      std::min(blocks, static_cast<int>(kSharedPerMultiprocessor / (shared + kSharedReserved)));
  if (kernel.registers > 0) {
    blocks = std::min(blocks, kRegisters / (warps * 32 * static_cast<int>(kernel.registers)));
  }
  return blocks;
}

Error prepare(Runtime& runtime, const LaunchRequest& request, LaunchOp& launch) {
  Kernel* kernel = runtime.modules->find(request.function);
  if (kernel == nullptr) return Error::kInvalidDeviceFunction;
  const Result<cuda::KernelId> id = runtime.modules->ready(*kernel);
  if (!id) {
    runtime.complain(*kernel, id.error().message);
    return Error::kNoKernelImageForDevice;
  }
  const cuda::KernelInfo& info = runtime.device->info(*id);
  launch.kernel = kernel;
  launch.grid = dim(request.grid);
  launch.block = dim(request.block);
  launch.cluster = dim(request.cluster);
  launch.dynamic_shared = request.dynamic_shared;
  launch.cooperative = request.cooperative;
  launch.site = cuda_report::stack_site(1, cuda_report::kFramesKept);
  if (launch.grid.count() == 0 || launch.block.count() == 0 ||
      launch.block.count() > kMostThreads || launch.block.z > 64 || launch.grid.y > kMostGridYZ ||
      launch.grid.z > kMostGridYZ) {
    return Error::kInvalidConfiguration;
  }
  cuda::LaunchConfig config{.grid = launch.grid, .block = launch.block, .cluster = launch.cluster};
  cuda::Refusal refusal{};
  if (!cuda::settle_sizes(info, config, refusal)) return refused(refusal);
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(
      kernel->dynamic_shared_limit,
      static_cast<std::int64_t>(kSharedPerBlock -
                                std::min<std::size_t>(kSharedPerBlock, info.static_shared))));
  if (request.dynamic_shared > limit) return Error::kInvalidValue;
  if (request.cooperative) {
    const auto each = static_cast<std::uint64_t>(
        active_blocks(info, static_cast<int>(launch.block.count()), request.dynamic_shared));
    if (launch.grid.count() > each * cuda::kMultiprocessors)
      return Error::kCooperativeLaunchTooLarge;
  }
  if (request.args == nullptr && !info.parameter_offsets.empty()) return Error::kInvalidValue;
  launch.params = pack(info, request.args);
  return Error::kSuccess;
}

namespace {

Error launch_in(const void* caller, Default by_default, Stream* handle,
                const LaunchRequest& request, Event* completion = nullptr) {
  return call_stream(caller, handle, by_default, [&](Runtime& runtime, Stream& stream) {
    LaunchOp launch;
    if (const Error fault = prepare(runtime, request, launch); fault != Error::kSuccess) {
      return fault;
    }
    const Error done = runtime.submit(stream, std::move(launch));
    if (done != Error::kSuccess || completion == nullptr) return done;
    return runtime.submit(stream, RecordOp{completion});
  });
}

// The body for those that look at a kernel.
template <typename Body>
Error with_kernel(const void* caller, const void* function, Body body) {
  return call(caller, [&](Runtime& runtime) {
    Kernel* kernel = runtime.modules->find(function);
    if (kernel == nullptr) return Error::kInvalidDeviceFunction;
    const Result<cuda::KernelId> id = runtime.modules->ready(*kernel);
    if (!id) {
      runtime.complain(*kernel, id.error().message);
      return Error::kNoKernelImageForDevice;
    }
    return body(*kernel, runtime.device->info(*id));
  });
}

enum FuncAttribute : int { kMaxDynamicShared = 8 };
constexpr int kLastFuncAttribute = 15;

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name is NVIDIA's
CUDART_STREAM_API(__cudaLaunchKernel, _ptsz,
                  (Kernel * kernel, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                   Stream* stream),
                  (kernel, grid, block, args, shared, stream)) {
  return launch_in(caller, by_default, stream, {kernel, grid, block, {}, shared, false, args});
}

CUDART_STREAM_API(cudaLaunchKernel, _ptsz,
                  (const void* function, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                   Stream* stream),
                  (function, grid, block, args, shared, stream)) {
  return launch_in(caller, by_default, stream, {function, grid, block, {}, shared, false, args});
}

CUDART_STREAM_API(cudaLaunchCooperativeKernel, _ptsz,
                  (const void* function, Dim3 grid, Dim3 block, void** args, std::size_t shared,
                   Stream* stream),
                  (function, grid, block, args, shared, stream)) {
  return launch_in(caller, by_default, stream, {function, grid, block, {}, shared, true, args});
}

CUDART_STREAM_API(cudaLaunchKernelExC, _ptsz,
                  (const LaunchConfigC* config, const void* function, void** args),
                  (config, function, args)) {
  if (config == nullptr) return keep(Error::kInvalidValue);
  LaunchRequest request{function, config->grid, config->block, {}, config->dynamic_shared,
                        false,    args};
  Event* completion = nullptr;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const LaunchAttribute& each = config->attributes[i];
    if (each.id == kAttributeCooperative) request.cooperative = each.cooperative != 0;
    if (each.id == kAttributeCluster) request.cluster = each.cluster;
    if (each.id == kAttributeCompletionEvent) completion = each.completion_event.event;
  }
  return launch_in(caller, by_default, config->stream, request, completion);
}

CUDART_API(cudaFuncGetAttributes, (FuncAttributes * to, const void* function)) {
  return with_kernel(CUDART_CALLER, function,
                     [&](const Kernel& kernel, const redflag::cuda::KernelInfo& info) {
                       *to = {};
                       to->shared_size = info.static_shared;
                       to->local_size = info.local_bytes;
                       to->max_threads = static_cast<int>(info.most_threads);
                       to->registers = static_cast<int>(info.registers);
                       to->ptx_version = static_cast<int>(info.sm);
                       to->binary_version = static_cast<int>(info.sm);
                       to->max_dynamic_shared = kernel.dynamic_shared_limit;
                       return Error::kSuccess;
                     });
}

CUDART_API(cudaFuncSetAttribute, (const void* function, int attribute, int value)) {
  return with_kernel(
      CUDART_CALLER, function, [&](Kernel& kernel, const redflag::cuda::KernelInfo& info) {
        if (attribute < kMaxDynamicShared || attribute > kLastFuncAttribute) {
          return Error::kInvalidValue;
        }
        if (attribute != kMaxDynamicShared) return Error::kSuccess;  // hints
        if (value < 0 || static_cast<std::size_t>(value) + info.static_shared > kSharedOptIn) {
          return Error::kInvalidValue;
        }
        kernel.dynamic_shared_limit = value;
        return Error::kSuccess;
      });
}

CUDART_API(cudaKernelSetAttributeForDevice, (Kernel * kernel, int attribute, int value, int)) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

CUDART_API(cudaFuncSetCacheConfig, (const void* function, int)) {
  return with_kernel(CUDART_CALLER, function, [](auto&&...) { return Error::kSuccess; });
}

CUDART_API(cudaFuncSetSharedMemConfig, (const void* function, int)) {
  return with_kernel(CUDART_CALLER, function, [](auto&&...) { return Error::kSuccess; });
}

CUDART_API(cudaFuncGetName, (const char** name, const void* function)) {
  return with_kernel(CUDART_CALLER, function, [&](const Kernel& kernel, const auto&) {
    *name = kernel.name.c_str();
    return Error::kSuccess;
  });
}

CUDART_API(cudaFuncGetParamInfo,
           (const void* function, std::size_t index, std::size_t* offset, std::size_t* size)) {
  return with_kernel(CUDART_CALLER, function,
                     [&](const Kernel&, const redflag::cuda::KernelInfo& info) {
                       if (index >= info.parameter_offsets.size()) return Error::kInvalidValue;
                       *offset = info.parameter_offsets[index];
                       if (size != nullptr) *size = info.parameter_sizes[index];
                       return Error::kSuccess;
                     });
}

CUDART_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           (int* blocks, const void* function, int threads, std::size_t dynamic_shared, unsigned)) {
  return with_kernel(CUDART_CALLER, function,
                     [&](const Kernel&, const redflag::cuda::KernelInfo& info) {
                       *blocks = active_blocks(info, threads, dynamic_shared);
                       return threads > 0 ? Error::kSuccess : Error::kInvalidValue;
                     });
}

CUDART_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
           (int* blocks, const void* function, int threads, std::size_t dynamic_shared)) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamic_shared, 0);
}

CUDART_API(cudaOccupancyAvailableDynamicSMemPerBlock,
           (std::size_t* bytes, const void* function, int blocks, int threads)) {
  return with_kernel(
      CUDART_CALLER, function, [&](const Kernel&, const redflag::cuda::KernelInfo& info) {
        if (blocks <= 0 || threads <= 0) return Error::kInvalidValue;
        const std::size_t share = kSharedPerMultiprocessor / static_cast<std::size_t>(blocks);
        const std::size_t taken = kSharedReserved + info.static_shared;
        *bytes = share > taken ? std::min(share - taken, kSharedOptIn) : 0;
        return Error::kSuccess;
      });
}

CUDART_API(cudaOccupancyMaxPotentialClusterSize,
           (int* size, const void* function, const LaunchConfigC*)) {
  return with_kernel(CUDART_CALLER, function, [&](auto&&...) {
    *size = 8;
    return Error::kSuccess;
  });
}

CUDART_API(cudaOccupancyMaxActiveClusters,
           (int* clusters, const void* function, const LaunchConfigC* config)) {
  return with_kernel(
      CUDART_CALLER, function, [&](const Kernel&, const redflag::cuda::KernelInfo& info) {
        const redflag::gpu::Dim block{config->block.x, config->block.y, config->block.z};
        std::uint64_t size = 1;
        for (unsigned i = 0; i < config->attribute_count; ++i) {
          const LaunchAttribute& each = config->attributes[i];
          if (each.id == kAttributeCluster) {
            size = std::uint64_t{each.cluster.x} * each.cluster.y * each.cluster.z;
          }
        }
        if (size == 0) return Error::kInvalidClusterSize;
        const int blocks =
            active_blocks(info, static_cast<int>(block.count()), config->dynamic_shared);
        *clusters = static_cast<int>(static_cast<std::uint64_t>(blocks * kMultiprocessors) / size);
        return Error::kSuccess;
      });
}
