// setjmp and longjmp: after a jump, the thread's stack of calls is as deep as it was at setjmp.
//
// setjmp must be jumped to, not called, or it would save our frame: the entries are assembly that
// notes the buffer and goes on in the original with every register as it was. The notes are a list
// per thread of (buffer, stack pointer, depth of calls, depth of signal handlers). A note whose
// stack pointer is below the present one belongs to a function that has returned; those go first,
// so the list stays as short as the program's nesting of live setjmps.
//
// makecontext and swapcontext are left alone: programs that switch stacks tell us by the fiber calls.
#include <csetjmp>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

struct Note {
  const void* buffer;
  std::uintptr_t stack;
  std::size_t calls;
  int handlers;
};

struct Notes {
  Note* at;
  std::size_t count;
  std::size_t room;
};
thread_local Notes notes;

constexpr std::size_t kFirstRoom = 4096 / sizeof(Note);

REDFLAG_REAL_SLOT(setjmp, nullptr)
REDFLAG_REAL_SLOT(_setjmp, nullptr)
REDFLAG_REAL_SLOT(__sigsetjmp, nullptr)
REDFLAG_REAL_SLOT(longjmp, nullptr)

bool grow() {
  const std::size_t room = notes.room == 0 ? kFirstRoom : 2 * notes.room;
  auto* more = static_cast<Note*>(map_pages(room * sizeof(Note)));
  if (more == nullptr) return false;
  copy_bytes(more, notes.at, notes.count * sizeof(Note));
  if (notes.at != nullptr) unmap_pages(notes.at, notes.room * sizeof(Note));
  notes.at = more;
  notes.room = room;
  return true;
}

void note(rt::Thread& t, const void* buffer, std::uintptr_t stack) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < notes.count; ++i) {
    const Note n = notes.at[i];
    if (n.buffer != buffer && n.stack >= stack) notes.at[kept++] = n;
  }
  notes.count = kept;
  if (notes.count == notes.room && !grow()) return;
  notes.at[notes.count++] = {buffer, stack, rt::call_depth(t), handler_depth()};
}

[[noreturn]] void jump(void* buffer, int value) {
  if (rt::Thread* const t = rt::self()) {
    for (std::size_t i = 0; i < notes.count; ++i) {
      if (notes.at[i].buffer != buffer) continue;
      set_handler_depth(notes.at[i].handlers);
      set_quiet_frees(false);  // perhaps out of a handler that interrupted pthread_join
      rt::unwind_to(*t, notes.at[i].calls);
      break;
    }
  }
  reinterpret_cast<void (*)(void*, int)>(real_longjmp.get())(buffer, value);
  __builtin_unreachable();
}

}  // namespace

void forget_jumps() {
  if (notes.at != nullptr) unmap_pages(notes.at, notes.room * sizeof(Note));
  notes = {};
}

#define REDFLAG_JUMP(name)                                       \
  [[noreturn]] void name(void* buffer, int value) __asm__(#name) \
      __attribute__((weak, visibility("default")));              \
  void name(void* buffer, int value) {                           \
    jump(buffer, value);                                         \
  }

// __longjmp_chk only adds a test that the jump goes up the stack; the program pays for it elsewhere.
REDFLAG_JUMP(longjmp)
REDFLAG_JUMP(_longjmp)
REDFLAG_JUMP(siglongjmp)
REDFLAG_JUMP(__longjmp_chk)

// From the assembly below: notes the buffer and says where to go on.
extern "C" __attribute__((visibility("hidden"), used)) void* redflag_note_jump(const void* buffer,
                                                                               std::uintptr_t stack,
                                                                               int which) {
  if (which < 3) {
    if (rt::Thread* const t = rt::self()) note(*t, buffer, stack);
  }
  Real* const real[] = {&real_setjmp, &real__setjmp, &real___sigsetjmp, &real___sigsetjmp};
  return real[which]->get();
}

}  // namespace redflag::interpose

// The entries: save the two arguments, align the stack, ask, restore, go on in the original.
#define REDFLAG_SETJMP(name, which, binding)      \
  __asm__(".pushsection .text\n" binding " " name \
          "\n"                                    \
          ".type " name ", @function\n" name      \
          ":\n"                                   \
          "  .cfi_startproc\n"                    \
          "  pushq %rdi\n"                        \
          "  .cfi_adjust_cfa_offset 8\n"          \
          "  pushq %rsi\n"                        \
          "  .cfi_adjust_cfa_offset 8\n"          \
          "  subq $8, %rsp\n"                     \
          "  .cfi_adjust_cfa_offset 8\n"          \
          "  leaq 32(%rsp), %rsi\n"               \
          "  movl $" which                        \
          ", %edx\n"                              \
          "  call redflag_note_jump\n"            \
          "  addq $8, %rsp\n"                     \
          "  .cfi_adjust_cfa_offset -8\n"         \
          "  popq %rsi\n"                         \
          "  .cfi_adjust_cfa_offset -8\n"         \
          "  popq %rdi\n"                         \
          "  .cfi_adjust_cfa_offset -8\n"         \
          "  jmp *%rax\n"                         \
          "  .cfi_endproc\n"                      \
          ".size " name ", .-" name               \
          "\n"                                    \
          ".popsection\n")

REDFLAG_SETJMP("setjmp", "0", ".weak");
REDFLAG_SETJMP("_setjmp", "1", ".weak");
REDFLAG_SETJMP("__sigsetjmp", "2", ".weak");
REDFLAG_SETJMP("redflag_plain_sigsetjmp", "3", ".hidden redflag_plain_sigsetjmp\n.globl");
