// What the interceptors of one kind ask of another.
#pragma once

#include <pthread.h>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::interpose {

// --- callers.cpp
// Puts the calls on the stack that led from the innermost known function to the caller of `call`,
// through code that is not instrumented. Takes a microsecond or more.
void know_callers(const rt::LibraryCall& call);

// --- thread.cpp
// pthread_create with a start routine of either kind; exactly one is set.
struct Routine {
  void* (*posix)(void*) = nullptr;
  int (*c11)(void*) = nullptr;
};
int create_thread(const rt::LibraryCall& call, pthread_t* handle, const pthread_attr_t* attributes,
                  Routine routine, void* argument);
int join_thread(const rt::LibraryCall& call, pthread_t handle, void** result);
int detach_thread(const rt::LibraryCall& call, pthread_t handle);
// Makes a system thread known that libc made by itself, until it ends. `frame`: of the function
// that is about to call the program; `stack` and `maker`: where and by which thread it was asked
// for.
void thread_found(std::uint32_t stack, std::uint32_t maker, const void* frame);
void lock_thread_table();
void unlock_thread_table();

// --- notice.cpp
void lock_notices();
void unlock_notices();

// --- signal.cpp
// How many signal handlers of the program this thread is in.
int handler_depth();
void set_handler_depth(int depth);
// Reports a call that must not be made in a handler, if this is one and it runs for a signal that
// came from outside: a handler of a fault may know what it interrupted.
void check_signal_safe(rt::Thread& t, const void* function);
void forget_pending_signals();

// --- jump.cpp
void forget_jumps();

// --- malloc.cpp
// While set, blocks that this thread frees are not announced: glibc gives back what belonged to a
// thread that has ended, from inside pthread_create and pthread_join. Returns how it was before.
bool set_quiet_frees(bool now);
// glibc's own, for what we keep ourselves in the program's heap.
void* plain_malloc(std::size_t n);
void plain_free(void* p);

// --- memory.cpp
// memcpy that counts as nothing.
void plain_copy(void* to, const void* from, std::size_t n);

}  // namespace redflag::interpose
