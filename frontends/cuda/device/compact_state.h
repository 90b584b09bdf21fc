// What the runtime `compact` keeps: layouts that its device half and its host half share.
//
// State is in the device's memory, one for the process. Lines (core/detect/gpu/compact/line.h) are
// found by a table of two levels over the address; cells come in chunks from a pool. Block is in the
// shared memory of each block; behind the block's own shared memory there is a Shadow for each of its
// words. What order needs that is not by barriers is in compact_signal_state.h.
//
// Who writes what: the host fills tables before a launch that needs them and reads races at any
// time; everything else is the device's. Counters only grow while kernels run.
#pragma once

#include <cstdint>

#include "core/detect/gpu/compact/direct.h"
#include "core/detect/gpu/compact/flat.h"
#include "core/detect/gpu/compact/kept.h"
#include "core/detect/gpu/compact/line.h"
#include "core/detect/gpu/compact/log.h"
#include "core/detect/gpu/compact/tag.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/device/compact_signal_state.h"

namespace redflag::device::compact {

using gpu::compact::Cell;
using gpu::compact::Line;

inline constexpr unsigned kMostWarps = 32;
inline constexpr std::uint64_t kReservedShared = 1024;  // of the system, in front of the program's
inline constexpr unsigned kBarriers = 16;               // of a block
inline constexpr unsigned kPageBits = 21;    // memory that has one entry of the second level
inline constexpr unsigned kRegionBits = 37;  // one of the first
inline constexpr unsigned kAddressBits = 48;
inline constexpr std::uint32_t kRegions = 1U << (kAddressBits - kRegionBits);
inline constexpr std::uint32_t kRegionPages = 1U << (kRegionBits - kPageBits);
inline constexpr std::uint32_t kLinesOfPage = (1U << kPageBits) / gpu::compact::kLineBytes;
inline constexpr std::uint64_t kTagMask = 15;  // of an address of lines
inline constexpr std::uint32_t kChunkBytes = gpu::compact::kLineWords * sizeof(Cell);
inline constexpr std::uint64_t kFlatBytes = (std::uint64_t{1} << kPageBits) / gpu::compact::kUnit *
                                            sizeof(gpu::compact::Flat);  // of a page
inline constexpr std::uint64_t kDirectBytes =
    (std::uint64_t{1} << kPageBits) / gpu::compact::kUnit * sizeof(Cell);
inline constexpr std::uint32_t kPairs = 1U << 12;
inline constexpr std::uint32_t kRaces = 1U << 12;

// The launch's parameter: its number, and what the host found out about it.
inline constexpr std::uint64_t kHasShadow = std::uint64_t{1} << 63;   // of shared memory
inline constexpr std::uint64_t kHasSignals = std::uint64_t{1} << 62;  // order besides barriers
inline constexpr std::uint64_t kNotChecked = std::uint64_t{1} << 61;  // hooks return at once
inline constexpr std::uint64_t kNoLog = std::uint64_t{1} << 60;  // addresses do not fit a record
inline constexpr std::uint64_t kHasCopies = std::uint64_t{1} << 58;   // asynchronous ones
inline constexpr std::uint64_t kInClusters = std::uint64_t{1} << 59;  // of more than one block
inline constexpr std::uint64_t kDirectCells = std::uint64_t{1}
                                              << 57;  // the stamp is of direct cells
inline constexpr unsigned kTableAt = 46;              // which table of allocations is true; 0: none
inline constexpr std::uint64_t kTableMask = 15;
inline constexpr unsigned kStampAt =
    50;  // of flat cells (core/detect/gpu/compact/flat.h) or direct ones; 0: there are none
inline constexpr std::uint64_t kStampMask = gpu::compact::Flat::kLastStamp;
static_assert(gpu::compact::Direct::kLastStamp <= kStampMask);
inline constexpr unsigned kDynamicAt = 32;  // the program's dynamic shared memory, in 16 bytes
inline constexpr std::uint64_t kDynamicMask = (1U << 14) - 1;

// Allocations of the program that kernels reach through pointers, in the order of addresses: a ring of
// tables, since kernels may still use one when the next is made (compact_allocations.h).
inline constexpr std::uint32_t kTables = kTableMask;  // numbered from 1
inline constexpr std::uint32_t kTableRanges = 1023;
struct AllocationRange {
  std::uint64_t begin = 0, end = 0;
};
struct AllocationTable {
  std::uint64_t count = 0, unused = 0;
  AllocationRange ranges[kTableRanges];
};
static_assert(sizeof(AllocationTable) == 16 * (kTableRanges + 1));

// Asynchronous copies of a thread (compact_copies.h).
inline constexpr std::uint32_t kGroups = 8;
inline constexpr std::uint32_t kSources = 4;
struct Waited {
  std::uint32_t bound = 0;  // copies that were started before this time are complete
  std::uint32_t at = 0;     // when it waited
};
struct Source {
  std::uint64_t from = 0;
  std::uint32_t bytes = 0;  // 0: none
  std::uint32_t site = 0;
  std::uint32_t time = 0;
  std::uint32_t what = 0;
};
struct Copies {
  std::uint32_t groups = 0, waits = 0, source_count = 0, unused = 0;
  std::uint32_t commits[kGroups] = {};  // times
  Waited waited[kGroups];
  Source sources[kSources];
};
static_assert(sizeof(Copies) == 208);

struct Allocation {           // of the device's heap, by hash of the address
  std::uint64_t address = 0;  // 0: unused; kGone: not any more
  std::uint64_t bytes = 0;
};
inline constexpr std::uint64_t kGone = 1;
inline constexpr std::uint64_t kSpareBytes = kLinesOfPage * sizeof(Line);
static_assert(kSpareBytes == kRegionPages * sizeof(std::uint64_t));

enum RaceFlags : std::uint32_t {
  kShared = 1,          // memory
  kFirstWrote = 2,      // the earlier access
  kOneInstruction = 4,  // lanes of one instruction
  kScopes = 8,          // atomics whose scopes do not reach
  kComplete = 16,       // written last: the record can be read
  kAnyThread = 32,      // which thread was first is not known
  kShortSite = 64,      // of the first one only the last bits (kShadowSiteBits)
  kTagSite = 1024,      // so many of them as a tag has
  kHostFirst = 128,     // the earlier access is the host's: the word is its number
  kDivergence = 512,    // lanes of a warp at two barriers
  kOtherLaunch = 256,   // it is of another launch, whose last bits are at kOtherLaunchAt
};
inline constexpr unsigned kOtherLaunchAt = 16;
inline constexpr unsigned kThreadAt = 22;  // the second one, where flags are an argument
struct RaceRecord {
  std::uint64_t address = 0;
  std::uint64_t first = 0;  // the word
  std::uint64_t block = 0;  // of the second, linear
  std::uint32_t launch = 0;
  std::uint32_t warp = 0;  // of the second, in its block
  std::uint32_t lane = 0;
  std::uint32_t site = 0;
  std::uint32_t what = 0;
  std::uint32_t flags = 0;
  std::uint64_t unused[2];
};
static_assert(sizeof(RaceRecord) == 64);

// Accesses of the host that nothing orders before a launch.
inline constexpr std::uint32_t kMostRanges = 16;
struct HostRange {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t id = 0;
  std::uint32_t writes = 0;
};
struct HostRanges {
  std::uint32_t count = 0;
  std::uint32_t unused = 0;
  HostRange ranges[kMostRanges];
};

struct State {
  // Set by the host.
  std::uint64_t main_pages = 0;  // the table of the region that most memory is in
  std::uint64_t main_region = 0;
  std::uint64_t regions = 0;    // kRegions addresses of tables of kRegionPages addresses of lines
  std::uint64_t chunks = 0;     // a pool of chunk_count
  std::uint64_t nodes = 0;      // Node[node_count]
  std::uint64_t locations = 0;  // Location[location_count]
  std::uint64_t outboxes = 0;   // Outbox[kOutboxes]
  std::uint64_t threads = 0;    // a ring of thread_count for blocks with signals
  // Pages that share lines, 2^tag_bits of them: those bits of their addresses in tables say which, and
  // so do the first bits of the launch in an owner (compact_pages.h).
  std::uint64_t tag_bits = 0;
  std::uint64_t schedule = 0;       // who is held back (compact_schedule.h); 0: nobody
  std::uint64_t allocations = 0;    // Allocation[allocation_count]
  std::uint64_t spares = 0;         // spare_count times kSpareBytes, for lines of the device's heap
  std::uint64_t images = 0;         // textures and surfaces (image_table.h); 0: none
  std::uint64_t cluster_lines = 0;  // Line[cluster_line_count], of shared memory in clusters
  std::uint32_t cluster_line_count = 0;
  std::uint32_t allocation_count = 0;  // a power of two
  std::uint32_t spare_count = 0;
  std::uint64_t copies = 0;  // a ring of copies_count for blocks with asynchronous copies
  std::uint32_t copies_count = 0;
  std::uint32_t next_copies = 0;  // the device's
  std::uint32_t padding = 0;
  std::uint32_t chunk_count = 0;
  std::uint32_t node_count = 0;
  std::uint32_t location_count = 0;  // a power of two
  std::uint32_t thread_count = 0;
  // The device's; begun anew by the host when nothing runs.
  std::uint32_t next_chunk = 0;
  std::uint32_t next_node = 0;
  std::uint32_t next_thread = 0;
  std::uint32_t next_spare = 0;
  std::uint32_t is_lossy = 0;          // signals were not kept: what they order is not known
  std::uint64_t heap_not_checked = 0;  // pages
  std::uint32_t race_count = 0;        // also those that were dropped
  std::uint64_t out_of_time = 0;       // blocks
  std::uint64_t undecided = 0;         // searches that were given up
  std::uint64_t out_of_nodes = 0;
  std::uint64_t out_of_chunks = 0;  // lines
  std::uint64_t not_compared = 0;   // accesses, since others changed the line all the time
  // Set by the host before the launch with these last bits: launches that nothing orders with it.
  std::uint64_t concurrent = 0;  // there is one
  std::uint64_t tables = 0;      // AllocationTable[kTables]
  // Addresses of flat cells, kFlatBytes of them for each page of the region flat_region; 0: a page has none.
  std::uint64_t flat_pages = 0;
  std::uint64_t flat_region = 0;
  // The same of direct cells (core/detect/gpu/compact/direct.h), kDirectBytes of them for each page.
  std::uint64_t direct_pages = 0;
  std::uint64_t direct_region = 0;
  // The device's: launch << 32 | its quiet roots, of the launch with these last bits.
  std::uint64_t quiet[1U << gpu::compact::kLaunchBits];
  std::uint64_t unordered[1U << gpu::compact::kLaunchBits];
  HostRanges host_ranges[1U << gpu::compact::kLaunchBits];
  std::uint64_t pairs[kPairs];  // sites and kinds that were told
  std::uint64_t pair_counts[kPairs];
  RaceRecord races[kRaces];
};

inline constexpr unsigned kPartedPhaseAt = 16;  // the time is below
static_assert(gpu::compact::kTimeBits <= kPartedPhaseAt);
struct Warp {                  // in shared memory; written by the warp's own lanes
  std::uint32_t time;          // from 1
  std::uint32_t barrier;       // time when it last passed a barrier of the whole block
  std::uint32_t meet;          // of its last meeting of all lanes
  std::uint32_t full_at;       // time of its last access by all lanes
  std::uint32_t part_mask;     // lanes of a meeting of some
  std::uint32_t part_time;     //
  std::uint32_t device_fence;  // the latest of its lanes
  std::uint32_t arrived;       // lanes at a barrier
  std::uint32_t rounds;        // of the whole block's barrier that it has passed
  std::uint32_t arrive_site;   // of the last who did
  std::uint32_t cleared;       // when the shadow of shared memory was: half rounds of its times
  std::uint32_t parted;        // phase and time of the last access by a part of it (compact_log.h)
  std::uint32_t logged;        // records of its log, when it has ended
  std::uint32_t log_at;        // when that was
  // Of kernels with signals.
  std::uint32_t apart;  // lanes that have a Thread; what is so of all others is in `common`
  std::uint32_t
      knows;  // lanes among those who have learnt or read something since the last barrier
  Knowledge common;
  Published published;           // by lanes that have no Thread,
  std::uint32_t published_by;    // these
  std::uint32_t atomic_time;     // of the atomic that was told last,
  std::uint64_t atomic_address;  // where,
  std::uint32_t atomic_lanes;    // by whom,
  std::uint32_t atomic_what;     // and what
  std::uint32_t known_list;      // of a lane of `knows`, the last that has changed: lane, node
  std::uint32_t held;            // times that it was held back (compact_schedule.h)
};
static_assert(sizeof(Warp) == 144);

inline constexpr std::uint32_t kKept = 8;
inline constexpr std::uint32_t kChunksKept = 16;
inline constexpr std::uint32_t kCellPages = 8;
inline constexpr std::uint32_t kNear = 8;
inline constexpr unsigned kCellPageAt = kAddressBits;
static_assert(kRegionPages <= 1U << (64 - kCellPageAt));
struct Block {
  std::uint64_t state;    // 0: nothing is checked
  std::uint64_t block;    // linear
  std::uint64_t threads;  // Thread of each; 0: no signals
  std::uint64_t pages;    // of the main region
  std::uint32_t launch;
  std::uint32_t is_fenced;  // a fence came before a barrier
  // Of kernels with barriers alone: times that warps have come to before the next barrier, with kFlips as
  // it is behind that (compact_log.h).
  alignas(8) std::uint32_t ticks[2];
  // Of the round that is being arrived at, and of the one before: by the round's last bit.
  std::uint32_t next_time[2];  // of all warps after the barrier
  // round << 32 | list, of the last two rounds that brought something: whoever arrives at one with a list
  // writes, everybody reads.
  std::uint64_t learnt[2];   // what the block knows behind the barrier
  std::uint64_t pending[2];  // and what its threads had read by then, and learn at a fence
  std::uint64_t free_nodes;  // end << 32 | next, of nodes that are the block's to give out
  // What somebody of the block has learnt of other blocks, and of threads there (compact_search.h), by
  // the block's number: a Kept each, whoever learns or has searched writes it.
  std::uint64_t ordered[kKept];
  std::uint64_t heard[kKept];
  std::uint64_t chunks[kChunksKept];  // of lines with cells (compact_line_state.h)
  std::uint32_t last_release;         // node, of any thread
  std::uint32_t direct_region;        //
  std::uint64_t direct;        // the table of direct cells (compact_direct.h); 0: lines are used
  std::uint32_t direct_stamp;  // of the launch
  // What signals need of State: fences and acquires empty the first-level cache.
  std::uint32_t location_mask;
  std::uint64_t locations, nodes, outboxes;
  std::uint64_t
      cell_pages[kCellPages];  // entries of that table, each with its number at kCellPageAt
  std::uint32_t shadow;        // where the shadow begins, and the program's memory ends; 0: none
  std::uint32_t region;        // the main one
  std::uint32_t concurrent;    // other launches, or the host, may be so
  std::uint32_t window;        // the bits of shared addresses that are no offset
  std::uint32_t arrivals[kBarriers];  // at barriers with a number of threads
  std::uint64_t copies;               // Copies of each thread; 0: it makes none
  std::uint64_t cluster_lines;        // of all blocks
  std::uint32_t cluster_line_count;   // of a block
  std::uint32_t cluster_slots;        // blocks that have some at a time; 0: there is no cluster
  std::uint32_t log;                  // where the warps' logs begin; 0: none
  std::uint32_t together;             // threads that have ended, where that is counted
  std::uint32_t size;                 // threads
  std::uint32_t tag_bits;             // as in State
  std::uint32_t schedule;             //
  std::uint32_t unused;
  std::uint32_t nowhere[8];           // in place of a shadow that there is no room for
  std::uint64_t roots[kMostRoots];    // pointers of the kernel (compact_roots.h)
  std::uint32_t root_of[kMostRoots];  // their allocations, from 1; 0: not known
  std::uint32_t root_deeds;           //
  std::uint32_t quiet_roots;          // a bit for each
  // Threads in shared memory, of those that came first: in most kernels few of a block signal. Fences and
  // acquires, which such threads make, empty the first-level cache.
  Thread near[kNear];
  std::uint32_t near_of[kNear];  // whose, from 1; 0: nobody's. Whoever comes first writes
  Warp warps[kMostWarps];
};
static_assert(sizeof(Block) == 760 + sizeof(Thread) * kNear + sizeof(Warp) * kMostWarps);

// Shared addresses have the block's rank in its cluster above their offset.
inline constexpr unsigned kRankAt = 24;
inline constexpr std::uint32_t kOffsetMask = (1U << kRankAt) - 1;

// A word of shared memory: the last read and the last write of one of its block's epochs.
inline constexpr unsigned kShadowTimeBits = 9, kShadowThreadBits = 10, kShadowSiteBits = 8;
struct Shadow {
  std::uint32_t bits = 0;

  REDFLAG_HD static constexpr Shadow of(std::uint32_t site, std::uint32_t bytes, bool mark,
                                        std::uint32_t thread, std::uint32_t time) {
    return {(site & 255) << 24 | bytes << 20 | std::uint32_t{mark} << 19 | thread << 9 |
            (time & 511)};
  }
  REDFLAG_HD constexpr std::uint32_t site() const { return bits >> 24; }
  REDFLAG_HD constexpr std::uint32_t bytes() const { return bits >> 20 & 15; }
  REDFLAG_HD constexpr bool mark() const { return (bits >> 19 & 1) != 0; }  // others too; atomic
  REDFLAG_HD constexpr std::uint32_t thread() const { return bits >> 9 & 1023; }
  REDFLAG_HD constexpr std::uint32_t time() const { return bits & 511; }
};
inline constexpr std::uint32_t kCopyBytes = 5;  // in place of bytes, which no access has: a copy's
struct SharedWord {
  Shadow read;
  Shadow write;
};
static_assert(sizeof(SharedWord) == 8);

}  // namespace redflag::device::compact
