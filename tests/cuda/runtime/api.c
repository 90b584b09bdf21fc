/* Every family of the runtime API, on the emulated GPU: a program that is right, and says so. */
#include "program.h"

enum { N = 200 };
static int host[N];

static int *filled(int value) {
  int *p;
  OK(cudaMalloc((void **)&p, sizeof host));
  for (int i = 0; i < N; ++i) host[i] = value + i;
  OK(cudaMemcpy(p, host, sizeof host, HostToDevice));
  OK(cudaDeviceSynchronize()); /* or a non-blocking stream may be there before the data */
  return p;
}

static void expect_all(const int *device, int value) {
  memset(host, 0, sizeof host);
  OK(cudaMemcpy(host, device, sizeof host, DeviceToHost));
  for (int i = 0; i < N; ++i) EXPECT(host[i], value + i);
}

static void devices(void) {
  int n = 0, value = 0;
  OK(cudaGetDeviceCount(&n));
  EXPECT(n, 1);
  OK(cudaSetDevice(0));
  EXPECT(cudaSetDevice(1), 101);
  EXPECT(cudaGetLastError(), 101);
  EXPECT(cudaGetLastError(), 0);
  OK(cudaGetDevice(&n));
  EXPECT(n, 0);
  cudaDeviceProp prop;
  OK(cudaGetDeviceProperties(&prop, 0));
  EXPECT(strncmp(prop.name, "Redflag", 7), 0);
  OK(cudaDeviceGetAttribute(&value, 75, 0));
  EXPECT(value, 9);
  OK(cudaDeviceGetAttribute(&value, 95, 0));
  EXPECT(value, 1);
  EXPECT(cudaDeviceGetAttribute(&value, 100000, 0), 1);
  size_t limit = 0;
  OK(cudaDeviceSetLimit(2, 1 << 24));
  OK(cudaDeviceGetLimit(&limit, 2));
  EXPECT(limit, 1 << 24);
  OK(cudaRuntimeGetVersion(&value));
  EXPECT(value, 13000);
  EXPECT(strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress"), 0);
  EXPECT(strcmp(cudaGetErrorString(2), "out of memory"), 0);
  OK(cudaProfilerStart());
  EXPECT(cudaCreateChannelDesc(32, 0, 0, 0, 2).x, 32);
  char handle_bytes[64];
  EXPECT(cudaIpcGetMemHandle(handle_bytes, 0), 801); /* one that is not served */
  (void)cudaGetLastError();
}

static void memory(void) {
  size_t before, after, total, pitch;
  OK(cudaMemGetInfo(&before, &total));
  int *p = filled(1);
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(before - after, sizeof host);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, p + 3));
  EXPECT(attributes.type, 2);
  OK(cudaPointerGetAttributes(&attributes, host));
  EXPECT(attributes.type, 0);
  OK(cudaFree(p));
  EXPECT(cudaFree(p), 1);
  EXPECT(cudaFree(host), 1);
  (void)cudaGetLastError();
  OK(cudaFree(0));

  int *pinned, *there;
  unsigned flags;
  OK(cudaHostAlloc((void **)&pinned, sizeof host, 2));
  OK(cudaHostGetDevicePointer((void **)&there, pinned, 0));
  OK(cudaHostGetFlags(&flags, pinned));
  EXPECT(flags, 2);
  for (int i = 0; i < N; ++i) pinned[i] = i;
  OK(scale_in(0, there, N));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < N; ++i) EXPECT(pinned[i], i + 3);
  OK(cudaFreeHost(pinned));

  static int own[N];
  OK(cudaHostRegister(own, sizeof own, 0));
  EXPECT(cudaHostRegister(own, sizeof own, 0), 712);
  (void)cudaGetLastError();
  OK(scale_in(0, own, N));
  OK(cudaDeviceSynchronize());
  EXPECT(own[N - 1], 3);
  OK(cudaHostUnregister(own));
  EXPECT(cudaHostUnregister(own), 713);
  (void)cudaGetLastError();

  int *managed;
  const cudaMemLocation device = {1, 0};
  OK(cudaMallocManaged((void **)&managed, sizeof host, 1));
  for (int i = 0; i < N; ++i) managed[i] = 10 + i;
  OK(cudaMemAdvise(managed, sizeof host, 1, device));
  OK(cudaMemPrefetchAsync(managed, sizeof host, device, 0, 0));
  OK(scale_in(0, managed, N));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < N; ++i) EXPECT(managed[i], 13 + i);
  OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type, 3);
  OK(cudaFree(managed));

  char *rows;
  OK(cudaMallocPitch((void **)&rows, &pitch, 100, 3));
  EXPECT(pitch >= 100, 1);
  char plane[3][100], back[3][100];
  memset(plane, 7, sizeof plane);
  OK(cudaMemcpy2D(rows, pitch, plane, 100, 100, 3, HostToDevice));
  OK(cudaMemset2D(rows, pitch, 9, 50, 2));
  OK(cudaMemcpy2D(back, 100, rows, pitch, 100, 3, DeviceToHost));
  EXPECT(back[1][49], 9);
  EXPECT(back[1][50], 7);
  EXPECT(back[2][0], 7);
  OK(cudaFree(rows));

  cudaPitchedPtr box;
  const cudaExtent extent = {8, 4, 2};
  OK(cudaMalloc3D(&box, extent));
  OK(cudaMemset3D(box, 5, extent));
  char cube[2][4][8];
  cudaMemcpy3DParms parms;
  memset(&parms, 0, sizeof parms);
  parms.srcPtr = box;
  parms.dstPtr = (cudaPitchedPtr){cube, 8, 8, 4};
  parms.extent = extent;
  parms.kind = DeviceToHost;
  OK(cudaMemcpy3D(&parms));
  EXPECT(cube[1][3][7], 5);
  OK(cudaFree(box.ptr));

  cudaMemPool_t pool;
  unsigned long long threshold = 1 << 20;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolSetAttribute(pool, 4, &threshold));
  threshold = 0;
  OK(cudaMemPoolGetAttribute(pool, 4, &threshold));
  EXPECT(threshold, 1 << 20);
  OK(cudaMallocAsync((void **)&p, sizeof host, 0));
  OK(cudaMemsetAsync(p, 0, sizeof host, 0));
  OK(scale_in(0, p, N));
  OK(cudaFreeAsync(p, 0));
  OK(cudaMallocFromPoolAsync((void **)&p, 64, pool, 0));
  OK(cudaFreeAsync(p, 0));
  OK(cudaDeviceSynchronize());
}

static void copies_and_symbols(void) {
  int *p = filled(0), *q = filled(100), value = 0;
  OK(cudaMemcpy(p, q, sizeof host, DeviceToDevice));
  expect_all(p, 100);
  OK(cudaMemcpyPeer(q, 0, p, 0, sizeof host));
  EXPECT(cudaMemcpy(p, host, sizeof host + 1, HostToDevice), 1);
  EXPECT(cudaMemcpy(host, host, 4, DeviceToHost), 1);
  (void)cudaGetLastError();
  OK(cudaMemset(p, 0xff, sizeof host));
  OK(cudaMemcpy(&value, p + 5, 4, DefaultKind));
  EXPECT(value, -1);
  size_t size;
  int *address;
  OK(cudaGetSymbolSize(&size, &counter));
  EXPECT(size, 4);
  OK(cudaGetSymbolAddress((void **)&address, &counter));
  OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, DeviceToHost));
  EXPECT(value, 5);
  OK(launch(&count, 2, 64, 0, 0));
  OK(cudaMemcpy(&value, address, 4, DeviceToHost));
  EXPECT(value, 5 + 128);
  value = 1;
  OK(cudaMemcpyToSymbol(&counter, &value, 4, 0, HostToDevice));
  OK(launch(&count, 1, 1, 0, 0));
  OK(cudaMemcpyFromSymbol(&value, &counter, 4, 0, DeviceToHost));
  EXPECT(value, 2);
  EXPECT(cudaMemcpyFromSymbol(&value, &counter, 4, 1, DeviceToHost), 1);
  EXPECT(cudaMemcpyFromSymbol(&value, host, 4, 0, DeviceToHost), 13);
  (void)cudaGetLastError();
  OK(cudaDeviceSynchronize());
  EXPECT(__cudaInitModule(handle), 1);
  EXPECT(*shared_count, 2);
  OK(cudaFree(p));
  OK(cudaFree(q));
}

static void note(void *data) { *(int *)data += 1; }
static void called(cudaStream_t stream, cudaError_t status, void *data) {
  (void)stream;
  EXPECT(status, 0);
  *(int *)data += 10;
}

static void streams(void) {
  cudaStream_t a, b;
  cudaEvent_t begin, end, untimed;
  int priority, calls = 0;
  unsigned flags;
  float ms = -1;
  OK(cudaStreamCreateWithPriority(&a, 1, -1));
  OK(cudaStreamCreate(&b));
  OK(cudaStreamGetPriority(a, &priority));
  EXPECT(priority, -1);
  OK(cudaStreamGetFlags(a, &flags));
  EXPECT(flags, 1);
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  OK(cudaEventCreateWithFlags(&untimed, 2));
  int *p = filled(0);
  OK(cudaEventRecord(begin, a));
  OK(scale_in(a, p, N));
  OK(cudaEventRecord(end, a));
  OK(cudaStreamWaitEvent(b, end, 0));
  OK(scale_in(b, p, N)); /* ordered by the event */
  OK(cudaLaunchHostFunc(b, note, &calls));
  OK(cudaStreamAddCallback(b, called, &calls, 0));
  OK(cudaStreamSynchronize(b));
  EXPECT(calls, 11);
  OK(cudaEventSynchronize(end));
  OK(cudaEventQuery(end));
  OK(cudaStreamQuery(a));
  OK(cudaEventElapsedTime(&ms, begin, end));
  EXPECT(ms >= 0, 1);
  OK(cudaEventRecord(untimed, a));
  EXPECT(cudaEventElapsedTime(&ms, begin, untimed), 400);
  (void)cudaGetLastError();
  int *pinned;
  OK(cudaMallocHost((void **)&pinned, sizeof host));
  OK(cudaMemcpyAsync(pinned, p, sizeof host, DeviceToHost, b));
  OK(cudaStreamSynchronize(b));
  EXPECT(pinned[9], 9 + 6);
  OK(cudaMemcpyAsync_ptsz(p, pinned, sizeof host, HostToDevice, 0));
  OK(cudaDeviceSynchronize());
  /* The legacy stream waits for b, and b for it. */
  OK(scale_in(b, p, N));
  OK(scale_in(0, p, N));
  OK(scale_in(b, p, N));
  expect_all(p, 15);
  OK(cudaFreeHost(pinned));
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
  OK(cudaEventDestroy(untimed));
  EXPECT(cudaEventDestroy(untimed), 400);
  (void)cudaGetLastError();
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  EXPECT(cudaStreamSynchronize(b), 400);
  (void)cudaGetLastError();
  OK(cudaFree(p));
}

static void launches(void) {
  int *p = filled(0), blocks = 0;
  unsigned n = N;
  void *args[] = {&p, &n};
  const dim3 grid = {4, 1, 1}, block = {64, 1, 1}, large = {2048, 1, 1};
  OK(cudaLaunchKernel(&scale, grid, block, args, 0, 0));
  OK(cudaLaunchCooperativeKernel(&scale, grid, block, args, 0, 0));
  cudaLaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = 4;
  attribute.val.cluster = (dim3){2, 1, 1};
  cudaLaunchConfig_t config = {grid, block, 0, 0, &attribute, 1};
  OK(cudaLaunchKernelExC(&config, &scale, args));
  expect_all(p, 9);
  EXPECT(cudaLaunchKernel(&scale, grid, large, args, 0, 0), 9);
  EXPECT(cudaPeekAtLastError(), 9);
  EXPECT(cudaGetLastError(), 9);
  attribute.val.cluster = (dim3){3, 1, 1};
  EXPECT(cudaLaunchKernelExC(&config, &scale, args), 912);
  EXPECT(cudaLaunchKernel(host, grid, block, args, 0, 0), 98);
  EXPECT(cudaLaunchCooperativeKernel(&scale, (dim3){100000, 1, 1}, block, args, 0, 0), 720);
  (void)cudaGetLastError();
  cudaFuncAttributes of;
  OK(cudaFuncGetAttributes(&of, &scale));
  EXPECT(of.maxThreadsPerBlock, 1024);
  OK(cudaFuncSetAttribute(&scale, 8, 100000));
  EXPECT(cudaFuncSetAttribute(&scale, 8, 1 << 20), 1);
  (void)cudaGetLastError();
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &scale, 256, 0));
  EXPECT(blocks > 0 && blocks <= 8, 1);
  OK(cudaFree(p));
}

static void graphs(void) {
  int *p = filled(0), calls = 0;
  unsigned n = N;
  void *args[] = {&p, &n};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t clear, first, second, told, copied;
  OK(cudaGraphCreate(&graph, 0));
  const cudaMemsetParams zero = {p, 0, 0, 4, N, 1};
  OK(cudaGraphAddMemsetNode(&clear, graph, 0, 0, &zero));
  const cudaKernelNodeParams kernel = {&scale, {4, 1, 1}, {64, 1, 1}, 0, args, 0};
  OK(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));
  OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel));
  const cudaHostNodeParams function = {note, &calls};
  OK(cudaGraphAddHostNode(&told, graph, &second, 1, &function));
  OK(cudaGraphAddMemcpyNode1D(&copied, graph, &second, 1, host, p, sizeof host, DeviceToHost));
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, 0, &nodes));
  EXPECT(nodes, 5);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(calls, 2);
  for (int i = 0; i < N; ++i) EXPECT(host[i], 6);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  /* The same by capture, over two streams. */
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  int capturing;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaStreamBeginCapture(a, 0));
  OK(cudaMemsetAsync(p, 0, sizeof host, a));
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  OK(scale_in(b, p, N));
  OK(cudaStreamIsCapturing(b, &capturing));
  EXPECT(capturing, 1);
  OK(cudaEventRecord(join, b));
  OK(cudaStreamWaitEvent(a, join, 0));
  OK(scale_in(a, p, N));
  OK(cudaStreamEndCapture(a, &graph));
  nodes = 0;
  OK(cudaGraphGetNodes(graph, 0, &nodes));
  EXPECT(nodes, 3);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, a));
  OK(cudaStreamSynchronize(a));
  OK(cudaMemcpy(host, p, sizeof host, DeviceToHost));
  EXPECT(host[N - 1], 6);
  /* A capture that was not joined. */
  OK(cudaStreamBeginCapture(a, 0));
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  OK(scale_in(b, p, N));
  EXPECT(cudaStreamEndCapture(a, &graph), 904);
  (void)cudaGetLastError();
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  OK(cudaFree(p));
}

int main(void) {
  devices();
  memory();
  copies_and_symbols();
  streams();
  launches();
  graphs();
  OK(cudaDeviceReset());
  printf("all families of the API work\n");
  return 0;
}
