// Originals of a program linked with -static: the tables that the linker filled.
//
// libc.a's copy defines redflag_libc_originals; the reference to it is strong, so that a program
// linked with libc.a itself does not link, where it would run unchecked. The C++ library is linked as
// it is: its two functions that we stand before are reached through the linker's --wrap, and are
// absent from C programs. Operators new may be the program's own; what ours must do when there is no
// memory left is the library's part, done here, because the linker leaves its operators out.
#include <cstddef>

#include "frontends/cpu/linkage/originals.h"
#include "frontends/cpu/rt/runtime.h"

namespace {

// In the order of the names; the last one's name is nullptr.
struct Original {
  const char* name;
  void* at;
};

using Handler = void (*)();

}  // namespace

extern "C" {
extern const Original redflag_libc_originals[] __attribute__((visibility("hidden")));
extern const Original redflag_openmp_originals[] __attribute__((weak, visibility("hidden")));
extern const char redflag_openmp_begin[] __attribute__((weak, visibility("hidden")));
extern const char redflag_openmp_end[] __attribute__((weak, visibility("hidden")));

__attribute__((weak)) void real_end_catch() __asm__("__real___cxa_end_catch");
__attribute__((weak)) void real_release(void*) __asm__(
    "__real__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
// std::get_new_handler() and std::__throw_bad_alloc(); the linker is asked for them by -u.
__attribute__((weak)) Handler get_new_handler() __asm__("_ZSt15get_new_handlerv");
__attribute__((weak)) void throw_bad_alloc() __asm__("_ZSt17__throw_bad_allocv");

// Of libgcc_eh, which C++ programs contain.
__attribute__((weak)) void unwind_backtrace() __asm__("_Unwind_Backtrace");
__attribute__((weak)) void unwind_get_ip() __asm__("_Unwind_GetIP");

void* redflag_malloc(std::size_t n) __asm__("malloc");
void* redflag_aligned_alloc(std::size_t alignment, std::size_t n) __asm__("aligned_alloc");
}

namespace redflag::linkage {
namespace {

int compare(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

void* in_table(const Original* table, const char* name) {
  if (table == nullptr) return nullptr;
  for (; table->name != nullptr; ++table) {
    const int order = compare(name, table->name);
    if (order <= 0) return order == 0 ? table->at : nullptr;
  }
  return nullptr;
}

// As the C++ standard has it: the new handler makes room, throws or ends the program; without one
// there is std::bad_alloc.
void ask_for_room() {
  const Handler handler = get_new_handler != nullptr ? get_new_handler() : nullptr;
  if (handler != nullptr) return handler();
  if (throw_bad_alloc != nullptr) throw_bad_alloc();
  rt::say("operator new has no memory left, and this program no C++ library to throw bad_alloc");
  __builtin_trap();
}

void* plain_new(std::size_t n) {
  for (;;) {
    ask_for_room();
    if (void* const p = redflag_malloc(n)) return p;
  }
}

void* plain_new_aligned(std::size_t n, std::size_t alignment) {
  for (;;) {
    ask_for_room();
    if (void* const p = redflag_aligned_alloc(alignment, n)) return p;
  }
}

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

void* of_cxx(const char* name) {
  if (compare(name, "_Unwind_Backtrace") == 0) return address(unwind_backtrace);
  if (compare(name, "_Unwind_GetIP") == 0) return address(unwind_get_ip);
  if (compare(name, "_Znwm") == 0) return address(&plain_new);
  if (compare(name, "_ZnwmSt11align_val_t") == 0) return address(&plain_new_aligned);
  if (compare(name, "__cxa_end_catch") == 0) return address(&real_end_catch);
  if (compare(name, "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv") == 0) {
    return address(&real_release);
  }
  return nullptr;
}

}  // namespace

const char* const kOpenmpRemedy =
    "OpenMP in a -static program: link it with 'redflag cc' or 'redflag c++', with gcc and "
    "-fopenmp; "
    "or link without -static";

void* find_original(const char* name, const char*) {
  void* const at = in_table(redflag_libc_originals, name);
  return at != nullptr ? at : of_cxx(name);
}

void* find_openmp(const char* name) {
  return in_table(redflag_openmp_originals, name);
}

CodeRange openmp_code(const void*) {
  return {reinterpret_cast<std::uintptr_t>(redflag_openmp_begin),
          reinterpret_cast<std::uintptr_t>(redflag_openmp_end)};
}

}  // namespace redflag::linkage
