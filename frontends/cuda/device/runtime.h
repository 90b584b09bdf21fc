// Runtime: the host's part of what runs in kernels.
//
// A runtime is PTX that defines the hooks, and on the host a Runtime that makes its state in the
// device's memory and hears from it. Whoever launches kernels (frontends/cuda/inject on a GPU, tests
// on the emulated one) tells it of modules, memory and launches in the order in which the program
// calls, under one lock, and gets findings out. Memory of the device is behind an interface, so that
// the same code serves both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/detect/gpu/gpu_race.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/texture/texture.h"

namespace redflag::device {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual Result<std::uint64_t> allocate(std::uint64_t bytes) = 0;  // zeroed
  virtual void free(std::uint64_t address) = 0;
  virtual void clear(std::uint64_t from, std::uint64_t bytes) = 0;  // zeroes
  virtual void write(std::uint64_t to, std::span<const std::byte> bytes) = 0;
  virtual void read(std::uint64_t from, std::span<std::byte> bytes) = 0;
  // Memory of the host that kernels reach too, at an address of their own; zeroed.
  struct Mapped {
    std::byte* host = nullptr;
    std::uint64_t device = 0;
  };
  virtual Result<Mapped> allocate_mapped(std::uint64_t bytes) = 0;
  virtual std::uint64_t free_bytes() const = 0;  // what could be allocated
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  // For rewrite::Options, of a module whose target is sm_`sm`: distributed shared memory needs
  // instructions that older targets do not have.
  virtual std::string_view ptx(std::uint32_t sm) const = 0;
  // What the host stores in kStateSymbol of every rewritten module.
  virtual Result<std::uint64_t> state() = 0;

  // What the program does with the device. What ends, ends when the host knows that it has. Of
  // kernels that were not rewritten nothing is told. Returns the value of the kernel's last parameter.
  virtual std::uint64_t launch_begins(const gpu::Launch& launch, std::uint64_t dynamic_shared) = 0;
  // The same value, where a launch is only described: as a node of a graph.
  virtual std::uint64_t parameter(const gpu::Launch& launch,
                                  std::uint64_t dynamic_shared) const = 0;
  // Dynamic shared memory that a launch must have besides the program's own, of a rewritten kernel
  // with `fixed` bytes of static and a launch with `dynamic` bytes of dynamic memory, and so many
  // threads in a block.
  virtual std::uint64_t more_shared(std::uint64_t fixed, std::uint64_t dynamic,
                                    std::uint64_t threads) const = 0;
  // The value of the last parameter where a launch cannot have that much: its shared memory is not
  // checked.
  virtual std::uint64_t without_more_shared(std::uint64_t value) const = 0;
  // And where the host may touch what the launch accesses: it tells also of what no other launch can race with.
  virtual std::uint64_t telling_all(std::uint64_t value) const { return value; }
  virtual void launch_ends(gpu::LaunchId launch) = 0;
  // Of a launch that has begun: nobody else, host or kernel, touches what it accesses until it has ended, as far
  // as the host can know. Then it may be a version of the kernel that tells less.
  virtual bool runs_alone(const gpu::Launch& /*launch*/) const { return false; }
  // The allocation that the address is in, and that the host has not touched; 0: none.
  virtual std::uint64_t allocation_of(std::uint64_t /*address*/) const { return 0; }
  // Another number whenever an answer of allocation_of() may have changed; 0: not known.
  virtual std::uint64_t allocations_version() const { return 0; }
  // What versions of kernels need that tell of accesses by cells at fixed places: cells for these allocations, by
  // their begins; false: there are none.
  virtual bool make_cells(std::span<const std::uint64_t> /*allocations*/, Cells /*which*/) {
    return false;
  }
  // The value of the last parameter for a launch of such a version, behind make_cells; without those as it is.
  virtual std::uint64_t with_cells(std::uint64_t value) { return value; }
  virtual void host(const gpu::HostStep& step) = 0;
  // Texture and surface objects that kernels may be given from now on, by handle. Memory behind them is told as an allocation,
  // also that of arrays: `object` says at which addresses they are told. What nobody added is not told of.
  virtual void add_image(std::uint64_t /*handle*/, const cuda::Texture& /*object*/) {}
  virtual void remove_image(std::uint64_t /*handle*/, bool /*is_surface*/) {}
  // Whether memory of the allocation, by its begin, may be read through a texture.
  virtual bool has_texture(std::uint64_t /*allocation*/) const { return true; }

  // Findings since the last time; may be called while kernels run.
  virtual std::vector<gpu::GpuRace> collect() = 0;
  virtual std::uint64_t dropped() const = 0;
  virtual std::vector<Counter> stats() const = 0;
  // What could not be checked, or only in part, and why: a sentence for each limit that was reached.
  virtual std::vector<std::string> notices() const { return {}; }
};

// Every event to a gpu::Sink on the host, in an order that could have been; nothing is lost. nullptr:
// there is no such detector.
std::unique_ptr<Runtime> make_stream_runtime(DeviceMemory& memory, std::string_view detector);
// The detector in the GPU.
struct CompactSizes {
  std::uint32_t chunks = 1U << 20;       // lines that can be told word by word, 512 bytes each
  std::uint32_t threads = 20U << 16;     // of resident blocks, 208 bytes each
  std::uint32_t nodes = 63U << 14;       // signals of 64 launches, 64 bytes each
  std::uint32_t locations = 1U << 18;    // through which they go; a power of two
  std::uint32_t heap_pages = 16;         // of 2 MiB, of the device's heap: 512 KiB each
  std::uint32_t allocations = 1U << 16;  // there; a power of two
  std::uint32_t cluster_lines = 1U
                                << 21;  // of 128 bytes of shared memory in clusters, 32 bytes each
  std::uint32_t copying_threads = 1U << 19;  // with asynchronous copies, 208 bytes each
  bool shared_shadow = true;                 // check shared memory, with more_shared()
  std::uint64_t schedule = 0;  // which warps are held back, by hash; 0: none (compact_schedule.h)
};
std::unique_ptr<Runtime> make_compact_runtime(DeviceMemory& memory, const CompactSizes& sizes);

}  // namespace redflag::device
