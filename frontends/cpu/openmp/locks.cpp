// Critical sections, atomic sections and the lock functions, of both OpenMP libraries.
//
// These are interposed for libomp as well, although OMPT would tell of them: it tells of a release
// after it happened, when the next owner may have got the lock already. Here the release is recorded
// before the lock is given up.
#include "frontends/cpu/openmp/library.h"
#include "frontends/cpu/openmp/model.h"
#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {
namespace {

// The unnamed critical section and GOMP's atomic section have no object of the program.
constinit Key unnamed_critical;
constinit Key atomic_section;

}  // namespace
}  // namespace redflag::openmp

using redflag::openmp::atomic_section;
using redflag::openmp::unnamed_critical;
using redflag::rt::LibraryCall;
using redflag::rt::LockMode;
namespace rt = redflag::rt;

#define CALLED_AS(function) \
  LibraryCall call(reinterpret_cast<const void*>(&(function)), __builtin_return_address(0))

// --- omp_*_lock: one set for C, one with Fortran's names ------------------------------------------
#define LOCK_FUNCTIONS(lock, traits, suffix)                                    \
  OPENMP_EXPORT void omp_init_##lock##suffix(void* at) {                        \
    CALLED_AS(omp_init_##lock##suffix);                                         \
    OPENMP_REAL(omp_init_##lock##suffix)(at);                                   \
    if (call) rt::lock_created(*call.thread, at, traits);                       \
  }                                                                             \
  OPENMP_EXPORT void omp_init_##lock##_with_hint##suffix(void* at, int hint) {  \
    CALLED_AS(omp_init_##lock##_with_hint##suffix);                             \
    OPENMP_REAL(omp_init_##lock##_with_hint##suffix)(at, hint);                 \
    if (call) rt::lock_created(*call.thread, at, traits);                       \
  }                                                                             \
  OPENMP_EXPORT void omp_destroy_##lock##suffix(void* at) {                     \
    CALLED_AS(omp_destroy_##lock##suffix);                                      \
    if (call) rt::lock_destroyed(*call.thread, at);                             \
    OPENMP_REAL(omp_destroy_##lock##suffix)(at);                                \
  }                                                                             \
  OPENMP_EXPORT void omp_set_##lock##suffix(void* at) {                         \
    CALLED_AS(omp_set_##lock##suffix);                                          \
    OPENMP_REAL(omp_set_##lock##suffix)(at);                                    \
    if (call) rt::lock_acquired(*call.thread, at, LockMode::kExclusive);        \
  }                                                                             \
  OPENMP_EXPORT int omp_test_##lock##suffix(void* at) {                         \
    CALLED_AS(omp_test_##lock##suffix);                                         \
    const int got = OPENMP_REAL(omp_test_##lock##suffix)(at);                   \
    if (call && got) rt::lock_acquired(*call.thread, at, LockMode::kExclusive); \
    return got;                                                                 \
  }                                                                             \
  OPENMP_EXPORT void omp_unset_##lock##suffix(void* at) {                       \
    CALLED_AS(omp_unset_##lock##suffix);                                        \
    if (call) rt::lock_released(*call.thread, at, LockMode::kExclusive);        \
    OPENMP_REAL(omp_unset_##lock##suffix)(at);                                  \
  }

LOCK_FUNCTIONS(lock, rt::kLockPlain, )
LOCK_FUNCTIONS(nest_lock, rt::kLockReentrant, )
LOCK_FUNCTIONS(lock, rt::kLockPlain, _)
LOCK_FUNCTIONS(nest_lock, rt::kLockReentrant, _)

// --- Sections under a lock: parameters, arguments, and what stands for the lock -------------------
#define SECTION_FUNCTIONS(begin, end, parameters, arguments, lock)         \
  OPENMP_EXPORT void begin parameters {                                    \
    CALLED_AS(begin);                                                      \
    OPENMP_REAL(begin) arguments;                                          \
    if (call) rt::lock_acquired(*call.thread, lock, LockMode::kExclusive); \
  }                                                                        \
  OPENMP_EXPORT void end parameters {                                      \
    CALLED_AS(end);                                                        \
    if (call) rt::lock_released(*call.thread, lock, LockMode::kExclusive); \
    OPENMP_REAL(end) arguments;                                            \
  }

SECTION_FUNCTIONS(GOMP_critical_start, GOMP_critical_end, (), (), &unnamed_critical)
SECTION_FUNCTIONS(GOMP_critical_name_start, GOMP_critical_name_end, (void** name), (name), name)
SECTION_FUNCTIONS(GOMP_atomic_start, GOMP_atomic_end, (), (), &atomic_section)
SECTION_FUNCTIONS(__kmpc_critical, __kmpc_end_critical, (void* place, int thread, void* name),
                  (place, thread, name), name)
SECTION_FUNCTIONS(__kmpc_atomic_start, __kmpc_atomic_end, (), (), &atomic_section)

OPENMP_EXPORT void __kmpc_critical_with_hint(void* place, int thread, void* name,
                                             unsigned long hint) {
  CALLED_AS(__kmpc_critical_with_hint);
  OPENMP_REAL(__kmpc_critical_with_hint)(place, thread, name, hint);
  if (call) rt::lock_acquired(*call.thread, name, LockMode::kExclusive);
}
