// gpu_runner: runs a program of tests/cuda/programs or bench/cuda on a GPU, from its checked-in PTX.
//
//   nvcc -std=c++20 -I. -o gpu_runner tests/cuda/host/{gpu_runner.cu,script.cpp,types.cpp}
//   for f in tests/cuda/programs/*_ok.cu; do timeout 60 ./gpu_runner $f || echo $f; done
//
// The same script and the same PTX as cuda_runner has on the emulated device: what is expected must come of both.
// 0 when the script's expectations hold, 1 with what went wrong, 2 for wrong usage.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/cuda/host/gpu.h"

namespace {

class Library : public redflag::script::Names {
 public:
  explicit Library(cudaLibrary_t library) : library_(library) {}
  const void* kernel(const std::string& name) const override {
    cudaKernel_t found = nullptr;
    const cudaError_t status = cudaLibraryGetKernel(&found, library_, name.c_str());
    return status == cudaSuccess ? reinterpret_cast<const void*>(found) : nullptr;
  }
  void* variable(const std::string& name) const override {
    void* address = nullptr;
    std::size_t bytes = 0;
    const cudaError_t status = cudaLibraryGetGlobal(&address, &bytes, library_, name.c_str());
    return status == cudaSuccess ? address : nullptr;
  }

 private:
  cudaLibrary_t library_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gpu_runner PROGRAM.cu, with PROGRAM.ptx beside it\n");
    return 2;
  }
  const std::string path = argv[1];
  const std::string source = read(path);
  const std::string ptx = read(path.substr(0, path.rfind('.')) + ".ptx");
  const redflag::script::Text script = redflag::script::find_script(source);
  if (script.line == 0 || ptx.empty()) {
    std::fprintf(stderr, "gpu_runner: %s has no script, or no PTX beside it\n", path.c_str());
    return 2;
  }
  cudaLibrary_t library = nullptr;
  std::string fault = redflag::script::text(cudaLibraryLoadData(
      &library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  if (fault.empty()) {
    const Library names(library);
    redflag::script::Gpu gpu(names);
    fault = redflag::script::run(script, {}, gpu);
  }
  if (!fault.empty()) std::fprintf(stderr, "%s: %s\n", path.c_str(), fault.c_str());
  return fault.empty() ? 0 : 1;
}
