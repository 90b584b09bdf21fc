// Calls of all kinds, values of globals, local memory, a switch and a trap.
struct Point {
  int id;
  double at;
  char tag[5];
};
typedef int (*Step)(int);

__device__ int table[4] = {1, -2, 3, 4};
__device__ int* third = &table[2];
__device__ double grid[2][3] = {{1.5, 2, 3}, {-0.0, 5, 6e300}};
__constant__ float weights[3] = {0.5f, 1.25f, -3.0f};
__device__ const char* greeting = "hello \"you\"\n";
__device__ Point origin = {7, 2.5, {1, 2, 3}};

__device__ __noinline__ int triple(int x) { return 3 * x; }
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ Step steps[2] = {triple, fibonacci};
__device__ __noinline__ Point moved(Point p, const double* by) {
  p.at += *by;
  p.id = triple(p.id);
  return p;
}
__device__ __noinline__ void fail() { __trap(); }

__global__ void __launch_bounds__(128, 2) run(Point p, int n, int* out, Point* points) {
  int local[16];
  for (int i = 0; i < n; ++i) local[i & 15] = i * n;
  out[0] = steps[n & 1](n) + local[n & 15];
  points[n] = moved(p, &p.at);
  switch (n) {
    case 0: out[1] = table[n]; break;
    case 1: out[2] = *third; break;
    case 2: out[3] = greeting[n]; break;
    case 3: __syncthreads(); out[4] = origin.id; break;
    case 4: out[5] = (int)weights[out[0] % 3]; break;
    case 5: out[6] = (int)grid[1][n % 3]; break;
    default: fail();
  }
}
