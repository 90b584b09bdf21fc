// cudaDeviceProp of CUDA 13, field by field in its order, and the device that we say we are.
//
// The emulated device is of compute capability 9.0, with the limits of such a device; only its
// number of multiprocessors is small, since programs size their grids by it and every block of
// theirs is emulated.
#pragma once

#include <cstddef>

namespace redflag::cudart {

struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t total_global, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t pitch;
  int max_threads_per_block, max_block[3], max_grid[3];
  std::size_t total_constant;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host;
  int texture_1d, texture_1d_mipmap, texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3];
  int texture_2d_gather[2], texture_3d[3], texture_3d_alt[3], texture_cubemap;
  int texture_1d_layered[2], texture_2d_layered[3], texture_cubemap_layered[2];
  int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3];
  int surface_cubemap, surface_cubemap_layered[2];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines;
  int unified_addressing, bus_width, l2_bytes, persisting_l2, threads_per_multiprocessor;
  int stream_priorities, global_l1, local_l1;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed, multi_gpu, multi_gpu_group, host_atomics;
  int pageable_access, concurrent_managed, preemption, host_pointer_for_registered, cooperative;
  std::size_t shared_opt_in;
  int pageable_by_host_tables, direct_managed, blocks_per_multiprocessor, policy_window;
  std::size_t shared_reserved;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools;
  int rdma;
  unsigned rdma_flush;
  int rdma_ordering;
  unsigned pool_handles;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps;
  int host_numa;
  unsigned pci_id, pci_subsystem;
  int multinode_ipc;
  int reserved[56];
};
static_assert(sizeof(DeviceProperties) == 1008);

const DeviceProperties& device_properties();
// cudaDeviceGetAttribute; false: no such attribute.
bool device_attribute(int attribute, int& value);

}  // namespace redflag::cudart
