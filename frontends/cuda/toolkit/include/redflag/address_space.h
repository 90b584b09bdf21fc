// The memory that a generic pointer leads into, and the pointers of one kind of memory as numbers.
#pragma once

#define REDFLAG_DEVICE static inline __device__ __attribute__((const))
REDFLAG_DEVICE unsigned __isGlobal(const void* p) {
  return __nvvm_isspacep_global(p);
}
REDFLAG_DEVICE unsigned __isShared(const void* p) {
  return __nvvm_isspacep_shared(p);
}
REDFLAG_DEVICE unsigned __isConstant(const void* p) {
  return __nvvm_isspacep_const(p);
}
REDFLAG_DEVICE unsigned __isLocal(const void* p) {
  return __nvvm_isspacep_local(p);
}

#define REDFLAG_CVTA(name, space)                                        \
  REDFLAG_DEVICE size_t __cvta_generic_to_##name(const void* p) {        \
    return (size_t)(const void __attribute__((address_space(space)))*)p; \
  }                                                                      \
  REDFLAG_DEVICE void* __cvta_##name##_to_generic(size_t p) {            \
    return (void*)(void __attribute__((address_space(space)))*)p;        \
  }
REDFLAG_CVTA(global, 1)
REDFLAG_CVTA(shared, 3)
REDFLAG_CVTA(constant, 4)
REDFLAG_CVTA(local, 5)
#undef REDFLAG_CVTA
// Parameters of kernels are in constant memory. clang 19 copies a parameter when its address is
// taken, so no pointer leads to one.
REDFLAG_DEVICE unsigned __isGridConstant(const void*) {
  return 0;
}
#undef REDFLAG_DEVICE

typedef unsigned int cuuint32_t;
