/* One mistake each, by name: what 'redflag run' must find. */
#include <signal.h>
#include <unistd.h>

#include "program.h"

enum { N = 64 };

static int *device(void) {
  int *p;
  OK(cudaMalloc((void **)&p, N * sizeof(int)));
  OK(cudaMemset(p, 0, N * sizeof(int)));
  OK(cudaDeviceSynchronize());
  return p;
}

static void kill_after_a_second(void) {
  if (fork() != 0) return;
  sleep(1);
  kill(getppid(), SIGKILL);
  _exit(0);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *p = device();
  void *args[] = {&p};
  cudaStream_t a, b;
  OK(cudaStreamCreateWithFlags(&a, 1));
  OK(cudaStreamCreateWithFlags(&b, 1));
  if (!strcmp(what, "collide")) { /* two blocks write one word */
    OK(launch(&collide, 2, 32, 0, args));
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "streams")) { /* two streams, nothing between */
    OK(scale_in(a, p, N));
    OK(scale_in(b, p, N));
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "copy")) { /* a copy in another stream */
    int *pinned;
    OK(cudaMallocHost((void **)&pinned, N * sizeof(int)));
    OK(scale_in(a, p, N));
    OK(cudaMemcpyAsync(pinned, p, N * sizeof(int), DeviceToHost, b));
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "pageable") || !strcmp(what, "pageable-ok")) {
    /* Such a copy returns when the source was read: another stream may be there before the data. */
    int from[N] = {0};
    OK(cudaMemcpy(p, from, sizeof from, HostToDevice));
    if (!strcmp(what, "pageable-ok")) OK(cudaDeviceSynchronize());
    OK(scale_in(a, p, N));
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "pageable-before")) { /* but it waits for the stream before it */
    int *m, from[N] = {0};
    OK(cudaMallocManaged((void **)&m, N * sizeof(int), 1));
    OK(scale_in(0, m, N));
    OK(cudaMemcpy(p, from, sizeof from, HostToDevice));
    printf("%d\n", ((volatile int *)m)[3]);
  } else if (!strcmp(what, "managed")) { /* the host reads before it waits */
    int *m;
    OK(cudaMallocManaged((void **)&m, N * sizeof(int), 1));
    for (int i = 0; i < N; ++i) m[i] = i;
    OK(scale_in(a, m, N));
    printf("%d\n", ((volatile int *)m)[3]);
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "managed-ok")) {
    int *m;
    OK(cudaMallocManaged((void **)&m, N * sizeof(int), 1));
    for (int i = 0; i < N; ++i) m[i] = i;
    OK(scale_in(a, m, N));
    OK(cudaStreamSynchronize(a));
    EXPECT(((volatile int *)m)[3], 6);
  } else if (!strcmp(what, "variable") || !strcmp(what, "variable-ok")) { /* the same, __managed__ */
    EXPECT(__cudaInitModule(handle), 1);
    *(volatile int *)shared_count = 7;
    OK(launch(&count, 2, 32, a, 0));
    if (!strcmp(what, "variable-ok")) OK(cudaStreamSynchronize(a));
    printf("%d\n", *(volatile int *)shared_count);
    OK(cudaDeviceSynchronize());
  } else if (!strcmp(what, "bounds")) { /* past the end */
    OK(scale_in(0, p, 100 * N));
    EXPECT(cudaDeviceSynchronize(), 700);
    EXPECT(cudaGetLastError(), 700); /* and it stays */
    EXPECT(cudaMemset(p, 0, 4), 700);
  } else if (!strcmp(what, "misaligned")) {
    p = (int *)((char *)p + 2);
    OK(scale_in(0, p, 1));
    EXPECT(cudaDeviceSynchronize(), 716);
  } else if (!strcmp(what, "freed")) {
    OK(cudaFree(p));
    OK(scale_in(0, p, N));
    EXPECT(cudaDeviceSynchronize(), 700);
  } else if (!strcmp(what, "crash")) { /* a race, then the end */
    OK(launch(&collide, 2, 32, 0, args));
    abort();
  } else if (!strcmp(what, "killed")) { /* a race, and the end in the middle of the kernel */
    kill_after_a_second();
    (void)launch(&collide_forever, 2, 32, 0, args);
  } else if (!strcmp(what, "forever")) {
    OK(launch(&forever, 2, 32, 0, args));
    EXPECT(cudaDeviceSynchronize(), 702);
  } else if (!strcmp(what, "nothing")) {
    return 3;
  } else {
    return 99;
  }
  return 0;
}
