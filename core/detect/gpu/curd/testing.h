// For tests: a kernel for CURD written down step by step (testing.h of the folder above).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/detect/gpu/curd/curd.h"
#include "core/detect/gpu/testing.h"

namespace redflag::gpu::curd {

inline Options for_tests(bool eager = false) {
  Options options;
  options.eager = eager;
  return options;
}

// A launch that says that it has barriers, and what `besides` adds.
class CurdKernel : public KernelOn<Curd, Options> {
 public:
  CurdKernel(std::uint32_t blocks, std::uint32_t threads, Options options = {},
             std::initializer_list<SyncOp> besides = {})
      : KernelOn<Curd, Options>(blocks, threads, std::move(options)) {
    end();
    launch.sync.known = true;
    launch.sync.add(SyncOp::kBlockBarrier);
    for (const SyncOp op : besides) launch.sync.add(op);
    begin();
  }

  void exit(By by) { put(make(by, StepKind::kExit)); }
  void exit_block(std::uint64_t block) {
    for (std::uint32_t w = 0; w < launch.block_warps(); ++w) exit({block, w, lanes_of(w)});
  }
  // Ends the launch; "class first-site second-site" of each race, in order.
  std::vector<std::string> found() {
    end();
    std::vector<std::string> out;
    for (const GpuRace& race : model.races()) {
      out.push_back(std::string(name(race.kind)) + " " + std::to_string(raw(race.first.site)) +
                    " " + std::to_string(raw(race.second.site)));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::uint64_t count(Rule rule) const { return model.count(rule); }
};

using Found = std::vector<std::string>;

}  // namespace redflag::gpu::curd
