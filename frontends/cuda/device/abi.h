// What rewritten kernels, the device runtime and the host agree on.
//
// The rewriter (frontends/cuda/rewrite) puts calls of hooks (hooks.inc) into kernels and merges a
// runtime that defines them into the module; runtimes are C++ compiled to PTX in our build
// (frontends/cuda/device). Each module then has a variable kStateSymbol: the host (frontends/cuda/
// inject on a GPU, tests in the emulator) stores the address of the runtime's state there before the
// first launch. 0: hooks return at once.
//
// Constants of a site are packed into 32 bits, so that an inlined hook folds them away.
// Compiles for host and device: integers and constexpr functions only.
#pragma once

#include <cstdint>

#include "core/detect/gpu/portable.h"
#include "core/model/ids.h"
#include "frontends/cuda/texture/texture.h"

namespace redflag::device {

inline constexpr char kStateSymbol[] = "redflag_state";  // .global .u64, in every rewritten module
// .global .u32 with an initial value, which a runtime may have: hooks of at most so many instructions
// are put in place of their calls.
inline constexpr char kSpliceSymbol[] = "redflag_splice_most";
inline constexpr char kBlockSymbol[] = "redflag_block";  // .shared, of the block; the runtime's own

enum class Deed : std::uint8_t { kRead, kWrite, kAtomicLoad, kAtomicStore, kAtomicRmw, kOther };
enum class Memory : std::uint8_t { kGeneric, kGlobal, kShared, kSharedCluster };
// As gpu::RmwOp.
enum class Rmw : std::uint8_t { kOther, kExchange, kCompareSwap, kReduction };

struct What {
  Deed deed = Deed::kOther;
  Memory memory = Memory::kGeneric;
  Order order = Order::kPlain;
  Scope scope = Scope::kSystem;
  Rmw rmw = Rmw::kOther;  // kReduction: also an atom whose result nobody reads
  bool is_volatile = false;
  bool aligned = false;  // barriers: whole warps only; of an mbarrier: the arrival drops
  bool is_endless =
      false;  // of a read-modify-write: the module has no store that could end the release
              // sequence that it is part of
  std::uint8_t bytes = 0;  // of a lane: 1 to 64

  REDFLAG_HD constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(deed) | static_cast<std::uint32_t>(memory) << 3 |
           static_cast<std::uint32_t>(order) << 5 | static_cast<std::uint32_t>(scope) << 8 |
           static_cast<std::uint32_t>(rmw) << 11 | std::uint32_t{is_volatile} << 13 |
           std::uint32_t{aligned} << 14 | std::uint32_t{is_endless} << 15 |
           std::uint32_t{bytes} << 16;
  }
  REDFLAG_HD static constexpr What of(std::uint32_t packed) {
    What what;
    what.deed = static_cast<Deed>(packed & 7);
    what.memory = static_cast<Memory>(packed >> 3 & 3);
    what.order = static_cast<Order>(packed >> 5 & 7);
    what.scope = static_cast<Scope>(packed >> 8 & 7);
    what.rmw = static_cast<Rmw>(packed >> 11 & 3);
    what.is_volatile = (packed >> 13 & 1) != 0;
    what.aligned = (packed >> 14 & 1) != 0;
    what.is_endless = (packed >> 15 & 1) != 0;
    what.bytes = static_cast<std::uint8_t>(packed >> 16);
    return what;
  }
  friend constexpr bool operator==(const What&, const What&) = default;
};

// How an instruction reaches an image.
struct ImageHow {
  cuda::ImageShape shape = cuda::ImageShape::k1d;
  bool is_whole = false;      // of a texture: coordinates are integers, not floats
  bool gathers = false;       // of a texture: tld4
  bool is_formatted = false;  // of a surface: x counts elements
  cuda::Boundary boundary = cuda::Boundary::kTrap;  // of a surface

  REDFLAG_HD constexpr std::uint32_t packed() const {
    return static_cast<std::uint32_t>(shape) | std::uint32_t{is_whole} << 3 |
           std::uint32_t{gathers} << 4 | std::uint32_t{is_formatted} << 5 |
           static_cast<std::uint32_t>(boundary) << 6;
  }
  REDFLAG_HD static constexpr ImageHow of(std::uint32_t packed) {
    ImageHow how;
    how.shape = static_cast<cuda::ImageShape>(packed & 7);
    how.is_whole = (packed >> 3 & 1) != 0;
    how.gathers = (packed >> 4 & 1) != 0;
    how.is_formatted = (packed >> 5 & 1) != 0;
    how.boundary = static_cast<cuda::Boundary>(packed >> 6 & 3);
    return how;
  }
  friend constexpr bool operator==(const ImageHow&, const ImageHow&) = default;
};

enum class When : std::uint8_t { kBefore, kAfter };
enum class Hook : std::uint8_t {
#define HOOK(name, symbol, arguments, when) k##name,
#include "frontends/cuda/device/hooks.inc"
#undef HOOK
};
struct HookInfo {
  const char* symbol;
  const char* arguments;
  When when;
};
inline constexpr HookInfo kHooks[] = {
#define HOOK(name, symbol, arguments, when) {symbol, arguments, When::when},
#include "frontends/cuda/device/hooks.inc"
#undef HOOK
};
inline constexpr unsigned kHookCount = sizeof(kHooks) / sizeof(kHooks[0]);

// Frequent accesses. A runtime may have these besides, with the arguments of the hook in whose place
// they are called: what they are for need not be asked, so that they can be small and spliced.
struct SpecialHook {
  Hook of;
  Memory memory;
  std::uint8_t bytes;
  const char* symbol;
};
inline constexpr SpecialHook kSpecialHooks[] = {
    {Hook::kLoad, Memory::kGlobal, 4, "redflag_load_global4"},
    {Hook::kLoad, Memory::kGlobal, 8, "redflag_load_global8"},
    {Hook::kLoad, Memory::kShared, 4, "redflag_load_shared4"},
    {Hook::kStore, Memory::kGlobal, 4, "redflag_store_global4"},
    {Hook::kStore, Memory::kShared, 4, "redflag_store_shared4"},
};

// Accesses of whole words of global memory, but for volatile ones, in versions of kernels whose allocations may
// have direct cells (core/detect/gpu/compact/direct.h), which a runtime may have besides. Atomics that only read
// have no begin there, and those that only write no end.
enum class Cells : std::uint8_t { kFlat, kDirect };  // that a launch may have
struct DirectHook {
  Hook of;
  const char* symbol;
};
inline constexpr DirectHook kDirectHooks[] = {
    {Hook::kLoad, "redflag_direct_load"},
    {Hook::kStore, "redflag_direct_store"},
    {Hook::kAtomicBegin, "redflag_direct_atomic_begin"},
    {Hook::kAtomicEnd, "redflag_direct_atomic_end"},
};

// Hooks of kernels that synchronise by barriers alone, which a runtime may have besides (rewrite/hot.h
// puts the frequent part in place, and calls these for the rest). They have the arguments of the hook
// that they stand for, then three numbers of 32 bits: the thread's tag, where its warp's log goes on,
// or, of load, store, atomic, texture and surface, the lanes that access together, and the block's time. What they
// return takes the place of the log or of the tag.
struct HotHook {
  const char* symbol;
  const char* arguments;  // as in hooks.inc, before tag, log and time
};
inline constexpr HotHook kHotLoad{"redflag_hot_load", "LII"};
inline constexpr HotHook kHotRange{"redflag_hot_range", "LIIII"};  // as load, stride, count
inline constexpr HotHook kHotStore{"redflag_hot_store", "LIIL"};
inline constexpr HotHook kHotAtomic{"redflag_hot_atomic", "LIIL"};
inline constexpr HotHook kHotTexture{"redflag_hot_texture", "LIIIIIII"};
inline constexpr HotHook kHotSurface{"redflag_hot_surface", "LIIIIIIL"};
inline constexpr HotHook kHotGlobal{"redflag_hot_global", "LIIL"};  // the log
inline constexpr HotHook kHotFlush{"redflag_hot_flush", ""};        // the log
inline constexpr HotHook kHotExit{"redflag_hot_exit", ""};
inline constexpr HotHook kHotArrive{"redflag_hot_arrive", "III"};  // site, what, number: the log
inline constexpr HotHook kHotPass{"redflag_hot_pass", ""};         // the tag
// In place of Hook::kEnter, with the launch and HotUses; returns nine numbers: lanes, scale, shadow, tag,
// last tag, log, time, slot, quiet roots.
inline constexpr char kHotEnter[] = "redflag_hot_enter";
enum HotUses : std::uint32_t {
  kUsesRoots = 1,   // kRoots was called
  kUsesShared = 2,  // memory
  kOnlyRoots = 4,   // if all roots are quiet nothing is left to be told
};
// The time behind the block's last barrier, below a bit that each barrier flips. What some warp's time
// has come to since waits at the slot, of two that take turns, with the bit flipped.
inline constexpr std::uint32_t kFlips = 1U << 31;

// Versions of kernels that only store where threads may meet (rewrite/flat.h). kFlatEnter gets the launch and
// returns where the cells' table is (0: nothing is checked) and the thread's cell without time; kFlatMet is called
// by all lanes of a store of which one found another write of the launch: (address, number of the
// store, what, value, cell that was there, the thread's cell, site of the first store, launch); kFlatLate when
// there are no more times: kFlatEnter's table is 0 from then on.
inline constexpr char kFlatEnter[] = "redflag_flat_enter";
inline constexpr char kFlatMet[] = "redflag_flat_met";
inline constexpr char kFlatLate[] = "redflag_flat_late";

// What a kernel does through the pointers that it gets (rewrite/roots.h). A runtime may have these: the
// block's first thread gives kRoots the deeds of all roots, kRootDeedBits each, and kMostRoots addresses;
// all then call kEnterWithRoots in place of Hook::kEnter. kQuietRoots gives a bit for each root: nothing
// that the kernel does through it can race.
inline constexpr std::uint32_t kAllQuiet = 1U << 31;  // all of them
enum RootDeed : std::uint32_t { kRootReads = 1, kRootWrites = 2, kRootAtomics = 4, kRootAll = 7 };
inline constexpr unsigned kRootDeedBits = 4, kMostRoots = 8;
static_assert(kRootDeedBits * kMostRoots == 32);
inline constexpr char kRoots[] = "redflag_roots";
inline constexpr char kEnterWithRoots[] = "redflag_enter_with_roots";
inline constexpr char kQuietRoots[] = "redflag_quiet_roots";

}  // namespace redflag::device
