// Inlined functions two deep: .loc with inlined_at and function_name.
__device__ inline int add(int a, int b) { return a + b; }
__device__ inline int sum(const int* v, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s = add(s, v[i]);
  return s;
}
__global__ void total(const int* v, int n, int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum(v, n);
  else
    out[0] = add(n, 1);
}
