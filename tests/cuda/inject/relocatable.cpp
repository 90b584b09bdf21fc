// A program of relocatable device code, without nvcc: machine code that was linked, and the objects' fat
// binaries in a section of its own, as nvcc -rdc=true leaves them.
//
//   relocatable (linked|named)
//
// linked: the machine code is handed over; named: the objects are named in the wrapper, for the driver
// to link. The fake driver can do neither, as it reads no fat binaries: kernels run if we find the PTX.
#include <cstring>

#include "frontends/cuda/fatbin/testing.h"
#include "tests/cuda/inject/calls.h"

// An entry with options behind its header: PTX, not compressed.
#define OBJECT(name, file)                                                                    \
  name ":\n"                                                                                  \
       ".long 0xba55ed50\n .short 1\n .short 16\n .quad " name "_end - " name "_entry\n" name \
       "_entry:\n"                                                                            \
       ".short 1\n .short 0x101\n .long 96\n .quad " name "_end - " name                      \
       "_ptx\n"                                                                               \
       ".long 0\n .long 64\n .long 0\n .long 80\n .quad 0\n .quad 0x11\n .quad 0\n .quad 0\n" \
       ".long 72\n .long 16\n .ascii \"--compile-only\"\n .byte 0, 0\n .quad 0\n" name        \
       "_ptx:\n"                                                                              \
       ".incbin \"" file "\"\n .byte 0\n .p2align 3\n" name "_end:\n"
asm(".section __nv_relfatbin, \"a\"\n"
    ".p2align 3\n" OBJECT("object_main", LINKED_MAIN) OBJECT("object_part", LINKED_PART) ".text\n");
extern "C" const char object_main[], object_part[];

namespace {

struct Wrapper {
  unsigned magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* const* objects = nullptr;
};
const void* const kObjects[] = {object_main, object_part, nullptr};
// Of the program's file: it is found by the wrapper's address.
Wrapper wrapper;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string code =
      redflag::fatbin::testing::container({{.kind = 2, .sm = 90, .payload = "machine code"}});
  wrapper.data = code.data();
  if (std::strcmp(argv[1], "named") == 0) {
    wrapper.version = 2;
    wrapper.objects = kObjects;
  }
  start();
  CUlibrary library = nullptr;
  const CUresult loaded =
      cuLibraryLoadData(&library, &wrapper, nullptr, nullptr, 0, nullptr, nullptr, 0);
  need(loaded, "cuLibraryLoadData");
  CUmodule module = nullptr;
  NEED(cuLibraryGetModule(&module, library));
  Numbers numbers;
  numbers.run(module, "bump_all");
  numbers.are(4, "bump_all");
  numbers.run(module, "bump_one");
  std::printf("all numbers are right\n");
  return 0;
}
