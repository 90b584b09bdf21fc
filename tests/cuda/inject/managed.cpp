// Managed memory of a kernel that nobody has waited for: the host reads what the kernel writes, writes that or what it
// only reads, or touches other memory that lies beside it, itself or by a call of the operating system.
//
//   managed wait|read|write|input|beside|often
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "tests/cuda/inject/calls.h"

extern "C" {
CUresult cuMemAllocManaged(CUdeviceptr*, std::size_t, unsigned);
// What -D_FORTIFY_SOURCE makes of read. NOLINTNEXTLINE(bugprone-reserved-identifier)
ssize_t __read_chk(int, void*, std::size_t, std::size_t);
}

namespace {

constexpr const char* kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.file 1 "managed.cu"
.visible .entry change(
  .param .u64 change_p
)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [change_p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  .loc 1 7 0
  ld.global.u32 %r2, [%rd3];
  add.s32 %r2, %r2, 1;
  .loc 1 8 0
  st.global.u32 [%rd3], %r2;
  ret;
}
.visible .entry look(
  .param .u64 look_p,
  .param .u64 look_to
)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [look_p];
  ld.param.u64 %rd4, [look_to];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd4, %rd4;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.s64 %rd5, %rd4, %rd2;
  .loc 1 12 0
  ld.global.u32 %r2, [%rd3];
  st.global.u32 [%rd5], %r2;
  ret;
}
)";

volatile int* managed() {
  CUdeviceptr made = 0;
  NEED(cuMemAllocManaged(&made, 128, 1));
  return reinterpret_cast<volatile int*>(made);
}

}  // namespace

int main(int, char** argv) {
  const std::string_view how = argv[1];
  start();
  CUmodule module = nullptr;
  CUfunction change = nullptr;
  CUfunction look = nullptr;
  NEED(cuModuleLoadData(&module, kPtx));
  NEED(cuModuleGetFunction(&change, module, "change"));
  NEED(cuModuleGetFunction(&look, module, "look"));
  volatile int* const numbers = managed();
  volatile int* const beside = managed();
  for (int i = 0; i < 32; ++i) {
    numbers[i] = i;
    beside[i] = i;
  }
  CUdeviceptr out = 0;
  NEED(cuMemAlloc_v2(&out, 128));
  auto given = reinterpret_cast<CUdeviceptr>(numbers);
  void* params[] = {&given, &out};
  CUfunction const kernel = how == "input" ? look : change;
  for (int i = 0; i < (how == "often" ? 5 : 1); ++i) {
    if (i != 0) NEED(cuCtxSynchronize());
    NEED(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
  }
  if (how == "wait") NEED(cuCtxSynchronize());
  if (how == "wait" || how == "read") std::printf("%d\n", numbers[3]);
  if (how == "write" || how == "input") numbers[4] = 7;
  if (how == "beside") {
    beside[5] = 8;
    const int zeros = ::open("/dev/zero", O_RDONLY);
    const ssize_t got = ::read(zeros, const_cast<int*>(beside), 8);
    const ssize_t checked = __read_chk(zeros, const_cast<int*>(beside), 8, 128);
    std::printf("%zd bytes, %zd bytes, then %d\n", got, checked, beside[5]);
  }
  NEED(cuCtxSynchronize());
  std::printf("%d\n", numbers[31]);
  return 0;
}
