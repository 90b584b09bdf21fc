// Copies of libc.a and libgomp.a in which our interceptors can stand before the originals.
//
// Between a shared library and the program stands the dynamic linker, and that is where we step in.
// In a program linked with -static nobody stands there: a function of libc.a is called by the program
// and by the rest of libc.a under the same name. So the link uses a copy of the library in which every
// function that libredflag takes the place of is called __real_NAME, by its callers inside the
// library too. The program's calls find NAME in libredflag; the library's own calls stay in it, as in
// the shared one. The malloc family is called by the C library itself as by everybody else, there as
// here: only its definitions are renamed. A member with a table of all the originals is added, for
// which libredflag asks (frontends/cpu/linkage).
//
// Which names: those of libredflag.syms, the list of what libredflag.so exports, that the library
// defines. There is no second list.
//
// A copy is made where the link happens, because it must be of that machine's own library, and kept
// in REDFLAG_CACHE_DIR, else in redflag/ of XDG_CACHE_HOME, ~/.cache or the folder for temporary
// files. It is named after all that went into it, and put in place whole: two links may make it at
// once. Making one takes objcopy and ar, which belong to the linker, and a few seconds, once.
#pragma once

#include <string>
#include <vector>

#include "cli/runtime_files.h"
#include "cli/toolchain.h"
#include "core/base/error.h"

namespace redflag::cli {

// The folders of the copies, for the linker's -L. `openmp`: of libgomp.a too.
Result<std::vector<std::string>> prepare_static_libraries(const Compiler& compiler,
                                                          const RuntimeFiles& files, bool openmp);

}  // namespace redflag::cli
