#include "frontends/cuda/cudart/device_properties.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

constexpr int kMegaHertz = 1000;  // clocks are told in kHz

DeviceProperties make() {
  DeviceProperties p{};
  std::strncpy(p.name, "Redflag emulated GPU (sm_90)", sizeof(p.name) - 1);
  std::memcpy(p.uuid, "redflag-emulator", sizeof(p.uuid));
  p.total_global = std::size_t{80} << 30;
  p.shared_per_block = kSharedPerBlock;
  p.registers_per_block = kRegisters;
  p.warp_size = 32;
  p.pitch = 0x7fffffff;
  p.max_threads_per_block = 1024;
  p.max_block[0] = p.max_block[1] = 1024;
  p.max_block[2] = 64;
  p.max_grid[0] = 0x7fffffff;
  p.max_grid[1] = p.max_grid[2] = 65535;
  p.total_constant = 65536;
  p.major = 9;
  p.texture_alignment = p.surface_alignment = 512;
  p.texture_pitch_alignment = 32;
  p.multiprocessors = kMultiprocessors;
  p.can_map_host = 1;
  p.concurrent_kernels = 1;
  p.async_engines = 3;
  p.unified_addressing = 1;
  p.bus_width = 5120;
  p.l2_bytes = 50 << 20;
  p.threads_per_multiprocessor = kThreadsPerMultiprocessor;
  p.stream_priorities = p.global_l1 = p.local_l1 = 1;
  p.shared_per_multiprocessor = kSharedPerMultiprocessor;
  p.registers_per_multiprocessor = kRegisters;
  p.managed = p.concurrent_managed = p.preemption = 1;
  p.host_atomics = 0;
  p.host_pointer_for_registered = p.cooperative = 1;
  p.shared_opt_in = kSharedOptIn;
  p.blocks_per_multiprocessor = kBlocksPerMultiprocessor;
  p.shared_reserved = kSharedReserved;
  p.host_register = 1;
  p.memory_pools = 1;
  p.cluster_launch = 1;
  p.numa_id = -1;
  p.host_numa = -1;
  return p;
}

// Attribute number to value; 0 for the others up to the last.
struct Row {
  int attribute;
  int value;
};
constexpr int kLastAttribute = 147;
constexpr auto kRows = std::to_array<Row>({
    {1, 1024},                                         // MaxThreadsPerBlock
    {2, 1024},                                         // MaxBlockDimX
    {3, 1024},                                         // MaxBlockDimY
    {4, 64},                                           // MaxBlockDimZ
    {5, 0x7fffffff},                                   // MaxGridDimX
    {6, 65535},                                        // MaxGridDimY
    {7, 65535},                                        // MaxGridDimZ
    {8, static_cast<int>(kSharedPerBlock)},            // MaxSharedMemoryPerBlock
    {9, 65536},                                        // TotalConstantMemory
    {10, 32},                                          // WarpSize
    {11, 0x7fffffff},                                  // MaxPitch
    {12, kRegisters},                                  // MaxRegistersPerBlock
    {13, 1700 * kMegaHertz},                           // ClockRate
    {14, 512},                                         // TextureAlignment
    {15, 1},                                           // GpuOverlap
    {16, kMultiprocessors},                            // MultiProcessorCount
    {19, 1},                                           // CanMapHostMemory
    {30, 512},                                         // SurfaceAlignment
    {31, 1},                                           // ConcurrentKernels
    {36, 2600 * kMegaHertz},                           // MemoryClockRate
    {37, 5120},                                        // GlobalMemoryBusWidth
    {38, 50 << 20},                                    // L2CacheSize
    {39, kThreadsPerMultiprocessor},                   // MaxThreadsPerMultiProcessor
    {40, 3},                                           // AsyncEngineCount
    {41, 1},                                           // UnifiedAddressing
    {51, 32},                                          // TexturePitchAlignment
    {75, 9},                                           // ComputeCapabilityMajor
    {76, 0},                                           // ComputeCapabilityMinor
    {78, 1},                                           // StreamPrioritiesSupported
    {79, 1},                                           // GlobalL1CacheSupported
    {80, 1},                                           // LocalL1CacheSupported
    {81, static_cast<int>(kSharedPerMultiprocessor)},  // MaxSharedMemoryPerMultiprocessor
    {82, kRegisters},                                  // MaxRegistersPerMultiprocessor
    {83, 1},                                           // ManagedMemory
    {87, 2},                                           // SingleToDoublePrecisionPerfRatio
    {89, 1},                                           // ConcurrentManagedAccess
    {90, 1},                                           // ComputePreemptionSupported
    {91, 1},                                           // CanUseHostPointerForRegisteredMem
    {95, 1},                                           // CooperativeLaunch
    {97, static_cast<int>(kSharedOptIn)},              // MaxSharedMemoryPerBlockOptin
    {99, 1},                                           // HostRegisterSupported
    {106, kBlocksPerMultiprocessor},                   // MaxBlocksPerMultiprocessor
    {111, static_cast<int>(kSharedReserved)},          // ReservedSharedMemoryPerBlock
    {115, 1},                                          // MemoryPoolsSupported
    {120, 1},                                          // ClusterLaunch
    {131, -1},                                         // NumaId
    {134, -1},                                         // HostNumaId
});

}  // namespace

const DeviceProperties& device_properties() {
  static const DeviceProperties properties = make();
  return properties;
}

bool device_attribute(int attribute, int& value) {
  if (attribute < 1 || attribute > kLastAttribute) return false;
  value = 0;
  for (const Row& row : kRows) {
    if (row.attribute == attribute) value = row.value;
  }
  return true;
}

}  // namespace redflag::cudart
