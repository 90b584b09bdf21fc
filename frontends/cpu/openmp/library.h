// The OpenMP library of the program: finding its functions behind ours, and knowing its code.
//
// Our functions have the library's names, so the real ones are looked up by name, on first use: a
// program without OpenMP never asks, and needs no OpenMP library.
#pragma once

#include <atomic>

// Functions that take the place of the OpenMP library's.
#define OPENMP_EXPORT extern "C" __attribute__((visibility("default"), used))

// The library's function of this name: OPENMP_REAL(GOMP_barrier)().
#define OPENMP_REAL(function)                                                   \
  ([]() -> decltype(&(function)) {                                              \
    static constinit ::redflag::openmp::Real library_function{#function};       \
    return reinterpret_cast<decltype(&(function))>(library_function.address()); \
  }())

namespace redflag::openmp {

struct Real {
  const char* name;
  std::atomic<void*> found{nullptr};

  void* address() {
    void* known = found.load(std::memory_order_relaxed);
    return known ? known : find();
  }
  void* find();  // ends the process, with an explanation, if there is none
};

// Remembers the library whose code contains `address` as an OpenMP library: interceptors stay out of
// the way when it calls (rt/runtime.h, leave_alone), or its pool of workers would look like
// synchronisation.
void learn_library(const void* address);

// Does a library tell its events itself (OMPT)? Then only its locks are interposed.
bool ompt_in_use();

}  // namespace redflag::openmp
