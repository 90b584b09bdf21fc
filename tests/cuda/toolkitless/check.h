// What the programs here have in common: values that kernels compute, and those that the host
// expects.
//
// A program says every value that is wrong and what it wanted, and exits with 1; at the end it says
// how many it compared, so that a test that compares nothing is seen.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace check {

inline long compared = 0, wrong = 0;

// Memory of both sides, copied at once.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t n) : host(n) { cudaMalloc(&device, n * sizeof(T)); }
  ~Buffer() { cudaFree(device); }
  Buffer(const Buffer&) = delete;
  void upload() {
    cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  void download() {
    cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
  }
  std::vector<T> host;
  T* device = nullptr;
};

// Numbers without a pattern, always the same.
inline unsigned long long random_bits() {
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
inline double between(double least, double most) {
  return least + (most - least) * static_cast<double>(random_bits() >> 11) * 0x1p-53;
}

inline void fail(const char* what, double argument, double found, double wanted) {
  if (++wrong <= 20) std::printf("%s(%a): found %a, wanted %a\n", what, argument, found, wanted);
}
// Exactly this.
template <typename T>
void same(const char* what, long argument, T found, T wanted) {
  compared++;
  if (std::memcmp(&found, &wanted, sizeof found) != 0)
    fail(what, static_cast<double>(argument), static_cast<double>(found),
         static_cast<double>(wanted));
}
// Within so many units in the last place of T.
template <typename T>
void near(const char* what, double argument, T found, long double wanted, double ulps) {
  compared++;
  const T nearest = static_cast<T>(wanted);
  if (std::isnan(nearest) ? std::isnan(found) : found == nearest) return;
  if (!std::isnan(nearest) && std::isfinite(found) && std::isfinite(nearest)) {
    const T at = std::fabs(nearest);
    const T unit = std::nextafter(at, static_cast<T>(INFINITY)) - at;
    if (std::fabs(static_cast<long double>(found) - wanted) <=
        ulps * static_cast<long double>(unit))
      return;
  }
  fail(what, argument, static_cast<double>(found), static_cast<double>(wanted));
}
inline int finish() {
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) {
    std::printf("a kernel did not run\n");
    return 1;
  }
  std::printf("%ld values, %ld wrong\n", compared, wrong);
  return wrong != 0 || compared == 0;
}

}  // namespace check
