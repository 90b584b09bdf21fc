// A program on CUDA 11's runtime library, without nvcc: registers two fat binaries before main, as nvcc's
// host code does, and takes them back at the end. Both have a kernel of the same name.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "frontends/cuda/fatbin/testing.h"

// NOLINTBEGIN(bugprone-reserved-identifier): the names are NVIDIA's
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, const char* name);
int cudaMalloc(void** made, std::size_t bytes);
int cudaLaunch(const void* host, unsigned blocks, unsigned threads, void** params);
int cudaDeviceSynchronize();
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

// `before`: what the second does first, so that its site has another number: the detector takes sites of
// one number for one.
std::string ptx_of(const std::string& file, int line, const std::string& before) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"" + file + R"("
.visible .entry collide(
  .param .u64 collide_p
)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [collide_p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
)" + before +
         R"(
  .loc 1 )" +
         std::to_string(line) +
         R"( 0
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
}

struct Binary {
  std::string container;
  struct {
    unsigned magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* unused = nullptr;
  } wrapper;
  char host = 0;  // stands for the kernel
  void** handle = nullptr;

  Binary(const std::string& file, int line, const std::string& before)
      : container(redflag::fatbin::testing::container(
            {{.sm = 80, .payload = ptx_of(file, line, before)}})) {
    wrapper.data = container.data();
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host, "collide");
  }
};
Binary first("first.cu", 5, "");
Binary second("second.cu", 6, "ld.global.u32 %r0, [%rd1+128];");

}  // namespace

int main() {
  for (const Binary* binary : {&first, &second}) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 256) != 0) return 1;
    void* params[] = {&memory};
    if (cudaLaunch(&binary->host, 2, 32, params) != 0) return 1;
    if (cudaDeviceSynchronize() != 0) return 1;
  }
  for (const Binary* binary : {&first, &second}) __cudaUnregisterFatBinary(binary->handle);
  std::printf("both have run\n");
  return 0;
}
