// A device, a kernel and its parameters in a few words, and a sink that keeps what it is told.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"

namespace redflag::cuda::testing {

inline std::string with_header(const std::string& text) {
  return ".version 8.5\n.target sm_90\n.address_size 64\n" + text;
}
// A kernel k(u64 out, u64 in, u32 n); %out, %in, %n, %t (thread) and %i (global index) are set.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return with_header(
      before +
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c)\n{\n"
      ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %l<30>; .reg .f32 %f<9>; "
      ".reg .f64 %d<9>; .reg .b64 %out, %in; .reg .b32 %n, %t, %i;\n"
      "ld.param.u64 %out, [a]; ld.param.u64 %in, [b]; ld.param.u32 %n, [c];\n"
      "mov.u32 %t, %tid.x; mov.u32 %r30, %ctaid.x; mov.u32 %r31, %ntid.x;\n"
      "mad.lo.s32 %i, %r30, %r31, %t;\n" +
      body + "\nret;\n}\n");
}

struct KeptStep : gpu::Step {
  std::vector<std::uint64_t> addresses, sources, values;
};
class Keeper final : public gpu::Sink {
 public:
  void launch_begins(const gpu::Launch& launch) override { launches.push_back(launch); }
  void step(const gpu::Step& step) override {
    KeptStep kept{step, {}, {}, {}};
    const auto keep = [&](const std::uint64_t* from, std::vector<std::uint64_t>& to) {
      if (from == nullptr) return;
      for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
        to.push_back((step.lanes >> lane & 1) != 0 ? from[lane] : 0);
      }
    };
    keep(step.address, kept.addresses);
    keep(step.source, kept.sources);
    keep(step.value, kept.values);
    kept.address = kept.source = kept.value = nullptr;
    steps.push_back(std::move(kept));
  }
  void launch_ends(gpu::LaunchId launch) override { ended.push_back(launch); }
  void host(const gpu::HostStep& step) override { hosted.push_back(step); }

  std::vector<gpu::StepKind> kinds() const {
    std::vector<gpu::StepKind> all;
    for (const KeptStep& each : steps) all.push_back(each.kind);
    return all;
  }
  std::vector<KeptStep> of(gpu::StepKind kind) const {
    std::vector<KeptStep> some;
    for (const KeptStep& each : steps) {
      if (each.kind == kind) some.push_back(each);
    }
    return some;
  }

  std::vector<gpu::Launch> launches;
  std::vector<KeptStep> steps;
  std::vector<gpu::HostStep> hosted;
  std::vector<gpu::LaunchId> ended;
};

// Runs `k` of the text with an output and an input array.
class Gpu {
 public:
  explicit Gpu(const std::string& text, const DeviceOptions& options = {}) : device(options) {
    device.on_printf(
        [](void* to, std::string_view line) { static_cast<std::string*>(to)->append(line); },
        &printed);
    Result<ptx::Module> module = ptx::parse("test.ptx", text);
    EXPECT_TRUE(module) << (module ? "" : module.error().message);
    if (!module) return;
    const Result<ModuleId> loaded = device.load(std::move(*module));
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    if (loaded) id = *loaded;
  }
  void find(std::string_view name) {
    const Result<KernelId> found = device.find_kernel(id, name);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    if (found) kernel = *found;
    has_kernel = found.has_value();
  }
  template <typename... Values>
  Fault launch(std::string_view name, const LaunchConfig& config, Values... values) {
    find(name);
    Fault fault;
    if (!has_kernel) {
      fault.text = "no kernel";
      return fault;
    }
    std::vector<std::byte> params(device.info(kernel).parameter_bytes + 8);
    std::size_t at = 0;
    const auto put = [&](auto value) {
      std::memcpy(params.data() + device.info(kernel).parameter_offsets.at(at++), &value,
                  sizeof(value));
    };
    (put(values), ...);
    const Result<void> ran = device.launch(kernel, config, params, fault);
    EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
    return fault;
  }
  template <typename T>
  T* array(std::size_t elements) {
    const Result<std::uint64_t> got = device.allocate(elements * sizeof(T));
    EXPECT_TRUE(got);
    return reinterpret_cast<T*>(*got);
  }

  Device device;
  ModuleId id{0};
  KernelId kernel{0};
  bool has_kernel = false;
  std::string printed;
};

inline std::uint64_t address(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace redflag::cuda::testing
