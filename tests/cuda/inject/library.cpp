// A library with kernels, for a program that has none: nothing in its own file tells that it uses a GPU.
#include "tests/cuda/inject/calls.h"

// One container with one entry: the PTX, not compressed.
asm(".section .nv_fatbin, \"a\"\n"
    ".p2align 3\n"
    "library_kernels:\n"
    ".long 0xba55ed50\n .short 1\n .short 16\n .quad library_end - library_entry\n"
    "library_entry:\n"
    ".short 1\n .short 0x101\n .long 64\n .quad library_end - library_ptx\n"
    ".long 0\n .long 0\n .long 0\n .long 80\n .quad 0\n .quad 0x11\n .quad 0\n .quad 0\n"
    "library_ptx:\n"
    ".incbin \"" KERNELS
    "\"\n .byte 0\n .p2align 3\n"
    "library_end:\n"
    ".text\n");
extern "C" const char library_kernels[];

extern "C" void collide_on_gpu();
extern "C" void collide_on_gpu() {
  start();
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  NEED(cuLibraryLoadData(&library, library_kernels, nullptr, nullptr, 0, nullptr, nullptr, 0));
  NEED(cuLibraryGetModule(&module, library));
  Numbers().run(module, "collide");
}
