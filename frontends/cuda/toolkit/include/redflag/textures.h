// Textures and surfaces, by their objects: tex1D() to texCubemapLayeredLod(), surf1Dread() to
// surfCubemapLayeredwrite().
//
// A texture fetch returns four numbers; the requested type takes as many as it has. The object
// defines the texels and the treatment of coordinates outside. Surfaces are read and
// written by bytes in x. Texture references, which CUDA 12 removed, and sparse textures are
// missing.
#pragma once
#include <driver_types.h>

namespace redflag_textures {
#define REDFLAG_DEVICE static inline __device__ __attribute__((nodebug, always_inline, unused))

// The kind of numbers that a texture gives for elements of a type.
template <typename T>
struct Number;
#define REDFLAG_NUMBER(T, R) \
  template <>                \
  struct Number<T> {         \
    typedef R type;          \
  };
REDFLAG_NUMBER(char, int)
REDFLAG_NUMBER(signed char, int)
REDFLAG_NUMBER(short, int)
REDFLAG_NUMBER(int, int)
REDFLAG_NUMBER(long, int)
REDFLAG_NUMBER(unsigned char, unsigned)
REDFLAG_NUMBER(unsigned short, unsigned)
REDFLAG_NUMBER(unsigned int, unsigned)
REDFLAG_NUMBER(unsigned long, unsigned)
REDFLAG_NUMBER(float, float)
#undef REDFLAG_NUMBER

// Elements of type E, `count` of them; scalars are converted, vectors built.
template <typename T>
struct Texel {
  typedef typename Number<T>::type R;
  REDFLAG_DEVICE T of(const R (&r)[4]) { return (T)r[0]; }
};
#define REDFLAG_VECTOR(T, E, ...)          \
  template <>                              \
  struct Texel<T> {                        \
    typedef Number<E>::type R;             \
    REDFLAG_DEVICE T of(const R (&r)[4]) { \
      return T{__VA_ARGS__};               \
    }                                      \
  };
#define REDFLAG_VECTORS(name, E)               \
  REDFLAG_VECTOR(name##1, E, (E)r[0])          \
  REDFLAG_VECTOR(name##2, E, (E)r[0], (E)r[1]) \
  REDFLAG_VECTOR(name##4, E, (E)r[0], (E)r[1], (E)r[2], (E)r[3])
REDFLAG_VECTORS(char, signed char)
REDFLAG_VECTORS(uchar, unsigned char)
REDFLAG_VECTORS(short, short)
REDFLAG_VECTORS(ushort, unsigned short)
REDFLAG_VECTORS(int, int)
REDFLAG_VECTORS(uint, unsigned int)
REDFLAG_VECTORS(float, float)
#undef REDFLAG_VECTOR
#undef REDFLAG_VECTORS

// One instruction for each kind of number: name, modifier, geometry, parameters, coordinates from
// operand 5 on up to where the closing bracket is to be, what follows it, operands.
#define REDFLAG_FETCH1(R, kind, letter, name, op, geometry, coordinate, parameters, coordinates, \
                       after, ...)                                                               \
  REDFLAG_DEVICE void fetch##name(R(&r)[4], cudaTextureObject_t object,                          \
                                  REDFLAG_UNPACK parameters) {                                   \
    asm volatile("tex" op "." geometry ".v4." kind "." coordinate                                \
                 " {%0, %1, %2, %3}, [%4, " coordinates "]" after ";"                            \
                 : "=" letter(r[0]), "=" letter(r[1]), "=" letter(r[2]), "=" letter(r[3])        \
                 : "l"(object), __VA_ARGS__);                                                    \
  }
#define REDFLAG_UNPACK(...) __VA_ARGS__
#define REDFLAG_FETCH(...)                       \
  REDFLAG_FETCH1(float, "f32", "f", __VA_ARGS__) \
  REDFLAG_FETCH1(int, "s32", "r", __VA_ARGS__)   \
  REDFLAG_FETCH1(unsigned, "u32", "r", __VA_ARGS__)
REDFLAG_FETCH(1Dfetch, "", "1d", "s32", (int x), "{%5}", "", "r"(x))
REDFLAG_FETCH(1D, "", "1d", "f32", (float x), "{%5}", "", "f"(x))
REDFLAG_FETCH(1DLod, ".level", "1d", "f32", (float x, float level), "{%5}", ", %6", "f"(x),
              "f"(level))
REDFLAG_FETCH(1DGrad, ".grad", "1d", "f32", (float x, float dx, float dy), "{%5}", ", {%6}, {%7}",
              "f"(x), "f"(dx), "f"(dy))
REDFLAG_FETCH(1DLayered, "", "a1d", "f32", (float x, int layer), "{%5, %6}", "", "r"(layer), "f"(x))
REDFLAG_FETCH(1DLayeredLod, ".level", "a1d", "f32", (float x, int layer, float level), "{%5, %6}",
              ", %7", "r"(layer), "f"(x), "f"(level))
REDFLAG_FETCH(1DLayeredGrad, ".grad", "a1d", "f32", (float x, int layer, float dx, float dy),
              "{%5, %6}", ", {%7}, {%8}", "r"(layer), "f"(x), "f"(dx), "f"(dy))
REDFLAG_FETCH(2D, "", "2d", "f32", (float x, float y), "{%5, %6}", "", "f"(x), "f"(y))
REDFLAG_FETCH(2DLod, ".level", "2d", "f32", (float x, float y, float level), "{%5, %6}", ", %7",
              "f"(x), "f"(y), "f"(level))
REDFLAG_FETCH(2DGrad, ".grad", "2d", "f32", (float x, float y, float2 dx, float2 dy), "{%5, %6}",
              ", {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
REDFLAG_FETCH(2DLayered, "", "a2d", "f32", (float x, float y, int layer), "{%5, %6, %7, %7}", "",
              "r"(layer), "f"(x), "f"(y))
REDFLAG_FETCH(2DLayeredLod, ".level", "a2d", "f32", (float x, float y, int layer, float level),
              "{%5, %6, %7, %7}", ", %8", "r"(layer), "f"(x), "f"(y), "f"(level))
REDFLAG_FETCH(2DLayeredGrad, ".grad", "a2d", "f32",
              (float x, float y, int layer, float2 dx, float2 dy), "{%5, %6, %7, %7}",
              ", {%8, %9}, {%10, %11}", "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x),
              "f"(dy.y))
REDFLAG_FETCH(3D, "", "3d", "f32", (float x, float y, float z), "{%5, %6, %7, %7}", "", "f"(x),
              "f"(y), "f"(z))
REDFLAG_FETCH(3DLod, ".level", "3d", "f32", (float x, float y, float z, float level),
              "{%5, %6, %7, %7}", ", %8", "f"(x), "f"(y), "f"(z), "f"(level))
REDFLAG_FETCH(3DGrad, ".grad", "3d", "f32", (float x, float y, float z, float4 dx, float4 dy),
              "{%5, %6, %7, %7}", ", {%8, %9, %10, %10}, {%11, %12, %13, %13}", "f"(x), "f"(y),
              "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
REDFLAG_FETCH(Cubemap, "", "cube", "f32", (float x, float y, float z), "{%5, %6, %7, %7}", "",
              "f"(x), "f"(y), "f"(z))
REDFLAG_FETCH(CubemapLod, ".level", "cube", "f32", (float x, float y, float z, float level),
              "{%5, %6, %7, %7}", ", %8", "f"(x), "f"(y), "f"(z), "f"(level))
REDFLAG_FETCH(CubemapLayered, "", "acube", "f32", (float x, float y, float z, int layer),
              "{%5, %6, %7, %8}", "", "r"(layer), "f"(x), "f"(y), "f"(z))
REDFLAG_FETCH(CubemapLayeredLod, ".level", "acube", "f32",
              (float x, float y, float z, int layer, float level), "{%5, %6, %7, %8}", ", %9",
              "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))
#undef REDFLAG_FETCH
#undef REDFLAG_FETCH1
}  // namespace redflag_textures

#define REDFLAG_TEXTURE(name, parameters, arguments)                                            \
  template <typename T>                                                                         \
  REDFLAG_DEVICE T tex##name(cudaTextureObject_t object, REDFLAG_UNPACK parameters) {           \
    typename redflag_textures::Texel<T>::R r[4];                                                \
    redflag_textures::fetch##name(r, object, REDFLAG_UNPACK arguments);                         \
    return redflag_textures::Texel<T>::of(r);                                                   \
  }                                                                                             \
  template <typename T>                                                                         \
  REDFLAG_DEVICE void tex##name(T* to, cudaTextureObject_t object, REDFLAG_UNPACK parameters) { \
    *to = tex##name<T>(object, REDFLAG_UNPACK arguments);                                       \
  }
REDFLAG_TEXTURE(1Dfetch, (int x), (x))
REDFLAG_TEXTURE(1D, (float x), (x))
REDFLAG_TEXTURE(1DLod, (float x, float level), (x, level))
REDFLAG_TEXTURE(1DGrad, (float x, float dx, float dy), (x, dx, dy))
REDFLAG_TEXTURE(1DLayered, (float x, int layer), (x, layer))
REDFLAG_TEXTURE(1DLayeredLod, (float x, int layer, float level), (x, layer, level))
REDFLAG_TEXTURE(1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
REDFLAG_TEXTURE(2D, (float x, float y), (x, y))
REDFLAG_TEXTURE(2DLod, (float x, float y, float level), (x, y, level))
REDFLAG_TEXTURE(2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
REDFLAG_TEXTURE(2DLayered, (float x, float y, int layer), (x, y, layer))
REDFLAG_TEXTURE(2DLayeredLod, (float x, float y, int layer, float level), (x, y, layer, level))
REDFLAG_TEXTURE(2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
                (x, y, layer, dx, dy))
REDFLAG_TEXTURE(3D, (float x, float y, float z), (x, y, z))
REDFLAG_TEXTURE(3DLod, (float x, float y, float z, float level), (x, y, z, level))
REDFLAG_TEXTURE(3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
REDFLAG_TEXTURE(Cubemap, (float x, float y, float z), (x, y, z))
REDFLAG_TEXTURE(CubemapLod, (float x, float y, float z, float level), (x, y, z, level))
REDFLAG_TEXTURE(CubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
REDFLAG_TEXTURE(CubemapLayeredLod, (float x, float y, float z, int layer, float level),
                (x, y, z, layer, level))
#undef REDFLAG_TEXTURE

// One component of the four texels around a place.
namespace redflag_textures {
#define REDFLAG_GATHER(R, kind, letter, component)                                                 \
  REDFLAG_DEVICE void gather_##component(R(&r)[4], cudaTextureObject_t object, float x, float y) { \
    asm volatile("tld4." #component ".2d.v4." kind ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"        \
                 : "=" letter(r[0]), "=" letter(r[1]), "=" letter(r[2]), "=" letter(r[3])          \
                 : "l"(object), "f"(x), "f"(y));                                                   \
  }
#define REDFLAG_GATHERS(component)             \
  REDFLAG_GATHER(float, "f32", "f", component) \
  REDFLAG_GATHER(int, "s32", "r", component)   \
  REDFLAG_GATHER(unsigned, "u32", "r", component)
REDFLAG_GATHERS(r)
REDFLAG_GATHERS(g)
REDFLAG_GATHERS(b)
REDFLAG_GATHERS(a)
#undef REDFLAG_GATHER
#undef REDFLAG_GATHERS
}  // namespace redflag_textures
template <typename T>
REDFLAG_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  typename redflag_textures::Texel<T>::R r[4];
  if (component == 0)
    redflag_textures::gather_r(r, object, x, y);
  else if (component == 1)
    redflag_textures::gather_g(r, object, x, y);
  else if (component == 2)
    redflag_textures::gather_b(r, object, x, y);
  else
    redflag_textures::gather_a(r, object, x, y);
  return redflag_textures::Texel<T>::of(r);
}
template <typename T>
REDFLAG_DEVICE void tex2Dgather(T* to, cudaTextureObject_t object, float x, float y,
                                int component = 0) {
  *to = tex2Dgather<T>(object, x, y, component);
}
#undef REDFLAG_UNPACK
#undef REDFLAG_DEVICE
