// Rewriting: a PTX module in which every access and every synchronisation calls a hook.
//
//   Result<Rewritten> made = rewrite(*module, {.runtime = device::stream_ptx()});
//   cuModuleLoadData(&handle, made->ptx.c_str());
//
// Hooks (frontends/cuda/device/hooks.inc) stand before or after their instruction, under its guard,
// in kernels and in the functions they call; the runtime that defines them is merged into the
// module, and small hooks are inlined. Each kernel gets one more parameter, behind its own: .param
// .u64, the launch's number. Nothing else that the program can see changes: names, results,
// visibility, sizes of parameters before it.
//
// What cannot race gets no hook (prune.h): local, parameter and constant memory and addresses
// derived from it; read-only data; the same address again in a basic block with no synchronisation
// between. A kernel with something that cannot be rewritten stays as it is, and `why` says so. Versions of a
// kernel that tell less, or nothing, stand beside it (versions.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/gpu.h"
#include "core/model/sources.h"
#include "frontends/cuda/prove/proof.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/ptx/parameters.h"

namespace redflag::rewrite {

struct Options {
  std::string_view runtime;  // PTX that defines all hooks; empty: they are declared extern
  bool prune = true;
  bool versions = false;  // with those that tell less
  // Hooks take registers, and a block must fit all the same: where the program does not say how large
  // its blocks are, they may be as large as the GPU has them.
  bool large_blocks = false;
  // Other modules that have hooks are linked to it: one runtime serves all, and numbers of sites go on
  // behind those of the module before. The first `sites_before` entries of Rewritten::sites are empty.
  bool linked = false;
  std::uint32_t sites_before = 0;
  // Hooks of at most so many instructions are put in place of their calls, unless the runtime says
  // how many (device::kSpliceSymbol).
  std::uint32_t splice_most = 48;
};

struct Site {                 // by number, from 1
  std::vector<Frame> frames;  // innermost first; without .loc the line of the PTX
  std::string text;           // the instruction
};

// How much of a kernel is told of (versions.h).
enum class Version : std::uint8_t { kFull, kLean, kPlain };

using ptx::Place;

struct Kernel {
  std::string name;  // as in the PTX
  bool checked = false;
  std::string why;                  // not checked; or what of it is not
  gpu::SyncOps sync;                // of it and all that it may call
  gpu::Dim cluster;                 // of each launch, by __cluster_dims__; 1: as the launch says
  bool grid_of_clusters = false;    // the launch's grid counts them
  std::uint32_t parameters = 0;     // its own, without the launch's number
  std::uint32_t launch_offset = 0;  // of the launch's number in the block of parameters
  std::vector<Place> places;        // of its own
  bool has_plain = false;           // the version as the program has it: it calls nothing
  bool reads_textures = false;      // the proof says nothing of those
  prove::Proof proof;  // not possible: it has no lean version, and the plain one is not enough
  // By access of the proof: told of in the lean version; empty: there is none.
  std::vector<bool> lean;
  bool is_lean_within_block = false;  // it tells what threads of one block do to each other
  bool is_lean_shared = false;        // it needs the runtime's part of shared memory
  bool is_lean_flat = false;          // what it tells of in global memory needs flat cells
  bool is_lean_direct = false;        // and may have direct ones
};

// Whether launches of that version need dynamic shared memory besides the program's (device::Runtime).
inline bool needs_more_shared(const Kernel& kernel, Version version) {
  return version == Version::kFull || (version == Version::kLean && kernel.is_lean_shared);
}

// What the kernel itself says about the sizes of its launches.
inline void settle_clusters(const Kernel& kernel, gpu::Launch& launch) {
  if (kernel.cluster.count() > 1) launch.cluster = kernel.cluster;
  if (!kernel.grid_of_clusters) return;
  launch.grid.x *= launch.cluster.x;
  launch.grid.y *= launch.cluster.y;
  launch.grid.z *= launch.cluster.z;
}

struct Counts {
  std::uint64_t accesses = 0;  // instructions that access memory
  std::uint64_t hooks = 0;     // calls put in
  std::uint64_t pruned_private = 0, pruned_constant = 0, pruned_repeated = 0;
};

struct Rewritten {
  std::string ptx;
  std::vector<Site> sites;  // [0] is none
  std::vector<Kernel> kernels;
  Counts counts;
};

Result<Rewritten> rewrite(const ptx::Module& module, const Options& options);

}  // namespace redflag::rewrite
