// What a program may ask about a kernel, before and after it was launched.
//
//   attributes
#include "tests/cuda/inject/calls.h"

namespace {

// Every thread writes a word of static shared memory and reads that of another.
constexpr char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry words(
  .param .u64 words_p
)
{
  .shared .align 4 .b8 own[256];
  .reg .b32 %r<4>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [words_p];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, own;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  mov.u32 %r2, 7;
  st.shared.u32 [%rd4], %r2;
  bar.sync 0;
  xor.b32 %r1, %r1, 32;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd2, %rd5;
  ld.shared.u32 %r3, [%rd6];
  add.s64 %rd6, %rd1, %rd3;
  st.global.u32 [%rd6], %r3;
  ret;
}
)";

std::size_t eight_kib(int) {
  return 8 << 10;
}

void ask(CUfunction words, const char* when) {
  int fixed = 0;
  int most = 0;
  NEED(cuFuncGetAttribute(&fixed, kFunctionShared, words));
  NEED(cuFuncGetAttribute(&most, kFunctionMostDynamic, words));
  std::printf("%s: static %d, dynamic at most %d\n", when, fixed, most);
}

}  // namespace

int main() {
  start();
  CUmodule module = nullptr;
  CUfunction words = nullptr;
  NEED(cuModuleLoadData(&module, kPtx));
  NEED(cuModuleGetFunction(&words, module, "words"));
  Numbers numbers;
  void* params[] = {&numbers.at};
  ask(words, "first");
  for (const unsigned dynamic : {0U, 4U << 10, (48U << 10) - 256}) {
    NEED(cuLaunchKernel(words, 1, 1, 1, 64, 1, 1, dynamic, nullptr, params, nullptr));
    NEED(cuCtxSynchronize());
    numbers.are(7, "words");
  }
  ask(words, "launched");
  NEED(cuFuncSetAttribute(words, kFunctionMostDynamic, 50 << 10));
  NEED(cuLaunchKernel(words, 1, 1, 1, 64, 1, 1, 1 << 10, nullptr, params, nullptr));
  ask(words, "set");
  int blocks = 0;
  int grid = 0;
  int size = 0;
  NEED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, words, 64, 8 << 10));
  NEED(cuOccupancyMaxPotentialBlockSize(&grid, &size, words, &eight_kib, 0, 0));
  std::printf("%d blocks; %d of %d\n", blocks, grid, size);
  NEED(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, words, 64, 60 << 10));
  std::printf("%d block\nall numbers are right\n", blocks);
  return 0;
}
