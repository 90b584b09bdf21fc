// Computes cases.tsv on a GPU: what texture fetches give there, to the bit. The emulator is held to it (emulate/texture_test.cpp).
//
//   nvcc -std=c++17 -arch=sm_90 confirm.cu -o confirm && ./confirm > cases.tsv
//
// A line: shape, width, height, depth, channels, bits, kind (s u f), address mode (wrap clamp mirror border), filter (point linear),
// normalised coordinates, normalised result, result type; operation (tex, r g b a of a gather); four coordinates and four results,
// as hexadecimal words. Texel bytes are those of `content`.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

#define OK(call)                                                                        \
  do {                                                                                  \
    const cudaError_t status_ = (call);                                                 \
    if (status_ != cudaSuccess) {                                                       \
      std::fprintf(stderr, "%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(status_)); \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

enum Shape { k1d, k2d, k3d, kA1d, kA2d, kCube, kACube, kLinear, kPitch, kShapes };
const char* const kShapeNames[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "linear", "pitch"};
const char* const kModeNames[] = {"wrap", "clamp", "mirror", "border"};
const char* const kOps[] = {"tex", "r", "g", "b", "a"};

struct Case {
  Shape shape;
  int width, height, depth, channels, bits;
  char kind;
  int mode;
  bool linear, normalized, real;
  char result;  // f s u
  int op;
};

std::uint64_t hash(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

// Component `i` of the image. Floats are whole multiples of 1/8 between -64 and 64.
void content(const Case& c, std::uint64_t i, unsigned char* to) {
  const std::uint64_t h = hash(i);
  if (c.kind != 'f') {
    std::memcpy(to, &h, c.bits / 8);
    return;
  }
  const float value = static_cast<float>(static_cast<int>(h % 1025) - 512) / 8;
  std::uint32_t word;
  std::memcpy(&word, &value, 4);
  if (c.bits == 16) {  // exact: few bits are in use
    const std::uint32_t e = word >> 23 & 0xff;
    word = (word >> 16 & 0x8000) | (e == 0 ? 0 : (e - 112) << 10 | (word >> 13 & 0x3ff));
  }
  std::memcpy(to, &word, c.bits / 8);
}

template <typename T>
__device__ uint4 fetch(cudaTextureObject_t t, int shape, int op, float4 c) {
  T v{};
  if (op != 0) {
    v = op == 1 ? tex2Dgather<T>(t, c.x, c.y, 0) : op == 2 ? tex2Dgather<T>(t, c.x, c.y, 1)
        : op == 3 ? tex2Dgather<T>(t, c.x, c.y, 2) : tex2Dgather<T>(t, c.x, c.y, 3);
  } else {
    switch (shape) {
      case k1d: v = tex1D<T>(t, c.x); break;
      case k2d: case kPitch: v = tex2D<T>(t, c.x, c.y); break;
      case k3d: v = tex3D<T>(t, c.x, c.y, c.z); break;
      case kA1d: v = tex1DLayered<T>(t, c.x, __float_as_int(c.w)); break;
      case kA2d: v = tex2DLayered<T>(t, c.x, c.y, __float_as_int(c.w)); break;
      case kCube: v = texCubemap<T>(t, c.x, c.y, c.z); break;
      case kACube: v = texCubemapLayered<T>(t, c.x, c.y, c.z, __float_as_int(c.w)); break;
      case kLinear: v = tex1Dfetch<T>(t, __float_as_int(c.w)); break;
    }
  }
  uint4 words;
  memcpy(&words, &v, 16);
  return words;
}

__global__ void sample(cudaTextureObject_t t, int shape, char result, int op, const float4* at, uint4* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  to[i] = result == 'f' ? fetch<float4>(t, shape, op, at[i])
          : result == 's' ? fetch<int4>(t, shape, op, at[i]) : fetch<uint4>(t, shape, op, at[i]);
}

float coordinate(std::uint64_t h, const Case& c, int size) {
  float x = 0;
  switch (h % 8) {
    case 0: x = static_cast<float>(static_cast<int>(h >> 8 & 63) - 20) / 2; break;
    case 1: x = static_cast<float>(static_cast<int>(h >> 8 & 0xffff) - 0x4000) / 0x800; break;
    case 2: x = static_cast<float>(static_cast<int>(h >> 8 & 0xffff) - 0x4000) / 0x1000; break;
    default: x = static_cast<float>(h >> 8 & 0xffffff) / 0x1000000 * (size + 2) - 1; break;
  }
  return c.normalized ? x / size : x;
}

void run(const Case& c, int samples, std::uint64_t seed) {
  const int layers = c.shape == kA1d ? c.height : c.depth;
  const std::size_t element = c.channels * c.bits / 8;
  const std::size_t texels = std::size_t(c.width) * c.height * c.depth;
  std::vector<unsigned char> bytes(texels * element);
  for (std::size_t i = 0; i < texels * c.channels; ++i) content(c, i, &bytes[i * c.bits / 8]);
  const cudaChannelFormatDesc format = {c.bits, c.channels > 1 ? c.bits : 0, c.channels > 2 ? c.bits : 0,
      c.channels > 2 ? c.bits : 0, c.kind == 's' ? cudaChannelFormatKindSigned
                                 : c.kind == 'u' ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindFloat};
  cudaResourceDesc resource = {};
  cudaArray_t array = nullptr;
  void* memory = nullptr;
  std::size_t pitch = c.width * element;
  if (c.shape == kLinear || c.shape == kPitch) {
    if (c.shape == kPitch) OK(cudaMallocPitch(&memory, &pitch, c.width * element, c.height));
    else OK(cudaMalloc(&memory, bytes.size()));
    OK(cudaMemcpy2D(memory, pitch, bytes.data(), c.width * element, c.width * element, c.height, cudaMemcpyHostToDevice));
    if (c.shape == kLinear) {
      resource.resType = cudaResourceTypeLinear;
      resource.res.linear = {memory, format, bytes.size()};
    } else {
      resource.resType = cudaResourceTypePitch2D;
      resource.res.pitch2D = {memory, format, std::size_t(c.width), std::size_t(c.height), pitch};
    }
  } else {
    unsigned flags = c.op != 0 ? cudaArrayTextureGather : 0;
    cudaExtent extent = make_cudaExtent(c.width, c.height, c.depth);
    if (c.shape == k1d) extent.height = extent.depth = 0;
    if (c.shape == k2d) extent.depth = 0;
    if (c.shape == kA1d) extent = make_cudaExtent(c.width, 0, c.height), flags |= cudaArrayLayered;
    if (c.shape == kA2d || c.shape == kACube) flags |= cudaArrayLayered;
    if (c.shape == kCube || c.shape == kACube) flags |= cudaArrayCubemap;
    OK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), pitch, c.width, c.shape == kA1d ? 1 : c.height);
    copy.dstArray = array;
    copy.extent = c.shape == kA1d ? make_cudaExtent(c.width, 1, c.height) : make_cudaExtent(c.width, c.height, c.depth);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
  }
  cudaTextureDesc how = {};
  for (auto& mode : how.addressMode) mode = static_cast<cudaTextureAddressMode>(c.mode);
  how.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = c.real ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = c.normalized;
  const float border[] = {0.5f, -0.25f, 3, 100};  // where the address mode is "border"
  std::memcpy(how.borderColor, border, sizeof border);
  cudaTextureObject_t texture = 0;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  std::vector<float4> at(samples);
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t h = hash(seed * 1000 + i);
    const bool cube = c.shape == kCube || c.shape == kACube;
    const auto direction = [](std::uint64_t r) { return static_cast<float>(static_cast<int>(r & 0x3ff) - 512) / 256; };
    at[i].x = cube ? direction(h) : coordinate(h, c, c.width);
    at[i].y = cube ? direction(h >> 16) : coordinate(hash(h), c, c.height);
    at[i].z = cube ? direction(h >> 32) : coordinate(hash(h + 1), c, c.depth);
    const float odd[] = {INFINITY, -INFINITY, NAN, 1e20f};
    if (!cube && i == 0 && c.shape != kLinear) at[i].x = odd[seed % 4];
    const int most = c.shape == kLinear ? c.width : layers;
    const int index = static_cast<int>(hash(h + 2) % (most + 4)) - 2;
    std::memcpy(&at[i].w, &index, 4);
  }
  float4* coordinates;
  uint4* results;
  OK(cudaMalloc(&coordinates, samples * sizeof(float4)));
  OK(cudaMalloc(&results, samples * sizeof(uint4)));
  OK(cudaMemcpy(coordinates, at.data(), samples * sizeof(float4), cudaMemcpyHostToDevice));
  sample<<<(samples + 63) / 64, 64>>>(texture, c.shape, c.result, c.op, coordinates, results, samples);
  std::vector<uint4> out(samples);
  OK(cudaMemcpy(out.data(), results, samples * sizeof(uint4), cudaMemcpyDeviceToHost));
  for (int i = 0; i < samples; ++i) {
    std::uint32_t w[4];
    std::memcpy(w, &at[i], 16);
    std::printf("%s\t%d\t%d\t%d\t%d\t%d\t%c\t%s\t%s\t%d\t%d\t%c\t%s\t%08x %08x %08x %08x\t%08x %08x %08x %08x\n", kShapeNames[c.shape],
                c.width, c.height, c.depth, c.channels, c.bits, c.kind, kModeNames[c.mode], c.linear ? "linear" : "point", c.normalized,
                c.real, c.result, kOps[c.op], w[0], w[1], w[2], w[3], out[i].x, out[i].y, out[i].z, out[i].w);
  }
  OK(cudaDestroyTextureObject(texture));
  if (array != nullptr) OK(cudaFreeArray(array));
  OK(cudaFree(memory));
  OK(cudaFree(coordinates));
  OK(cudaFree(results));
}

}  // namespace

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 3;
  struct Format {
    int channels, bits;
    char kind;
  };
  const Format formats[] = {{1, 32, 'f'}, {4, 32, 'f'}, {2, 16, 'f'}, {1, 8, 'u'}, {4, 8, 's'}, {2, 16, 's'}, {1, 16, 'u'}, {1, 32, 's'}, {2, 32, 'u'}};
  std::uint64_t seed = 0;
  for (int shape = 0; shape < kShapes; ++shape) {
    const bool cube = shape == kCube || shape == kACube;
    const int height = shape == k1d || shape == kLinear ? 1 : cube ? 6 : shape == kA1d ? 3 : 5;
    const int depth = shape == k3d ? 4 : shape == kA2d ? 3 : shape == kCube ? 6 : shape == kACube ? 12 : 1;
    for (const Format& f : formats) {
      for (int mode = 0; mode < 4; ++mode) {
        for (int linear = 0; linear < 2; ++linear) {
          for (int normalized = 0; normalized < 2; ++normalized) {
            for (int real = 0; real < 2; ++real) {
              const bool whole = f.kind != 'f';
              if (real && (!whole || f.bits == 32)) continue;
              if (linear && whole && !real) continue;  // refused
              if (!normalized && (mode == 0 || mode == 2) && seed % 3 != 0) continue;
              if (shape == kLinear && (mode != 1 || linear || normalized)) continue;
              if (cube && (mode != 1 || !normalized)) continue;
              if (shape == kPitch && (mode == 0 || mode == 2) && !normalized) continue;
              const char result = whole && !real ? f.kind : 'f';
              run({static_cast<Shape>(shape), cube ? 6 : 7, height, depth, f.channels, f.bits, f.kind, mode, linear != 0, normalized != 0,
                   real != 0, result, 0}, samples, ++seed);
            }
          }
        }
      }
      if (shape == k2d) {
        for (int op = 1; op < 5; ++op) {
          const bool whole = f.kind != 'f';
          run({k2d, 7, 5, 1, f.channels, f.bits, f.kind, op % 4, false, op % 4 != 1, false, whole ? f.kind : 'f', op}, samples, ++seed);
        }
      }
    }
  }
  return 0;
}
