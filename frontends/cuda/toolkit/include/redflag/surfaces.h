// Surfaces, by their objects: surf1Dread(), surf2Dwrite() and so on, by bytes in x.
//
// Elements of 1, 2, 4, 8 and 16 bytes. Faces of cubes are layers.
#pragma once
#include <driver_types.h>

namespace redflag_surfaces {
#define REDFLAG_DEVICE static inline __device__ __attribute__((nodebug, always_inline, unused))
#define REDFLAG_UNPACK(...) __VA_ARGS__
template <int size>
struct Word;
#define REDFLAG_WORD(size, T) \
  template <>                 \
  struct Word<size> {         \
    typedef T type;           \
  };
REDFLAG_WORD(1, unsigned char)
REDFLAG_WORD(2, unsigned short)
REDFLAG_WORD(4, unsigned)
REDFLAG_WORD(8, unsigned long long)
REDFLAG_WORD(16, ulonglong2)
#undef REDFLAG_WORD

// One size of element and one treatment of places outside. Registers of 16 bits hold the elements
// of one byte.
#define REDFLAG_ACCESS1(W, R, kind, letter, clamp, name, geometry, parameters, one, two, ...) \
  REDFLAG_DEVICE void load_##name##_##clamp(W* to, cudaSurfaceObject_t object,                \
                                            REDFLAG_UNPACK parameters) {                      \
    R r;                                                                                      \
    asm volatile("suld.b." geometry "." kind "." #clamp " %0, [%1, " one "];"                 \
                 : "=" letter(r)                                                              \
                 : "l"(object), __VA_ARGS__                                                   \
                 : "memory");                                                                 \
    *to = (W)r;                                                                               \
  }                                                                                           \
  REDFLAG_DEVICE void store_##name##_##clamp(W w, cudaSurfaceObject_t object,                 \
                                             REDFLAG_UNPACK parameters) {                     \
    asm volatile("sust.b." geometry "." kind "." #clamp " [%1, " one "], %0;" ::letter((R)w), \
                 "l"(object), __VA_ARGS__                                                     \
                 : "memory");                                                                 \
  }
#define REDFLAG_ACCESS2(clamp, name, geometry, parameters, one, two, ...)                     \
  REDFLAG_DEVICE void load_##name##_##clamp(ulonglong2* to, cudaSurfaceObject_t object,       \
                                            REDFLAG_UNPACK parameters) {                      \
    asm volatile("suld.b." geometry ".v2.b64." #clamp " {%0, %1}, [%2, " two "];"             \
                 : "=l"(to->x), "=l"(to->y)                                                   \
                 : "l"(object), __VA_ARGS__                                                   \
                 : "memory");                                                                 \
  }                                                                                           \
  REDFLAG_DEVICE void store_##name##_##clamp(ulonglong2 w, cudaSurfaceObject_t object,        \
                                             REDFLAG_UNPACK parameters) {                     \
    asm volatile("sust.b." geometry ".v2.b64." #clamp " [%2, " two "], {%0, %1};" ::"l"(w.x), \
                 "l"(w.y), "l"(object), __VA_ARGS__                                           \
                 : "memory");                                                                 \
  }
#define REDFLAG_ACCESSES(clamp, ...)                                                      \
  REDFLAG_ACCESS1(unsigned char, unsigned short, "b8", "h", clamp, __VA_ARGS__)           \
  REDFLAG_ACCESS1(unsigned short, unsigned short, "b16", "h", clamp, __VA_ARGS__)         \
  REDFLAG_ACCESS1(unsigned, unsigned, "b32", "r", clamp, __VA_ARGS__)                     \
  REDFLAG_ACCESS1(unsigned long long, unsigned long long, "b64", "l", clamp, __VA_ARGS__) \
  REDFLAG_ACCESS2(clamp, __VA_ARGS__)
#define REDFLAG_GEOMETRY(...)          \
  REDFLAG_ACCESSES(trap, __VA_ARGS__)  \
  REDFLAG_ACCESSES(clamp, __VA_ARGS__) \
  REDFLAG_ACCESSES(zero, __VA_ARGS__)
// Name, geometry, parameters, and the coordinates when they begin at operand 2, 3.
REDFLAG_GEOMETRY(1D, "1d", (int x), "{%2}", "{%3}", "r"(x))
REDFLAG_GEOMETRY(2D, "2d", (int x, int y), "{%2, %3}", "{%3, %4}", "r"(x), "r"(y))
REDFLAG_GEOMETRY(3D, "3d", (int x, int y, int z), "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "r"(x),
                 "r"(y), "r"(z))
REDFLAG_GEOMETRY(1DLayered, "a1d", (int x, int layer), "{%3, %2}", "{%4, %3}", "r"(x), "r"(layer))
REDFLAG_GEOMETRY(2DLayered, "a2d", (int x, int y, int layer), "{%4, %2, %3, %3}",
                 "{%5, %3, %4, %4}", "r"(x), "r"(y), "r"(layer))
#undef REDFLAG_GEOMETRY
#undef REDFLAG_ACCESSES
#undef REDFLAG_ACCESS1
#undef REDFLAG_ACCESS2
}  // namespace redflag_surfaces

#define REDFLAG_SURFACE(name, of, parameters, arguments)                                       \
  template <typename T>                                                                        \
  REDFLAG_DEVICE T surf##name##read(cudaSurfaceObject_t object, REDFLAG_UNPACK parameters,     \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    typename redflag_surfaces::Word<sizeof(T)>::type w;                                        \
    if (mode == cudaBoundaryModeTrap)                                                          \
      redflag_surfaces::load_##of##_trap(&w, object, REDFLAG_UNPACK arguments);                \
    else if (mode == cudaBoundaryModeClamp)                                                    \
      redflag_surfaces::load_##of##_clamp(&w, object, REDFLAG_UNPACK arguments);               \
    else                                                                                       \
      redflag_surfaces::load_##of##_zero(&w, object, REDFLAG_UNPACK arguments);                \
    T value;                                                                                   \
    __builtin_memcpy(&value, &w, sizeof value);                                                \
    return value;                                                                              \
  }                                                                                            \
  template <typename T>                                                                        \
  REDFLAG_DEVICE void surf##name##read(T* to, cudaSurfaceObject_t object,                      \
                                       REDFLAG_UNPACK parameters,                              \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    *to = surf##name##read<T>(object, REDFLAG_UNPACK arguments, mode);                         \
  }                                                                                            \
  template <typename T>                                                                        \
  REDFLAG_DEVICE void surf##name##write(T value, cudaSurfaceObject_t object,                   \
                                        REDFLAG_UNPACK parameters,                             \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    typename redflag_surfaces::Word<sizeof(T)>::type w;                                        \
    __builtin_memcpy(&w, &value, sizeof value);                                                \
    if (mode == cudaBoundaryModeTrap)                                                          \
      redflag_surfaces::store_##of##_trap(w, object, REDFLAG_UNPACK arguments);                \
    else if (mode == cudaBoundaryModeClamp)                                                    \
      redflag_surfaces::store_##of##_clamp(w, object, REDFLAG_UNPACK arguments);               \
    else                                                                                       \
      redflag_surfaces::store_##of##_zero(w, object, REDFLAG_UNPACK arguments);                \
  }
REDFLAG_SURFACE(1D, 1D, (int x), (x))
REDFLAG_SURFACE(2D, 2D, (int x, int y), (x, y))
REDFLAG_SURFACE(3D, 3D, (int x, int y, int z), (x, y, z))
REDFLAG_SURFACE(1DLayered, 1DLayered, (int x, int layer), (x, layer))
REDFLAG_SURFACE(2DLayered, 2DLayered, (int x, int y, int layer), (x, y, layer))
REDFLAG_SURFACE(Cubemap, 2DLayered, (int x, int y, int face), (x, y, face))
REDFLAG_SURFACE(CubemapLayered, 2DLayered, (int x, int y, int face), (x, y, face))
#undef REDFLAG_SURFACE
#undef REDFLAG_UNPACK
#undef REDFLAG_DEVICE
