// dlsym, wrapped: whoever asks for a function of the driver that we intercept gets ours.
//
// CUDA's runtime library, static or shared, finds the driver this way, and so do most others. All
// other questions go on to glibc's dlsym by a jump, not a call: for RTLD_NEXT that one looks at who
// called it, and must not see us.
#include <dlfcn.h>

#include <optional>
#include <string_view>

#include "frontends/cuda/inject/real.h"

namespace {

using Dlsym = void* (*)(void*, const char*);

}  // namespace

extern "C" {
__attribute__((visibility("hidden"))) Dlsym redflag_next_dlsym = nullptr;
// What to answer instead; nullptr: glibc's answer is right.
__attribute__((visibility("hidden"))) void* redflag_find_hook(void* handle, const char* name);
}

namespace redflag::inject {
void* next_dlsym(void* handle, const char* name);

void* next_dlsym(void* handle, const char* name) {
  if (redflag_next_dlsym == nullptr) {
    // By version: the plain name would give ours. 2.17 is where aarch64 begins.
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
      void* const found = ::dlvsym(RTLD_NEXT, "dlsym", version);
      if (found == nullptr) continue;
      redflag_next_dlsym = reinterpret_cast<Dlsym>(found);
      break;
    }
  }
  return redflag_next_dlsym == nullptr ? nullptr : redflag_next_dlsym(handle, name);
}
}  // namespace redflag::inject

void* redflag_find_hook(void* handle, const char* name) {
  using namespace redflag::inject;
  if (redflag_next_dlsym == nullptr) (void)next_dlsym(RTLD_DEFAULT, "dlopen");
  if (name == nullptr || name[0] != 'c' || name[1] != 'u') return nullptr;
  const std::optional<Fn> fn = find_symbol(name);
  if (!fn || handle == RTLD_NEXT) return nullptr;
  // Only where the driver would have been the answer.
  void* const found = next_dlsym(handle, name);
  return found != nullptr && found == real_address(*fn) ? hook_address(*fn) : nullptr;
}

#if defined(__x86_64__)
asm(R"(
.text
.globl dlsym
.type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call redflag_find_hook
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jne 1f
  movq redflag_next_dlsym(%rip), %rax
  jmp *%rax
1:
  ret
  .cfi_endproc
.size dlsym, .-dlsym
)");
#else
extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) {
  void* const hook = redflag_find_hook(handle, name);
  return hook != nullptr ? hook : redflag_next_dlsym(handle, name);
}
#endif
