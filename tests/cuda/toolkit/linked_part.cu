__device__ int scale = 3;
__device__ int scaled(int x) { return x * scale; }
