#include "frontends/cuda/device/compact_limits.h"

#include "frontends/cuda/device/compact_state.h"

namespace redflag::device::compact {
namespace {

struct Limit {
  const char* name;
  const char* why;
  std::size_t of_state;              // where State counts it,
  std::uint64_t HostLimits::* host;  // or the host does
};
constexpr Limit in_gpu(const char* name, const char* why, std::size_t at) {
  return {name, why, at, nullptr};
}
constexpr Limit by_host(const char* name, const char* why, std::uint64_t HostLimits::* at) {
  return {name, why, 0, at};
}

const Limit kLimits[] = {
    in_gpu("blocks not checked to their end",
           "a block's clock counts at most 16383 synchronisations", offsetof(State, out_of_time)),
    in_gpu("lines not checked", "the pool for memory that is tracked word by word was full",
           offsetof(State, out_of_chunks)),
    in_gpu("accesses not compared",
           "too many threads updated the metadata of one 128-byte line at once",
           offsetof(State, not_compared)),
    in_gpu("searches given up",
           "the order of two accesses depends on too many signals, and was assumed",
           offsetof(State, undecided)),
    in_gpu("signals not kept",
           "their pool was full: accesses that they could order count as ordered",
           offsetof(State, out_of_nodes)),
    by_host("launches not checked",
            "all launch numbers belonged to launches that still ran; --detector=ptx_model has no "
            "such limit",
            &HostLimits::launches_not_checked),
    by_host("pages not checked",
            "of 2 MiB each: the GPU has too little free memory for their metadata",
            &HostLimits::pages_not_checked),
    by_host("pages per line of metadata",
            "the GPU's free memory is below 25% of the program's: metadata is a cache, and races "
            "may be missed",
            &HostLimits::pages_per_line),
    by_host("copies not compared", "more than 16 copies ran beside one launch",
            &HostLimits::copies_not_compared),
    by_host("launches checked in part",
            "the GPU has too little free memory for the metadata of clusters, asynchronous copies "
            "or the device heap",
            &HostLimits::launches_in_part),
    by_host("textures and surfaces not checked",
            "the GPU has too little free memory for their table", &HostLimits::images_not_kept),
    in_gpu("pages of the heap not checked", "kernels allocated more than 32 MiB",
           offsetof(State, heap_not_checked)),
};

}  // namespace

std::vector<Counter> limits(const std::function<std::uint64_t(std::size_t)>& number,
                            const HostLimits& host) {
  std::vector<Counter> made;
  for (const Limit& each : kLimits) {
    const std::uint64_t value = each.host != nullptr ? host.*each.host : number(each.of_state);
    made.push_back({each.name, static_cast<double>(value), ""});
  }
  return made;
}

std::vector<std::string> notices_of(const std::vector<Counter>& limits) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i].value == 0) continue;
    made.push_back(std::string(limits[i].name) + ": " +
                   std::to_string(static_cast<std::uint64_t>(limits[i].value)) + " (" +
                   kLimits[i].why + ")");
  }
  return made;
}

}  // namespace redflag::device::compact
