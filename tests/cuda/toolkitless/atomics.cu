// Atomic functions in their three scopes, against what they do to one number after another.
#include "check.h"

constexpr int kThreads = 64;

// One thread: what each function gave, and what it left.
template <typename T>
__global__ void each(T* at, T* old, T v) {
  int k = 0;
#define STEP(name, ...) at[k] = T(5), old[k] = name(&at[k], __VA_ARGS__), k++, at[k] = T(5), old[k] = name##_block(&at[k], __VA_ARGS__), k++, \
                        at[k] = T(5), old[k] = name##_system(&at[k], __VA_ARGS__), k++
  STEP(atomicAnd, v);
  STEP(atomicOr, v);
  STEP(atomicXor, v);
  STEP(atomicExch, v);
  STEP(atomicMin, v);
  STEP(atomicMax, v);
  STEP(atomicCAS, T(5), v);
  STEP(atomicCAS, T(6), v);
}
template <typename T>
void test_each(const char* name, T v) {
  check::Buffer<T> at(24), old(24);
  each<<<1, 1>>>(at.device, old.device, v);
  at.download(), old.download();
  const T wanted[] = {T(5 & v), T(5 | v), T(5 ^ v), v, v < T(5) ? v : T(5), v > T(5) ? v : T(5), v, T(5)};
  for (int i = 0; i < 24; i++) {
    check::same(name, i, old.host[i], T(5));
    check::same(name, i, at.host[i], wanted[i / 3]);
  }
}

template <typename T>
__global__ void sum(T* total) {
  atomicAdd(&total[0], T(threadIdx.x));
  atomicAdd_block(&total[1 + blockIdx.x], T(threadIdx.x));
  atomicAdd_system(&total[3], T(1));
}
template <typename T>
void test_sum(const char* name) {
  check::Buffer<T> total(4);
  total.upload();
  sum<<<2, kThreads>>>(total.device);
  total.download();
  const T one = T(kThreads * (kThreads - 1) / 2), wanted[] = {T(2 * one), one, one, T(2 * kThreads)};
  for (int i = 0; i < 4; i++) check::same(name, i, total.host[i], wanted[i]);
}

__global__ void others(unsigned* u, int* i, float* f, unsigned short* s) {
  atomicInc(&u[0], 9), atomicDec(&u[1], 9), atomicSub(&u[2], 1u), atomicSub_block(&i[0], 2);
  if (threadIdx.x == 0) f[1] = atomicExch(&f[0], 2.5f), s[2] = atomicCAS(&s[0], 7, 8), s[3] = atomicCAS(&s[1], 6, 9);
}
void test_others() {
  check::Buffer<unsigned> u(3);
  check::Buffer<int> i(1);
  check::Buffer<float> f(2);
  check::Buffer<unsigned short> s(4);
  f.host[0] = 1.5f, s.host[0] = s.host[1] = 7;
  u.upload(), i.upload(), f.upload(), s.upload();
  others<<<1, kThreads>>>(u.device, i.device, f.device, s.device);
  u.download(), i.download(), f.download(), s.download();
  check::same("atomicInc", 0, u.host[0], 4u);
  check::same("atomicDec", 0, u.host[1], 6u);
  check::same("atomicSub", 0, u.host[2], 0u - kThreads);
  check::same("atomicSub_block", 0, i.host[0], -2 * kThreads);
  check::same("atomicExch", 0, f.host[0], 2.5f);
  check::same("atomicExch's result", 0, f.host[1], 1.5f);
  const unsigned short wanted[] = {8, 7, 7, 7};
  for (int k = 0; k < 4; k++) check::same("atomicCAS of 16 bits", k, s.host[k], wanted[k]);
}

int main() {
  test_each<int>("int", -3), test_each<unsigned>("unsigned", 0xfffffff0u), test_each<unsigned long long>("unsigned long long", 0x8000000000000001ull);
  test_sum<int>("add int"), test_sum<unsigned>("add unsigned"), test_sum<unsigned long long>("add unsigned long long");
  test_sum<float>("add float"), test_sum<double>("add double");
  test_others();
  return check::finish();
}
