// How a library function is intercepted: one macro that defines it, one that calls the original.
//
//   REDFLAG_INTERCEPT(int, pthread_mutex_unlock, pthread_mutex_t* m) {
//     REDFLAG_CALL(pthread_mutex_unlock);
//     if (call) rt::lock_released(*call.thread, m, rt::LockMode::kExclusive);
//     return REDFLAG_REAL(pthread_mutex_unlock)(m);
//   }
//
// The function is a C++ function of our namespace whose symbol is the C name. So it may differ from
// the header's declaration (noexcept, nonnull, overloads for const), debug information still calls
// it by the name that the program knows, and its symbol is weak: a program that brings its own
// malloc or operator new links against the static library.
//
// Originals are looked up behind us (linkage/originals.h): all of them when the library is initialised, and
// one by one where a function is called earlier, which happens from other libraries' constructors
// and from the dynamic linker. Functions that can be called during the look-up itself (the malloc
// and mem families) test known() and help themselves.
//
// No frame of ours is on the stack of LibraryCalls while a callback of the program runs that may
// throw: nothing here has landing pads, so an exception would leave the stack of calls too deep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frontends/cpu/rt/runtime.h"

#define REDFLAG_LIKELY(x) __builtin_expect(!!(x), 1)
#define REDFLAG_UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace redflag::interpose {

// An original function. All of them stand in one ELF section, so that start() finds them. The size
// and alignment are equal, or the compiler may pad between the objects of different files.
struct alignas(32) Real {
  const char* name;
  const char* version;  // nullptr: the default one
  void* at;
  void* unused;

  void* known() const { return __atomic_load_n(&at, __ATOMIC_RELAXED); }
  void* get() {
    void* p = known();
    return REDFLAG_LIKELY(p != nullptr) ? p : look_up();
  }
  // nullptr if no library behind us has it.
  void* look_up();
};
static_assert(sizeof(Real) == 32, "an array across object files");

// Is this thread inside look_up()? Then malloc must not look itself up.
bool looking_up();

// Everything is looked up and the runtime's own handlers are in place.
bool started();

// Runs `start` hooks of the single files; intercept.cpp calls them from the library's constructor.
void start_linker();
void start_threads();
void start_signals();
void start_exit();
void start_futures();

// Byte loops for the time before memcpy is known. The empty asm keeps the compiler from making the
// loop a call of memcpy again.
inline void copy_bytes(void* to, const void* from, std::size_t n) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = f[i];
    __asm__ volatile("" ::: "memory");
  }
}

inline rt::SyncKey key_of(const volatile void* p) {
  return reinterpret_cast<rt::SyncKey>(p);
}

// A lock for a few instructions. Not for signal handlers: whoever uses it must not be reachable
// from functions that are safe there. fork.cpp holds all of them across fork.
class SpinLock {
 public:
  void lock();
  void unlock() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }

 private:
  int held_ = 0;
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

// Zeroed pages of our own, by system call; nullptr when there are none.
void* map_pages(std::size_t n);
void unmap_pages(void* p, std::size_t n);

}  // namespace redflag::interpose

#define REDFLAG_REAL_SLOT(name, version)                                                           \
  __attribute__((section("redflag_real"), used)) static ::redflag::interpose::Real real_##name = { \
      #name, version, nullptr, nullptr};

// Programs with a function of their own by one of these names reach ours as __interceptor_NAME, as
// they do with ThreadSanitizer.
#define REDFLAG_SECOND_NAME(name) \
  __asm__(".weak __interceptor_" #name "\n.set __interceptor_" #name ", " #name "\n")

// The name by which the linker's --wrap reaches ours before a function of the C++ library, in
// programs linked with -static: that library is linked as it is.
#define REDFLAG_WRAP_NAME(name) \
  __asm__(".globl __wrap_" #name "\n.hidden __wrap_" #name "\n.set __wrap_" #name ", " #name "\n")

// A function whose original is found some other way, or not needed.
#define REDFLAG_EXPORT(result, name, ...)                                               \
  result name(__VA_ARGS__) __asm__(#name) __attribute__((weak, visibility("default"))); \
  REDFLAG_SECOND_NAME(name);                                                            \
  result name(__VA_ARGS__)

#define REDFLAG_INTERCEPT_VERSION(version, result, name, ...)                           \
  result name(__VA_ARGS__) __asm__(#name) __attribute__((weak, visibility("default"))); \
  REDFLAG_SECOND_NAME(name);                                                            \
  REDFLAG_REAL_SLOT(name, version)                                                      \
  result name(__VA_ARGS__)

#define REDFLAG_INTERCEPT(result, name, ...) \
  REDFLAG_INTERCEPT_VERSION(nullptr, result, name, __VA_ARGS__)

#define REDFLAG_REAL(name) (reinterpret_cast<decltype(&name)>(real_##name.get()))

// Opens the call on the thread's stack; `call` is false where the runtime must stay out of the way.
#define REDFLAG_CALL(name)                                                    \
  const ::redflag::rt::LibraryCall call(reinterpret_cast<const void*>(&name), \
                                        __builtin_return_address(0))
