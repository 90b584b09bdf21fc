// Device: a GPU that is not there. Loads PTX, holds memory, runs kernels.
//
//   Device device({.seed = 7, .sink = &detector});
//   const ModuleId module = *device.load(std::move(parsed));
//   const std::uint64_t p = *device.allocate(bytes);
//   Result<void> ran = device.launch(*device.find_kernel(module, "k"), {.grid = {64}, .block = {256}}, params);
//
// Global memory is this process's own memory: a device address is a pointer, so that managed and mapped
// host memory need no translation. Every access of a kernel is checked against the allocations; one that
// is outside, misaligned or in freed memory ends the launch with an AccessFault. Kernels run when they
// are launched, one after the other, to their end: what streams would allow to overlap is told to the
// sink as it was ordered, not as it ran.
//
// One schedule per seed: which block, which warp, which part of a diverged warp goes next is drawn from
// it, fairly: whoever can go on does so after finitely many steps, also a lane that another lane of its
// warp waits for (independent thread scheduling). Diverged lanes meet again at the post-dominator of
// their branch unless `lockstep` is off there (see machine.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "core/model/sources.h"
#include "frontends/cuda/emulate/texture.h"
#include "frontends/cuda/ptx/ir.h"

namespace redflag::cuda {

enum class ModuleId : std::uint32_t {};
enum class KernelId : std::uint32_t {};

// What %nsmid says, and the properties of the device. Few, since programs size their grids by it and
// every block of theirs is emulated.
inline constexpr std::uint32_t kMultiprocessors = 16;

struct DeviceOptions {
  std::uint64_t seed = 0;  // 0: blocks and warps in their order, each as long as it can go on
  bool lockstep = false;   // as before Volta: a warp's lanes never part for longer than a branch
  std::uint32_t sm = 90;   // compute capability times ten, for %… and for what is supported
  unsigned workers = 1;    // host threads for independent blocks; only without a sink
  std::uint64_t timeout_ms = 0;                          // of a launch; 0: none
  std::uint64_t memory_bytes = std::uint64_t{80} << 30;  // what the device says that it has
  gpu::Sink* sink = nullptr;                             // may be nullptr: nothing is told
};

struct LaunchConfig {
  gpu::Dim grid{}, block{};
  gpu::Dim cluster{};  // one block: as the kernel says, or none
  std::uint64_t dynamic_shared = 0;
  gpu::StreamId stream{0};
  ThreadId host_thread{0};
  bool cooperative = false;
  gpu::SiteId site{0};  // of the host's call
};

struct KernelInfo {
  std::string name;                              // as in the PTX
  std::vector<std::uint32_t> parameter_offsets;  // in the block of parameters
  std::vector<std::uint32_t> parameter_sizes;
  std::uint32_t parameter_bytes = 0;
  std::uint64_t static_shared = 0;
  std::uint64_t local_bytes = 0;
  std::uint32_t most_threads = 1024;  // .maxntid, or the device's limit
  gpu::Dim needed_block{0, 0, 0};     // .reqntid; 0: any
  gpu::Dim cluster{0, 0, 0};          // .reqnctapercluster; 0: as the launch says
  std::uint32_t most_cluster = 16;    // .maxclusterrank, or the device's limit
  bool grid_of_clusters = false;      // .blocksareclusters: a launch counts clusters
  std::uint32_t registers = 0;
  std::uint32_t sm = 0;  // of the module's target
};

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

enum class FaultKind : std::uint8_t {
  kNone,
  kOutOfBounds,
  kMisaligned,
  kUseAfterFree,
  kTrap,      // trap, or an illegal instruction
  kAssert,    // device-side assert
  kTimeout,   // with where each block stands in `text`
  kDeadlock,  // no thread can go on: a barrier that some left out
  kOutOfMemory,
  kStackOverflow,
};
// Why a launch could not begin, as CUDA tells the cases apart.
enum class Refusal : std::uint8_t { kConfiguration, kValue, kClusterSize };
// Why a launch ended early.
struct Fault {
  FaultKind kind = FaultKind::kNone;
  Refusal refusal = Refusal::kConfiguration;  // where launch() is an error
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  bool wrote = false;
  std::uint64_t block = 0;   // linear
  std::uint32_t thread = 0;  // linear in its block
  gpu::SiteId site{0};
  std::string text;  // for people, with kernel, coordinates and source line
};

// The grid in blocks and the cluster, by what the launch and the kernel say; or why it cannot begin. What
// CUDA 13 answers to each case was tried on an H200.
Result<void> settle_sizes(const KernelInfo& kernel, LaunchConfig& config, Refusal& refusal);

struct LaunchStats {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t busiest_ns = 0;  // processor time of the worker that had most, of each launch
};

class Device {
 public:
  explicit Device(const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Symbols that are extern here may be defined in a module loaded before or after.
  Result<ModuleId> load(ptx::Module module);
  void unload(ModuleId module);
  // Everything that the kernel may reach is looked at now: what is not supported is an error that
  // names it with file and line, before anything runs.
  Result<KernelId> find_kernel(ModuleId module, std::string_view name) const;
  Result<Symbol> find_symbol(ModuleId module, std::string_view name) const;
  const KernelInfo& info(KernelId kernel) const;

  // Memory. Addresses are pointers of this process.
  Result<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t align = 256);
  Result<void> free(std::uint64_t address);
  // Memory of the host that kernels may use from now on, until it is taken back.
  void adopt(std::uint64_t address, std::uint64_t bytes);
  void disown(std::uint64_t address);
  // The allocation that holds an address; size 0: none.
  Symbol allocation_of(std::uint64_t address) const;

  // Texture and surface objects, by the handle that kernels get. The image's memory stays its owner's.
  std::uint64_t add_texture(const Texture& texture);
  void remove_texture(std::uint64_t handle);
  const Texture* find_texture(std::uint64_t handle) const;  // nullptr: none, or no more

  // Runs it to its end. An error is a launch that could not begin (sizes, missing symbols); a fault is in
  // `fault`, and everything found before it has been told.
  Result<void> launch(KernelId kernel, const LaunchConfig& config,
                      std::span<const std::byte> params, Fault& fault);
  const LaunchStats& stats() const;  // of all launches so far
  // What device printf wrote goes here; stdout if it is not set.
  void on_printf(void (*write)(void* context, std::string_view text), void* context);

  // Where a site is: function, file, line, and the functions that it was inlined into, innermost first.
  std::vector<Frame> frames(gpu::SiteId site) const;
  std::string_view instruction_text(gpu::SiteId site) const;  // the PTX
  gpu::LaunchId last_launch() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redflag::cuda
