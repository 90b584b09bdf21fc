// Textures and surfaces: texels as they were put into arrays, halfway between two of them, outside,
// and by layer; and accesses that name a cache.
#include "check.h"

constexpr int kWidth = 16, kHeight = 8, kDepth = 4;

template <typename T>
cudaArray_t array_of(const T* from, int height, int depth, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array = nullptr;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(kWidth, height, depth), flags | cudaArraySurfaceLoadStore);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(from), kWidth * sizeof(T), kWidth, height ? height : 1);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(kWidth, height ? height : 1, depth ? depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}
cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter = cudaFilterModePoint) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = filter;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  return texture;
}
cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}

__global__ void lines(cudaTextureObject_t line, cudaTextureObject_t smooth, cudaTextureObject_t plane, float* out) {
  const int i = threadIdx.x;
  const float x = static_cast<float>(i % kWidth) + 0.5f, y = static_cast<float>(i / kWidth) + 0.5f;
  out[i * 4] = tex1D<float>(line, x), out[i * 4 + 1] = tex1D<float>(smooth, x + 0.5f);
  out[i * 4 + 2] = tex2D<float>(plane, x, y), out[i * 4 + 3] = tex2D<float>(plane, x - 5, y);
}
void test_lines() {
  float texels[kWidth * kHeight];
  for (int i = 0; i < kWidth * kHeight; i++) texels[i] = static_cast<float>(i * i);
  const cudaArray_t line = array_of(texels, 0, 0, 0), plane = array_of(texels, kHeight, 0, 0);
  check::Buffer<float> out(kWidth * kHeight * 4);
  lines<<<1, kWidth * kHeight>>>(texture_of(line), texture_of(line, cudaFilterModeLinear), texture_of(plane), out.device);
  out.download();
  for (int i = 0; i < kWidth * kHeight; i++) {
    const int x = i % kWidth, next = x + 1 < kWidth ? x + 1 : x, y = i / kWidth;
    check::same("tex1D", i, out.host[i * 4], texels[x]);
    check::same("tex1D between two", i, out.host[i * 4 + 1], (texels[x] + texels[next]) / 2);
    check::same("tex2D", i, out.host[i * 4 + 2], texels[i]);
    check::same("tex2D outside", i, out.host[i * 4 + 3], texels[y * kWidth + (x < 5 ? 0 : x - 5)]);
  }
}

// Of every type of texel: what surfaces write, textures give.
template <typename T>
__global__ void write(cudaSurfaceObject_t plane, const T* values) {
  const int i = threadIdx.x;
  surf2Dwrite(values[i], plane, i % kWidth * static_cast<int>(sizeof(T)), i / kWidth);
}
template <typename T>
__global__ void read(cudaSurfaceObject_t surface, cudaTextureObject_t texture, T* out) {
  const int i = threadIdx.x, x = i % kWidth, y = i / kWidth;
  out[i * 3] = surf2Dread<T>(surface, x * static_cast<int>(sizeof(T)), y);
  out[i * 3 + 1] = tex2D<T>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
  out[i * 3 + 2] = surf2Dread<T>(surface, (x - 4) * static_cast<int>(sizeof(T)), y, cudaBoundaryModeZero);
}
template <typename T>
void test_type(const char* name) {
  constexpr int n = kWidth * kHeight;
  check::Buffer<T> values(n), out(3 * n);
  for (T& value : values.host) {
    unsigned char bytes[sizeof(T)];
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(check::random_bits() & 63);
    std::memcpy(&value, bytes, sizeof value);
  }
  values.upload();
  const cudaArray_t array = array_of(out.host.data(), kHeight, 0, 0);
  write<T><<<1, n>>>(surface_of(array), values.device);
  read<T><<<1, n>>>(surface_of(array), texture_of(array), out.device);
  out.download();
  for (int i = 0; i < n; i++) {
    T nothing;
    std::memset(&nothing, 0, sizeof nothing);
    const T wanted[] = {values.host[i], values.host[i], i % kWidth < 4 ? nothing : values.host[i - 4]};
    for (int k = 0; k < 3; k++) check::same(name, i * 3 + k, std::memcmp(&out.host[i * 3 + k], &wanted[k], sizeof(T)), 0);
  }
}

__global__ void deep(cudaTextureObject_t volume, cudaTextureObject_t layers, cudaSurfaceObject_t cells, int* out) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * kHeight + y) * kWidth + x;
  out[i * 3] = tex3D<int>(volume, x + 0.5f, y + 0.5f, z + 0.5f), out[i * 3 + 1] = tex2DLayered<int>(layers, x + 0.5f, y + 0.5f, z);
  out[i * 3 + 2] = surf3Dread<int>(cells, x * 4, y, z);
}
void test_deep() {
  constexpr int n = kWidth * kHeight * kDepth;
  check::Buffer<int> texels(n), out(3 * n);
  for (int& t : texels.host) t = static_cast<int>(check::random_bits());
  const cudaArray_t volume = array_of(texels.host.data(), kHeight, kDepth, 0), layers = array_of(texels.host.data(), kHeight, kDepth, cudaArrayLayered);
  deep<<<1, dim3(kWidth, kHeight, kDepth)>>>(texture_of(volume), texture_of(layers), surface_of(volume), out.device);
  out.download();
  for (int i = 0; i < 3 * n; i++) check::same("three dimensions", i, out.host[i], texels.host[i / 3]);
}

__global__ void cached(const float4* a, const short2* b, float4* c, short2* d, double* e) {
  const int i = threadIdx.x;
  __stcg(&c[i], __ldcs(&a[i]));
  __stwt(&d[i], __ldg(&b[i]));
  __stcs(&e[i], static_cast<double>(__ldcg(&a[i].x)) + __ldca(&a[i].w));
}
void test_cached() {
  check::Buffer<float4> a(32), c(32);
  check::Buffer<short2> b(32), d(32);
  check::Buffer<double> e(32);
  for (int i = 0; i < 32; i++) a.host[i] = make_float4(i, 2, 3, 4.0f * i), b.host[i] = make_short2(i, -i);
  a.upload(), b.upload();
  cached<<<1, 32>>>(a.device, b.device, c.device, d.device, e.device);
  c.download(), d.download(), e.download();
  for (int i = 0; i < 32; i++) {
    check::same("float4", i, std::memcmp(&c.host[i], &a.host[i], sizeof(float4)), 0);
    check::same("short2", i, std::memcmp(&d.host[i], &b.host[i], sizeof(short2)), 0);
    check::same("double", i, e.host[i], 5.0 * i);
  }
}

int main() {
  test_lines(), test_deep(), test_cached();
  test_type<signed char>("char"), test_type<unsigned short>("unsigned short"), test_type<int>("int"), test_type<float>("float");
  test_type<uchar4>("uchar4"), test_type<short2>("short2"), test_type<int2>("int2"), test_type<float4>("float4"), test_type<uint4>("uint4");
  return check::finish();
}
