// Engine: which runtime in the GPU a run uses, and modules rewritten for it.
//
// The detector in the GPU (compact), unless the user chose a detector: then every event comes to the
// host (stream), where that detector is.
#pragma once

#include <memory>
#include <string>

#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/inject/maker.h"
#include "frontends/cuda/report/settings.h"

namespace redflag::inject {

class Engine {
 public:
  explicit Engine(const cuda_report::Settings& settings);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // One for each context.
  std::unique_ptr<device::Runtime> make_runtime(device::DeviceMemory& memory) const;
  Maker::Rewrite rewriter() const;
  // Shared memory of a block that the runtime adds to every kernel.
  std::uint64_t block_bytes() const;
  // Dynamic shared memory that launches get besides (device::Runtime).
  std::uint64_t more_shared(std::uint64_t fixed, std::uint64_t dynamic,
                            std::uint64_t threads) const;
  // Of all that a rewritten module depends on besides its PTX.
  std::string version() const;

 private:
  std::uint64_t look_for_block_bytes() const;

  cuda_report::Settings settings_;
  // Never used on a GPU: it has the runtime's text.
  std::unique_ptr<device::DeviceMemory> no_memory_;
  std::unique_ptr<device::Runtime> text_;
};

}  // namespace redflag::inject
