#include "cli/cuda_libraries.h"

#include <array>

namespace redflag::cli {
namespace {

constexpr auto kLibraries = std::to_array<CudaLibrary>({
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cuda/", "libcu++"},
    {"nv/target", "libcu++"},
    {"cublas", "cuBLAS"},
    {"cudnn", "cuDNN"},
    {"cufft", "cuFFT"},
    {"curand", "cuRAND"},
    {"cusolver", "cuSOLVER"},
    {"cusparse", "cuSPARSE"},
    {"npp", "NPP"},
    {"nvjpeg", "nvJPEG"},
    {"nvrtc", "NVRTC"},
    {"nvJitLink", "nvJitLink"},
    {"nvml", "NVML"},
    {"nvtx3/", "NVTX"},
    {"nvToolsExt", "NVTX"},
    {"nccl", "NCCL"},
    {"cupti", "CUPTI"},
    {"cuda_gl_interop", "CUDA's OpenGL interoperability"},
    {"cuda_egl_interop", "CUDA's EGL interoperability"},
    {"cudaGL", "CUDA's OpenGL interoperability"},
    {"cooperative_groups/", "the rest of cooperative groups"},
    {"cuda_fp8", "8-bit floating point"},
    {"cuda_fp4", "4-bit floating point"},
    {"cuda_awbarrier", "barriers of shared memory"},
});

}  // namespace

std::span<const CudaLibrary> cuda_libraries() {
  return kLibraries;
}

std::string missing_library(std::string_view rule) {
  while (!rule.empty()) {
    const std::size_t begin = rule.find_first_not_of(" \\\n\t");
    if (begin == std::string_view::npos) break;
    rule.remove_prefix(begin);
    const std::string_view word = rule.substr(0, rule.find_first_of(" \\\n\t"));
    rule.remove_prefix(word.size());
    // What was found has the path of a folder before it.
    for (const CudaLibrary& each : kLibraries) {
      if (!word.starts_with(each.prefix)) continue;
      return "needed: <" + std::string(word) + ">, of " + std::string(each.name) +
             ", which comes with NVIDIA's CUDA toolkit\nfound: no toolkit; clang compiles with "
             "Redflag's own headers, which do not have it\nto mend it: install CUDA 13's toolkit "
             "(https://developer.nvidia.com/cuda-downloads), whose nvcc is then used; it needs no "
             "GPU";
    }
  }
  return {};
}

}  // namespace redflag::cli
