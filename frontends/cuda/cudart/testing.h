// For the tests: a sink that writes down what it is told, in words.
#pragma once

#include <string>
#include <vector>

#include "core/model/gpu.h"

namespace redflag::cudart::testing {

class Notes final : public gpu::Sink {
 public:
  void launch_begins(const gpu::Launch& launch) override {
    lines.push_back("launch " + launch.kernel + " in " + std::to_string(raw(launch.stream)));
  }
  void step(const gpu::Step&) override {}
  void launch_ends(gpu::LaunchId) override {}
  void host(const gpu::HostStep& step) override {
    static constexpr const char* kNames[] = {
        "alloc",       "free",        "write",  "read",       "host write",   "host read",
        "sync stream", "sync device", "record", "sync event", "stream waits", "non-blocking"};
    std::string line = kNames[static_cast<std::size_t>(step.kind)];
    if (raw(step.event) != 0) line += " e" + std::to_string(raw(step.event));
    line += " in " + std::to_string(raw(step.stream));
    lines.push_back(line);
  }

  std::vector<std::string> lines;
};

}  // namespace redflag::cudart::testing
