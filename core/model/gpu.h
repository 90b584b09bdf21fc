// Steps of GPU kernels: what some lanes of one warp did, together.
//
// The emulator (and later the rewriter's device code and trace files) produces steps, the GPU detectors
// consume them, and neither knows the other. A step is a warp's instruction with the mask of the lanes
// that executed it, so that what 32 threads do alike is told once (Barracuda's trace operations,
// dissertation, section 5.3). Steps come in an order consistent with what happened: what an acquire
// saw was told before it.
//
// Addresses are those of global memory as the program has them. Shared memory is told apart per block
// by shared_address(): so one address is one memory everywhere, distributed shared memory included.
// Local, parameter and constant memory is not told: no two threads share it, or nobody writes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace redflag::gpu {

inline constexpr unsigned kWarp = 32;
using Lanes = std::uint32_t;  // bit k: lane k

enum class LaunchId : std::uint32_t {};  // from 1, in the order of execution
enum class SiteId : std::uint32_t {
};  // an instruction; whoever makes steps knows where it is. 0: none
enum class StreamId : std::uint32_t {};     // 0: the default stream
enum class HostEventId : std::uint32_t {};  // a cudaEvent_t

struct Dim {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim&, const Dim&) = default;
};

// Operations of a kernel, and of all that it may call, from which order between threads can come, or
// a memory's second life: what a detector for simple kernels must know before they run.
enum class SyncOp : std::uint8_t {
  kBlockBarrier,    // of all threads of a block: __syncthreads()
  kPartBarrier,     // with a number of threads, or bar.arrive
  kWarpSync,        // of all lanes: __syncwarp()
  kPartWarpSync,    // of lanes that a mask names
  kAtomic,          // relaxed, of device or system scope; of shared memory, of any scope
  kNarrowAtomic,    // relaxed, of block or cluster scope
  kOrderedAtomic,   // with acquire or release
  kFence,           //
  kClusterBarrier,  //
  kBarrierObject,   // mbarrier
  kAsyncCopy,       // and the stores and reductions of its kind
  kRemoteShared,    // shared memory of another block: mapa
  kAllocation,      // malloc, free
};
inline constexpr unsigned kSyncOpCount = 13;
struct SyncOps {
  bool known = false;  // false: whoever told the launch did not look
  std::uint32_t bits = 0;

  constexpr bool has(SyncOp op) const { return (bits >> static_cast<unsigned>(op) & 1) != 0; }
  constexpr void add(SyncOp op) { bits |= 1U << static_cast<unsigned>(op); }
  friend constexpr bool operator==(const SyncOps&, const SyncOps&) = default;
};

struct Launch {
  LaunchId id{0};
  std::string kernel;  // demangled where that is known
  Dim grid, block, cluster;
  std::uint64_t shared_bytes = 0;  // static and dynamic, of each block
  StreamId stream{0};
  ThreadId host_thread{0};
  bool cooperative = false;
  SyncOps sync;    // of the kernel
  SiteId site{0};  // of the call in the host program; 0: unknown

  constexpr std::uint32_t block_threads() const {
    return static_cast<std::uint32_t>(block.count());
  }
  constexpr std::uint32_t block_warps() const { return (block_threads() + kWarp - 1) / kWarp; }
};

// The place of a linear index in a grid or block: x runs fastest.
constexpr Dim place(std::uint64_t index, const Dim& of) {
  return {static_cast<std::uint32_t>(index % of.x), static_cast<std::uint32_t>(index / of.x % of.y),
          static_cast<std::uint32_t>(index / of.x / of.y)};
}

enum class Space : std::uint8_t { kGlobal, kShared };
inline constexpr std::uint64_t kSharedTag = std::uint64_t{1} << 62;
inline constexpr unsigned kSharedBits = 20;  // no block has more than 1 MiB
constexpr std::uint64_t shared_address(std::uint64_t block, std::uint64_t offset) {
  return kSharedTag | block << kSharedBits | offset;
}
constexpr bool is_shared(std::uint64_t address) {
  return (address & kSharedTag) != 0;
}
constexpr std::uint64_t shared_block(std::uint64_t address) {
  return (address & ~kSharedTag) >> kSharedBits;
}
constexpr std::uint64_t shared_offset(std::uint64_t address) {
  return address & ((std::uint64_t{1} << kSharedBits) - 1);
}

enum class StepKind : std::uint8_t {
  // Memory: `address` by lane, `size` bytes each. `value`: what was written, where it is known.
  kRead,        // weak, or volatile
  kWrite,       //
  kAtomicLoad,  // ld.relaxed, ld.acquire; a CAS that failed is kAtomicRmw with `wrote` 0 for its lane
  kAtomicStore,  // st.relaxed, st.release
  kAtomicRmw,    // atom, red
  // Order without memory.
  kFence,     // membar, fence: order kSeqCst or kAcqRel, scope
  kWarpSync,  // bar.warp.sync: the lanes have all arrived, and go on; orders their memory
  // Barriers of a block: `object` is the number, `round` counts its completions. Who waits arrives,
  // and passes when all that the round needs have arrived; bar.arrive only arrives.
  kBarrierArrive,
  kBarrierPass,
  kClusterArrive,  // barrier.cluster.arrive; order kRelease, or kRelaxed
  kClusterPass,    // barrier.cluster.wait; order kAcquire
  // Barrier objects in shared memory: `address` by lane, `round` is the phase.
  kMbarrierInit,
  kMbarrierArrive,  // order kRelease or kRelaxed, scope
  kMbarrierWait,    // a test_wait or try_wait that found phase `round` complete; order, scope
  kMbarrierInval,
  // cp.async: `address` is written, `source` is read, by lane, some time until the copy is waited for.
  kAsyncCopy,
  kAsyncCommit,  // closes the group of copies of each lane
  kAsyncWait,    // all but the last `object` groups of each lane are complete; ~0U: all copies
  kAsyncArrive,  // cp.async.mbarrier.arrive: arrives at `address` when the lane's copies so far are complete
  // Control flow.
  kBranch,      // the warp's active lanes part: `lanes` go first, `other` wait or go their own way
  kReconverge,  // `lanes` go on together
  kExit,        // `lanes` have ended
};

// Of kAtomicRmw: exchange and compare-and-swap make locks, so detectors tell them apart. Nobody reads
// the result of a reduction: it publishes, but tells its thread nothing.
enum class RmwOp : std::uint8_t { kOther, kExchange, kCompareSwap, kReduction };

struct Step {
  StepKind kind = StepKind::kRead;
  Order order = Order::kPlain;
  Scope scope = Scope::kSystem;
  Space space = Space::kGlobal;
  bool is_volatile = false;
  RmwOp op = RmwOp::kOther;
  bool aligned = false;   // kBarrierArrive: bar.*, barrier.*.aligned: whole warps only
  std::uint8_t size = 0;  // bytes of each lane; vectors are one access of all their bytes
  Lanes lanes = 0;
  Lanes other = 0;         // kBranch
  Lanes wrote = 0;         // kAtomicRmw: lanes that changed memory
  Lanes converged = 0;     // lanes that executed it as one instruction; more than `lanes` never
  std::uint32_t warp = 0;  // in its block
  // Instructions that the warp has executed since its step before, this one included, for those who
  // model time; 0: unknown, or of a step that is no instruction. (Where padding was.)
  std::uint32_t instructions = 0;
  std::uint64_t block = 0;  // linear, in its grid
  SiteId site{0};
  std::uint32_t object = 0;
  std::uint32_t round = 0;
  std::uint32_t expected = 0;  // kBarrierArrive: threads that the round needs; 0: the whole block
  // kWarp entries each, valid where `lanes` has the bit; nullptr where the kind has none.
  const std::uint64_t* address = nullptr;
  const std::uint64_t* source = nullptr;
  const std::uint64_t* value = nullptr;  // the first 8 bytes
};
static_assert(sizeof(Step) == 80, "told for every instruction of a warp: keep it small");

// What the host does with device memory and with time. An operation in a stream is ordered after what
// was put into that stream before; the host goes on at once unless `waits`.
enum class HostKind : std::uint8_t {
  kAlloc,       // memory [address, address + size) is new; also of a kernel's malloc, in its launch
  kFree,        //
  kWrite,       // a copy to the device, or a memset, in `stream`
  kRead,        // a copy from the device, in `stream`
  kHostWrite,   // the host itself touches managed or mapped memory
  kHostRead,    //
  kSyncStream,  // the host waits for all of `stream`
  kSyncDevice,  // the host waits for everything
  kRecordEvent,        // `event` is put into `stream`
  kSyncEvent,          // the host waits for `event`
  kStreamWait,         // what follows in `stream` waits for `event`
  kStreamNonBlocking,  // `stream` does not wait for the default stream, nor that one for it
};
struct HostStep {
  HostKind kind = HostKind::kAlloc;
  bool waits = false;
  ThreadId host_thread{0};
  StreamId stream{0};
  HostEventId event{0};
  SiteId site{0};  // of the call in the host program; 0: unknown
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

// Who consumes steps. Called by one thread at a time, in order.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void launch_begins(const Launch& launch) = 0;
  virtual void step(const Step& step) = 0;  // of the launch that began last and has not ended
  virtual void launch_ends(LaunchId launch) = 0;
  virtual void host(const HostStep& step) = 0;
};

}  // namespace redflag::gpu
