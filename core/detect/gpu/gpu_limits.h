// What a detector leaves out by design: the judge excuses nothing else (docs/gpu-detectors.md).
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
};

}  // namespace redflag::gpu
