// Loads and stores with cache hints: __ldcg, __stwt and the like, and __ldg of
// the types that clang's headers leave out.
//
// Their effect on memory is that of plain loads and stores.
#pragma once

#define REDFLAG_DEVICE static inline __device__

// One type: its kind in PTX, the letter of its registers for asm, the type that such a register
// holds.
#define REDFLAG_ACCESS1(load, store, ld, st, T, kind, letter, R)            \
  REDFLAG_DEVICE T load(const T* p) {                                       \
    R v;                                                                    \
    asm volatile(ld kind " %0, [%1];" : "=" letter(v) : "l"(p) : "memory"); \
    return (T)v;                                                            \
  }                                                                         \
  REDFLAG_DEVICE void store(T* p, T v) {                                    \
    asm volatile(st kind " [%0], %1;" ::"l"(p), letter((R)v) : "memory");   \
  }
#define REDFLAG_ACCESS2(load, store, ld, st, T, kind, letter, R)                           \
  REDFLAG_DEVICE T load(const T* p) {                                                      \
    R x, y;                                                                                \
    asm volatile(ld "v2." kind " {%0, %1}, [%2];"                                          \
                 : "=" letter(x), "=" letter(y)                                            \
                 : "l"(p)                                                                  \
                 : "memory");                                                              \
    T v;                                                                                   \
    v.x = x, v.y = y;                                                                      \
    return v;                                                                              \
  }                                                                                        \
  REDFLAG_DEVICE void store(T* p, T v) {                                                   \
    asm volatile(st "v2." kind " [%0], {%1, %2};" ::"l"(p), letter((R)v.x), letter((R)v.y) \
                 : "memory");                                                              \
  }
#define REDFLAG_ACCESS4(load, store, ld, st, T, kind, letter, R)                    \
  REDFLAG_DEVICE T load(const T* p) {                                               \
    R x, y, z, w;                                                                   \
    asm volatile(ld "v4." kind " {%0, %1, %2, %3}, [%4];"                           \
                 : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)       \
                 : "l"(p)                                                           \
                 : "memory");                                                       \
    T v;                                                                            \
    v.x = x, v.y = y, v.z = z, v.w = w;                                             \
    return v;                                                                       \
  }                                                                                 \
  REDFLAG_DEVICE void store(T* p, T v) {                                            \
    asm volatile(st "v4." kind " [%0], {%1, %2, %3, %4};" ::"l"(p), letter((R)v.x), \
                 letter((R)v.y), letter((R)v.z), letter((R)v.w)                     \
                 : "memory");                                                       \
  }
#define REDFLAG_ACCESS(load, store, ld, st)                                                \
  REDFLAG_ACCESS1(load, store, ld, st, char, "s8", "h", short)                             \
  REDFLAG_ACCESS1(load, store, ld, st, signed char, "s8", "h", short)                      \
  REDFLAG_ACCESS1(load, store, ld, st, unsigned char, "u8", "h", unsigned short)           \
  REDFLAG_ACCESS1(load, store, ld, st, short, "s16", "h", short)                           \
  REDFLAG_ACCESS1(load, store, ld, st, unsigned short, "u16", "h", unsigned short)         \
  REDFLAG_ACCESS1(load, store, ld, st, int, "s32", "r", int)                               \
  REDFLAG_ACCESS1(load, store, ld, st, unsigned int, "u32", "r", unsigned int)             \
  REDFLAG_ACCESS1(load, store, ld, st, long, "s64", "l", long)                             \
  REDFLAG_ACCESS1(load, store, ld, st, unsigned long, "u64", "l", unsigned long)           \
  REDFLAG_ACCESS1(load, store, ld, st, long long, "s64", "l", long long)                   \
  REDFLAG_ACCESS1(load, store, ld, st, unsigned long long, "u64", "l", unsigned long long) \
  REDFLAG_ACCESS1(load, store, ld, st, float, "f32", "f", float)                           \
  REDFLAG_ACCESS1(load, store, ld, st, double, "f64", "d", double)                         \
  REDFLAG_ACCESS2(load, store, ld, st, char2, "s8", "h", short)                            \
  REDFLAG_ACCESS4(load, store, ld, st, char4, "s8", "h", short)                            \
  REDFLAG_ACCESS2(load, store, ld, st, uchar2, "u8", "h", unsigned short)                  \
  REDFLAG_ACCESS4(load, store, ld, st, uchar4, "u8", "h", unsigned short)                  \
  REDFLAG_ACCESS2(load, store, ld, st, short2, "s16", "h", short)                          \
  REDFLAG_ACCESS4(load, store, ld, st, short4, "s16", "h", short)                          \
  REDFLAG_ACCESS2(load, store, ld, st, ushort2, "u16", "h", unsigned short)                \
  REDFLAG_ACCESS4(load, store, ld, st, ushort4, "u16", "h", unsigned short)                \
  REDFLAG_ACCESS2(load, store, ld, st, int2, "s32", "r", int)                              \
  REDFLAG_ACCESS4(load, store, ld, st, int4, "s32", "r", int)                              \
  REDFLAG_ACCESS2(load, store, ld, st, uint2, "u32", "r", unsigned int)                    \
  REDFLAG_ACCESS4(load, store, ld, st, uint4, "u32", "r", unsigned int)                    \
  REDFLAG_ACCESS2(load, store, ld, st, float2, "f32", "f", float)                          \
  REDFLAG_ACCESS4(load, store, ld, st, float4, "f32", "f", float)                          \
  REDFLAG_ACCESS2(load, store, ld, st, longlong2, "s64", "l", long long)                   \
  REDFLAG_ACCESS2(load, store, ld, st, ulonglong2, "u64", "l", unsigned long long)         \
  REDFLAG_ACCESS2(load, store, ld, st, double2, "f64", "d", double)

REDFLAG_ACCESS(__ldcg, __stcg, "ld.cg.", "st.cg.")
REDFLAG_ACCESS(__ldcs, __stcs, "ld.cs.", "st.cs.")
REDFLAG_ACCESS(__ldca, __stwb, "ld.ca.", "st.wb.")
REDFLAG_ACCESS(__ldcv, __stwt, "ld.cv.", "st.wt.")
REDFLAG_ACCESS(__ldlu, __st_default, "ld.lu.", "st.")
#undef REDFLAG_ACCESS
#undef REDFLAG_ACCESS1
#undef REDFLAG_ACCESS2
#undef REDFLAG_ACCESS4
#undef REDFLAG_DEVICE
