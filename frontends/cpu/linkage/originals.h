// The functions behind ours: those of the C library, of the C++ library and of OpenMP's.
//
// Two answers to the same questions, one of which is linked:
//
//   dynamic.cpp    for libredflag.so and libredflag.a: the dynamic linker knows (RTLD_NEXT).
//   fixed.cpp      for libredflag-static.a: nothing is loaded in a program linked with -static, so
//                  the addresses come with it, in tables. `redflag cc -static` links a copy of
//                  libc.a in which every function that we take the place of is called __real_NAME,
//                  by its users inside that library too, and the copy brings the table
//                  (cli/static_library.h). So the program's calls reach us and those of the C
//                  library stay inside it, as they do when it is shared.
//
// Safe in any thread, at any time after thread-local storage is set up; dynamic.cpp may allocate.
#pragma once

#include <cstdint>

namespace redflag::linkage {

// nullptr: there is none. `version` may be nullptr: the default one.
void* find_original(const char* name, const char* version);

// A function of the program's OpenMP library; nullptr: there is none.
void* find_openmp(const char* name);

// What to do where there is no OpenMP library, in words.
extern const char* const kOpenmpRemedy;

struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  // equal: unknown
};

// The code of the OpenMP library that `address` is in, and nothing of the program's.
CodeRange openmp_code(const void* address);

}  // namespace redflag::linkage
