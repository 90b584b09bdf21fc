// Gpu: the Machine that is a GPU, by NVIDIA's CUDA runtime.
//
// Line numbers of statements matter to nobody on a GPU. cuda.cu finds kernels in the program it is linked with,
// gpu_runner.cu in the PTX that is checked in.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "tests/cuda/host/script.h"

namespace redflag::script {

inline std::string text(cudaError_t status) {
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}

// Where the names of kernels and __device__ variables lead to.
class Names {
 public:
  virtual ~Names() = default;
  virtual const void* kernel(const std::string& name) const = 0;  // nullptr: there is none
  virtual void* variable(const std::string& name) const = 0;
};

class Gpu : public Machine {
 public:
  explicit Gpu(const Names& names) : names_(names) {}

  std::string allocate(int, std::uint64_t bytes, bool managed, void** address) override {
    return text(managed ? cudaMallocManaged(address, bytes) : cudaMalloc(address, bytes));
  }
  std::string find_symbol(const std::string& name, std::uint64_t, void** address) override {
    *address = names_.variable(name);
    return *address ? "" : "there is no variable " + name;
  }
  std::string launch(int, const LaunchPlan& plan) override {
    const void* entry = names_.kernel(plan.kernel);
    if (!entry) return "there is no kernel " + plan.kernel;
    void* arguments[32] = {};
    for (std::size_t i = 0; i < plan.arguments.size() && i < 32; ++i)
      arguments[i] = const_cast<std::byte*>(plan.arguments[i].bytes.data());
    cudaLaunchAttribute attributes[2] = {};
    unsigned used = 0;
    if (plan.cooperative) {
      attributes[used].id = cudaLaunchAttributeCooperative;
      attributes[used++].val.cooperative = 1;
    }
    if (plan.cluster > 1) {
      attributes[used].id = cudaLaunchAttributeClusterDimension;
      attributes[used++].val.clusterDim = {plan.cluster, 1, 1};
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(plan.grid[0], plan.grid[1], plan.grid[2]);
    config.blockDim = dim3(plan.block[0], plan.block[1], plan.block[2]);
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = streams_[plan.stream];
    config.attrs = attributes;
    config.numAttrs = used;
    return text(cudaLaunchKernelExC(&config, entry, arguments));
  }
  std::string upload(int, void* to, const void* from, std::uint64_t bytes, int stream) override {
    // A copy from pageable memory may return before the device has it, and other streams do not wait for this one.
    if (stream == 0) {
      const std::string fault = text(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
      return fault.empty() ? text(cudaStreamSynchronize(nullptr)) : fault;
    }
    return text(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streams_[stream]));
  }
  std::string download(int line, void* to, const void* from, std::uint64_t bytes,
                       int stream) override {
    return upload(line, to, from, bytes, stream);
  }
  std::string set(int, void* at, int value, std::uint64_t bytes, int stream) override {
    if (stream == 0) {
      const std::string fault = text(cudaMemset(at, value, bytes));
      return fault.empty() ? text(cudaStreamSynchronize(nullptr)) : fault;
    }
    return text(cudaMemsetAsync(at, value, bytes, streams_[stream]));
  }
  std::string create_image(int, const ImagePlan& plan, void** image) override {
    const cudaChannelFormatDesc format = format_of(plan);
    const unsigned flags = cudaArraySurfaceLoadStore | (plan.layers == 0 ? 0 : cudaArrayLayered);
    return text(cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(image), &format,
                                  make_cudaExtent(plan.width, plan.height, plan.layers), flags));
  }
  std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) override {
    cudaResourceDesc of = {};
    of.resType = plan.is_image ? cudaResourceTypeArray : cudaResourceTypeLinear;
    if (plan.is_image)
      of.res.array.array = static_cast<cudaArray_t>(plan.of);
    else
      of.res.linear = {plan.of, format_of(plan.image), plan.image.width * size_of(plan.image.type)};
    cudaTextureDesc how = {};
    for (cudaTextureAddressMode& mode : how.addressMode)
      mode = static_cast<cudaTextureAddressMode>(plan.mode);
    how.filterMode = plan.filters ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = plan.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.normalizedCoords = plan.normalized;
    auto* const made = reinterpret_cast<unsigned long long*>(handle);
    return text(plan.is_surface ? cudaCreateSurfaceObject(made, &of)
                                : cudaCreateTextureObject(made, &of, &how, nullptr));
  }
  std::string upload_image(int, void* to, const void* from, const ImagePlan& plan,
                           int stream) override {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = rows(const_cast<void*>(from), plan);
    copy.dstArray = static_cast<cudaArray_t>(to);
    return copy_image(copy, plan, stream);
  }
  std::string download_image(int, void* to, void* from, const ImagePlan& plan,
                             int stream) override {
    cudaMemcpy3DParms copy = {};
    copy.srcArray = static_cast<cudaArray_t>(from);
    copy.dstPtr = rows(to, plan);
    return copy_image(copy, plan, stream);
  }
  std::string peek_image(void* to, void* from, const ImagePlan& plan) override {
    std::string fault = sync_device();
    return fault.empty() ? download_image(0, to, from, plan, 0) : fault;
  }
  std::string host_access(int, void*, std::uint64_t, bool) override { return {}; }
  std::string create_stream(int stream) override {
    if (stream >= kMost) return "too many streams";
    return text(cudaStreamCreateWithFlags(&streams_[stream], cudaStreamNonBlocking));
  }
  std::string create_event(int event) override {
    return event >= kMost ? "too many events" : text(cudaEventCreate(&events_[event]));
  }
  std::string record(int event, int stream) override {
    return text(cudaEventRecord(events_[event], streams_[stream]));
  }
  std::string stream_waits(int event, int stream) override {
    return text(cudaStreamWaitEvent(streams_[stream], events_[event], 0));
  }
  std::string sync_event(int event) override { return text(cudaEventSynchronize(events_[event])); }
  std::string sync_stream(int stream) override {
    return text(cudaStreamSynchronize(streams_[stream]));
  }
  std::string sync_device() override { return text(cudaDeviceSynchronize()); }
  std::string peek(void* to, const void* from, std::uint64_t bytes) override {
    std::string fault = sync_device();
    return fault.empty() ? text(cudaMemcpy(to, from, bytes, cudaMemcpyDefault)) : fault;
  }

 private:
  static constexpr int kMost = 16;
  static cudaChannelFormatDesc format_of(const ImagePlan& plan) {
    return {static_cast<int>(size_of(plan.type)) * 8, 0, 0, 0,
            plan.type == Type::kFloat  ? cudaChannelFormatKindFloat
            : plan.type == Type::kUint ? cudaChannelFormatKindUnsigned
                                       : cudaChannelFormatKindSigned};
  }
  static cudaPitchedPtr rows(void* memory, const ImagePlan& plan) {
    const std::size_t height = plan.height == 0 ? 1 : plan.height;
    return make_cudaPitchedPtr(memory, plan.width * size_of(plan.type), plan.width, height);
  }
  std::string copy_image(cudaMemcpy3DParms copy, const ImagePlan& plan, int stream) {
    copy.extent = make_cudaExtent(plan.width, plan.height == 0 ? 1 : plan.height,
                                  plan.layers == 0 ? 1 : plan.layers);
    copy.kind = cudaMemcpyDefault;
    return text(stream == 0 ? cudaMemcpy3D(&copy) : cudaMemcpy3DAsync(&copy, streams_[stream]));
  }

  const Names& names_;
  cudaStream_t streams_[kMost] = {};
  cudaEvent_t events_[kMost] = {};
};

}  // namespace redflag::script
