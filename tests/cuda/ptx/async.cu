// Asynchronous copies, mbarriers, clusters and matrices, by inline assembly with scopes of its own.
__global__ void stage(int* out, const int* in, unsigned long long* words) {
  __shared__ __align__(128) int tile[128];
  __shared__ unsigned long long gate;
  const unsigned to = (unsigned)__cvta_generic_to_shared(tile);
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&gate);
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(in), "r"(8));
  asm volatile("cp.async.cg.shared.global [%0+16], [%1+32], 16;" ::"r"(to), "l"(in));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(bar));
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(bar));
  asm volatile(
      "{\n .reg .pred done;\n WAIT:\n mbarrier.test_wait.shared.b64 done, [%0], %1;\n"
      " @!done bra WAIT;\n}" ::"r"(bar), "l"(token));
  asm volatile(
      "{\n .reg .pred p, q;\n .reg .b32 t<3>;\n setp.lt.and.s32 p|q, %0, 5, p;\n"
      " @p bra WAIT;\n @!q mov.u32 t1, %%laneid;\n WAIT:\n}" ::"r"(out[0]));
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(to));
  float f0 = 1, f1 = 2, f2 = 3, f3 = 4;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(f0), "+f"(f1), "+f"(f2), "+f"(f3) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(a), "r"(c));
  out[threadIdx.x] = a ^ b ^ c ^ d ^ tile[threadIdx.x] ^ (int)(f0 + f1 + f2 + f3);
  words[0] = __brevll(words[1]) + clock64();
}
#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) neighbours(int* out) {
  __shared__ int mine[32];
  mine[threadIdx.x] = out[threadIdx.x];
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
  const unsigned here = (unsigned)__cvta_generic_to_shared(&mine[threadIdx.x]);
  unsigned there;
  int value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(here));
  asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(there));
  asm volatile("fence.acq_rel.cluster; red.release.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there));
  asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;");
  out[threadIdx.x] = value;
}
#endif
