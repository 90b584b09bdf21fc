/* Arrays, textures and surfaces on the emulated GPU: copies, objects, the errors of an H200, and two mistakes. */
#include "images.h"

#include "program.h"

enum { W = 8, H = 4 };
static char draw;
static int plane[H * W];

static cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc made;
  memset(&made, 0, sizeof made);
  made.array = array;
  return made;
}

static cudaArray_t ints(int first) {
  const cudaChannelFormatDesc format = {32, 0, 0, 0, 0};
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, W, H, 2));
  for (int i = 0; i < W * H; ++i) plane[i] = first + i;
  OK(cudaMemcpy2DToArray(array, 0, 0, plane, W * 4, W * 4, H, HostToDevice));
  return array;
}

static void expect_all(cudaArray_t array, int first) {
  memset(plane, 0, sizeof plane);
  OK(cudaMemcpy2DFromArray(plane, W * 4, array, 0, 0, W * 4, H, DeviceToHost));
  for (int i = 0; i < W * H; ++i) EXPECT(plane[i], first + i);
}

static cudaError_t draw_in(cudaStream_t stream, cudaTextureObject_t from, cudaSurfaceObject_t to) {
  unsigned width = W;
  void *args[] = {&from, &to, &width};
  return launch(&draw, 1, W * H, stream, args);
}

static void arrays(void) {
  cudaArray_t a = ints(100), box, none = 0;
  const cudaChannelFormatDesc format = {32, 0, 0, 0, 0}, odd = {8, 16, 0, 0, 0};
  cudaChannelFormatDesc found;
  cudaExtent extent;
  unsigned flags;
  OK(cudaArrayGetInfo(&found, &extent, &flags, a));
  EXPECT(found.x, 32);
  EXPECT(extent.width, W);
  EXPECT(extent.depth, 0);
  EXPECT(flags, 2);
  EXPECT(cudaArrayGetInfo(&found, 0, 0, none), 400);
  EXPECT(cudaMallocArray(&box, &odd, W, H, 0), 20);
  EXPECT(cudaMallocArray(&box, &format, 0, H, 0), 1);
  EXPECT(cudaMallocArray(&box, &format, W, H, 1), 1);
  EXPECT(cudaMallocMipmappedArray(0, 0, extent, 3, 0), 801);

  /* Rectangles and flat runs. */
  expect_all(a, 100);
  EXPECT(cudaMemcpy2DToArray(a, 4, 0, plane, W * 4, W * 4, H, HostToDevice), 1);
  EXPECT(cudaMemcpy2DToArray(a, 0, 0, plane, 4, W * 4, H, HostToDevice), 12);
  EXPECT(cudaMemcpy2DToArray(a, 0, 0, plane, W * 4, W * 4, H, DeviceToHost), 21);
  EXPECT(cudaMemcpy2DToArray(none, 0, 0, plane, W * 4, W * 4, H, HostToDevice), 400);
  EXPECT(cudaMemcpyToArray(a, 4, H - 1, plane, W * 4, HostToDevice), 1);
  OK(cudaMemcpyToArray(a, 16, 0, plane, 32, HostToDevice));
  OK(cudaMemcpyFromArray(plane, a, 16, 0, 32, DeviceToHost));
  EXPECT(plane[7], 107);
  (void)cudaGetLastError();

  /* Boxes: x counts elements. */
  OK(cudaMalloc3DArray(&box, &format, (cudaExtent){4, 3, 2}, 0));
  int cells[24], back[24] = {0};
  for (int i = 0; i < 24; ++i) cells[i] = i;
  cudaMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = (cudaPitchedPtr){cells, 16, 4, 3};
  copy.dstArray = box;
  copy.extent = (cudaExtent){4, 3, 2};
  copy.kind = HostToDevice;
  OK(cudaMemcpy3D(&copy));
  copy.extent.width = 5;
  EXPECT(cudaMemcpy3D(&copy), 1);
  memset(&copy, 0, sizeof copy);
  copy.srcArray = box;
  copy.srcPos.x = 1;
  copy.srcPos.z = 1;
  copy.dstPtr = (cudaPitchedPtr){back, 16, 4, 3};
  copy.dstPos.x = 2;
  copy.extent = (cudaExtent){2, 3, 1};
  copy.kind = DeviceToHost;
  OK(cudaMemcpy3D(&copy));
  EXPECT(back[2], 13);
  EXPECT(back[11], 22);
  (void)cudaGetLastError();
  OK(cudaFreeArray(box));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(0));
}

static void objects(void) {
  cudaArray_t a = ints(10), b = ints(0);
  cudaResourceDesc from = of_array(a), found;
  cudaTextureDesc how, told;
  cudaTextureObject_t texture;
  cudaSurfaceObject_t surface;
  memset(&how, 0, sizeof how);
  how.addressMode[0] = how.addressMode[1] = 1;
  OK(cudaCreateTextureObject(&texture, &from, &how, 0));
  const cudaResourceDesc to = of_array(b);
  OK(cudaCreateSurfaceObject(&surface, &to));
  OK(draw_in(0, texture, surface));
  expect_all(b, 11);
  OK(cudaGetTextureObjectResourceDesc(&found, texture));
  EXPECT(found.array == a, 1);
  OK(cudaGetTextureObjectTextureDesc(&told, texture));
  EXPECT(told.addressMode[1], 1);
  EXPECT(cudaGetTextureObjectTextureDesc(&told, surface), 1);
  OK(cudaGetSurfaceObjectResourceDesc(&found, surface));
  EXPECT(found.array == b, 1);
  OK(cudaDestroyTextureObject(texture));

  /* Over plain memory, with rows of 512 bytes. */
  char *memory;
  OK(cudaMalloc((void **)&memory, 512 * H));
  for (int i = 0; i < W * H; ++i) plane[i] = 40 + i;
  OK(cudaMemcpy2D(memory, 512, plane, W * 4, W * 4, H, HostToDevice));
  memset(&from, 0, sizeof from);
  from.type = 3;
  from.pitch2D.devPtr = memory;
  from.pitch2D.desc.x = 32;
  from.pitch2D.width = W;
  from.pitch2D.height = H;
  from.pitch2D.pitch = 512;
  OK(cudaCreateTextureObject(&texture, &from, &how, 0));
  OK(draw_in(0, texture, surface));
  expect_all(b, 41);
  from.pitch2D.pitch = 36;
  EXPECT(cudaCreateTextureObject(&texture, &from, &how, 0), 1);
  EXPECT(cudaCreateSurfaceObject(&surface, &from), 1);
  from = of_array(a);
  how.filterMode = 1;
  EXPECT(cudaCreateTextureObject(&texture, &from, &how, 0), 26);
  how.filterMode = 0;
  how.readMode = 1;
  EXPECT(cudaCreateTextureObject(&texture, &from, &how, 0), 27);
  from.type = 1;
  EXPECT(cudaCreateTextureObject(&texture, &from, &how, 0), 801);
  EXPECT(cudaCreateTextureObject(&texture, &from, 0, 0), 400);
  (void)cudaGetLastError();
  OK(cudaDestroySurfaceObject(surface));
  OK(cudaFree(memory));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

/* "streams": one stream draws what another one samples. "freed": an array goes before its texture. */
static void wrong(const char *what) {
  cudaArray_t a = ints(10), b = ints(0), c = ints(0);
  const cudaResourceDesc of[3] = {of_array(a), of_array(b), of_array(c)};
  cudaTextureDesc how;
  memset(&how, 0, sizeof how);
  cudaTextureObject_t first, second;
  cudaSurfaceObject_t middle, last;
  OK(cudaCreateTextureObject(&first, &of[0], &how, 0));
  OK(cudaCreateSurfaceObject(&middle, &of[1]));
  OK(cudaCreateTextureObject(&second, &of[1], &how, 0));
  OK(cudaCreateSurfaceObject(&last, &of[2]));
  if (!strcmp(what, "freed")) {
    OK(cudaFreeArray(a));
    OK(draw_in(0, first, middle));
    EXPECT(cudaDeviceSynchronize(), 700);
    return;
  }
  cudaStream_t s, t;
  OK(cudaStreamCreateWithFlags(&s, 1));
  OK(cudaStreamCreateWithFlags(&t, 1));
  OK(draw_in(s, first, middle));
  OK(draw_in(t, second, last));
  OK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
  __cudaRegisterFunction(handle, &draw, &draw, "draw", -1, 0, 0, 0, 0, 0);
  if (argc > 1) {
    wrong(argv[1]);
    return 0;
  }
  arrays();
  objects();
  OK(cudaDeviceReset());
  printf("arrays, textures and surfaces work\n");
  return 0;
}
