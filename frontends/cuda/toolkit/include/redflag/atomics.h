// The atomic functions of CUDA: relaxed, and each in three scopes. Plain names reach the device's
// threads, _block those of the block, _system those of the host too.
//
// Limits: __half and __nv_bfloat16 are in cuda_fp16.h and cuda_bf16.h.
#pragma once

#define REDFLAG_DEVICE static inline __device__

// One function in its three scopes: name, type of values, clang's builtin without scope, type of
// its operands.
#define REDFLAG_ATOMIC(name, T, op, suffix, U)                  \
  REDFLAG_DEVICE T name(T* p, T v) {                            \
    return (T)__nvvm_atom_##op##_gen_##suffix((U*)p, (U)v);     \
  }                                                             \
  REDFLAG_DEVICE T name##_block(T* p, T v) {                    \
    return (T)__nvvm_atom_cta_##op##_gen_##suffix((U*)p, (U)v); \
  }                                                             \
  REDFLAG_DEVICE T name##_system(T* p, T v) {                   \
    return (T)__nvvm_atom_sys_##op##_gen_##suffix((U*)p, (U)v); \
  }
#define REDFLAG_ATOMIC_BITS(name, op)                \
  REDFLAG_ATOMIC(name, int, op, i, int)              \
  REDFLAG_ATOMIC(name, unsigned int, op, i, int)     \
  REDFLAG_ATOMIC(name, long long, op, ll, long long) \
  REDFLAG_ATOMIC(name, unsigned long long, op, ll, long long)
// clang 19 compares unsigned numbers as signed ones where there is a scope: these say it in PTX.
#define REDFLAG_ATOMIC_UNSIGNED(name, scope, T, ptx, letter)                                    \
  REDFLAG_DEVICE T name##scope(T* p, T v) {                                                     \
    T old;                                                                                      \
    asm volatile("atom" ptx " %0, [%1], %2;" : "=" letter(old) : "l"(p), letter(v) : "memory"); \
    return old;                                                                                 \
  }
#define REDFLAG_ATOMIC_ORDER(name, op)                                               \
  REDFLAG_ATOMIC(name, int, op, i, int)                                              \
  REDFLAG_ATOMIC(name, long long, op, ll, long long)                                 \
  REDFLAG_ATOMIC_UNSIGNED(name, , unsigned int, "." #op ".u32", "r")                 \
  REDFLAG_ATOMIC_UNSIGNED(name, _block, unsigned int, ".cta." #op ".u32", "r")       \
  REDFLAG_ATOMIC_UNSIGNED(name, _system, unsigned int, ".sys." #op ".u32", "r")      \
  REDFLAG_ATOMIC_UNSIGNED(name, , unsigned long long, "." #op ".u64", "l")           \
  REDFLAG_ATOMIC_UNSIGNED(name, _block, unsigned long long, ".cta." #op ".u64", "l") \
  REDFLAG_ATOMIC_UNSIGNED(name, _system, unsigned long long, ".sys." #op ".u64", "l")

REDFLAG_ATOMIC(atomicAdd, int, add, i, int)
REDFLAG_ATOMIC(atomicAdd, unsigned int, add, i, int)
REDFLAG_ATOMIC(atomicAdd, unsigned long long, add, ll, long long)
REDFLAG_ATOMIC(atomicAdd, float, add, f, float)
REDFLAG_ATOMIC(atomicAdd, double, add, d, double)
REDFLAG_ATOMIC_BITS(atomicAnd, and)
REDFLAG_ATOMIC_BITS(atomicOr, or)
REDFLAG_ATOMIC_BITS(atomicXor, xor)
REDFLAG_ATOMIC_BITS(atomicExch, xchg)
REDFLAG_ATOMIC_ORDER(atomicMin, min)
REDFLAG_ATOMIC_ORDER(atomicMax, max)
REDFLAG_ATOMIC(atomicInc, unsigned int, inc, ui, unsigned int)
REDFLAG_ATOMIC(atomicDec, unsigned int, dec, ui, unsigned int)
#undef REDFLAG_ATOMIC_BITS
#undef REDFLAG_ATOMIC_ORDER
#undef REDFLAG_ATOMIC_UNSIGNED
#undef REDFLAG_ATOMIC

#define REDFLAG_ATOMIC(scope, infix)                                                              \
  REDFLAG_DEVICE int atomicSub##scope(int* p, int v) {                                            \
    return __nvvm_atom_##infix##add_gen_i(p, -v);                                                 \
  }                                                                                               \
  REDFLAG_DEVICE unsigned int atomicSub##scope(unsigned int* p, unsigned int v) {                 \
    return (unsigned int)__nvvm_atom_##infix##add_gen_i((int*)p, (int)(0u - v));                  \
  }                                                                                               \
  REDFLAG_DEVICE float atomicExch##scope(float* p, float v) {                                     \
    return __int_as_float(__nvvm_atom_##infix##xchg_gen_i((int*)p, __float_as_int(v)));           \
  }                                                                                               \
  REDFLAG_DEVICE double atomicExch##scope(double* p, double v) {                                  \
    return __longlong_as_double(                                                                  \
        __nvvm_atom_##infix##xchg_gen_ll((long long*)p, __double_as_longlong(v)));                \
  }                                                                                               \
  REDFLAG_DEVICE int atomicCAS##scope(int* p, int compare, int v) {                               \
    return __nvvm_atom_##infix##cas_gen_i(p, compare, v);                                         \
  }                                                                                               \
  REDFLAG_DEVICE unsigned int atomicCAS##scope(unsigned int* p, unsigned int compare,             \
                                               unsigned int v) {                                  \
    return (unsigned int)__nvvm_atom_##infix##cas_gen_i((int*)p, (int)compare, (int)v);           \
  }                                                                                               \
  REDFLAG_DEVICE unsigned long long atomicCAS##scope(                                             \
      unsigned long long* p, unsigned long long compare, unsigned long long v) {                  \
    return (unsigned long long)__nvvm_atom_##infix##cas_gen_ll((long long*)p, (long long)compare, \
                                                               (long long)v);                     \
  }
REDFLAG_ATOMIC(, )
REDFLAG_ATOMIC(_block, cta_)
REDFLAG_ATOMIC(_system, sys_)
#undef REDFLAG_ATOMIC

#define REDFLAG_ATOMIC(scope, modifier)                                                     \
  REDFLAG_DEVICE unsigned short atomicCAS##scope(unsigned short* p, unsigned short compare, \
                                                 unsigned short v) {                        \
    unsigned short old;                                                                     \
    asm volatile("atom" modifier ".cas.b16 %0, [%1], %2, %3;"                               \
                 : "=h"(old)                                                                \
                 : "l"(p), "h"(compare), "h"(v)                                             \
                 : "memory");                                                               \
    return old;                                                                             \
  }
REDFLAG_ATOMIC(, "")
REDFLAG_ATOMIC(_block, ".cta")
REDFLAG_ATOMIC(_system, ".sys")
#undef REDFLAG_ATOMIC
#undef REDFLAG_DEVICE
