// One kernel, packed in every way: rebuild makes the .fatbin files beside this.
__global__ void scale(float* values, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
