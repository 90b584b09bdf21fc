// What a detector leaves out by design: the judge excuses nothing else (docs/how/gpu-detectors.md).
#pragma once

namespace redflag::gpu {

struct GpuLimits {
  bool by_entry = false;     // metadata of a fixed size: the causes of judge.h apply
  bool by_warp = false;      // a warp is one thread
  bool global_only = false;  // shared memory is not looked at
  bool one_launch = false;   // launches and the host are not compared with each other
  bool one_sided = false;    // a report names the later access only
  bool no_barriers = false;  // barriers that threads reach apart are not looked for
  unsigned block_bits = 0;   // of a block's number in an entry; 0: all of it
  unsigned warp_bits = 0;    // of a warp's number in its grid
  bool has_cache = false;    // entries may be forgotten for other memory
  // What a detector that misses nothing by itself defines otherwise than ptx_model.
  bool lockstep = false;       // lanes of a warp are in order, but for the two sides of a branch
  bool lanes_apart = false;    // lanes of a warp are ordered by syncs alone
  bool one_scope = false;      // of two scopes one that reaches is enough; atomics have none
  bool atomics_alike = false;  // atomics of different sizes do not race
  bool stores_signal = false;  // a store right behind a fence is a signal, a load before one waits
};

}  // namespace redflag::gpu
