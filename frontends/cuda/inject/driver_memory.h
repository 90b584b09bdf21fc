// Memory of one context, for the device runtime.
//
// Own work goes through a stream of our own that waits for nobody, so that it gets on while the
// program's kernels run, and is never captured into the program's graphs. Any thread.
#pragma once

#include <mutex>

#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {

// While it lives, calls of this thread are in the context, and are no part of any capture.
class Inside {
 public:
  explicit Inside(CUcontext context);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool pushed_ = false;
  int mode_ = kCaptureRelaxed;
};

std::string error_name(CUresult result);

class DriverMemory final : public device::DeviceMemory {
 public:
  explicit DriverMemory(CUcontext context) : context_(context) {}

  Result<std::uint64_t> allocate(std::uint64_t bytes) override;
  void free(std::uint64_t address) override;
  void clear(std::uint64_t from, std::uint64_t bytes) override;
  void write(std::uint64_t to, std::span<const std::byte> bytes) override;
  void read(std::uint64_t from, std::span<std::byte> bytes) override;
  Result<Mapped> allocate_mapped(std::uint64_t bytes) override;
  std::uint64_t free_bytes() const override;

 private:
  CUstream stream();  // inside the context

  CUcontext context_;
  std::mutex mutex_;
  CUstream stream_ = nullptr;
};

}  // namespace redflag::inject
