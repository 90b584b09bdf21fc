// DeviceMemory for tests: over the emulated device, where memory of the host is kernels' memory; and any with less than it has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/emulate/device.h"

namespace redflag::device::testing {

class EmulatedMemory final : public DeviceMemory {
 public:
  explicit EmulatedMemory(cuda::Device& device) : device_(device) {}
  ~EmulatedMemory() override {
    for (const auto& each : mapped_) device_.disown(address_of(each.get()));
  }
  EmulatedMemory(const EmulatedMemory&) = delete;
  EmulatedMemory& operator=(const EmulatedMemory&) = delete;

  Result<std::uint64_t> allocate(std::uint64_t bytes) override {
    Result<std::uint64_t> made = device_.allocate(bytes);
    if (made) std::memset(reinterpret_cast<void*>(*made), 0, bytes);
    return made;
  }
  void free(std::uint64_t address) override { (void)device_.free(address); }
  void clear(std::uint64_t from, std::uint64_t bytes) override {
    std::memset(reinterpret_cast<void*>(from), 0, bytes);
  }
  void write(std::uint64_t to, std::span<const std::byte> bytes) override {
    std::memcpy(reinterpret_cast<void*>(to), bytes.data(), bytes.size());
  }
  void read(std::uint64_t from, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(from), bytes.size());
  }
  Result<Mapped> allocate_mapped(std::uint64_t bytes) override {
    // Words, so that it is aligned for them.
    mapped_.push_back(std::make_unique<std::uint64_t[]>((bytes + 7) / 8));
    const std::uint64_t address = address_of(mapped_.back().get());
    device_.adopt(address, bytes);
    return Mapped{reinterpret_cast<std::byte*>(mapped_.back().get()), address};
  }
  std::uint64_t free_bytes() const override { return std::uint64_t{1} << 30; }

 private:
  static std::uint64_t address_of(const void* at) { return reinterpret_cast<std::uint64_t>(at); }

  cuda::Device& device_;
  std::vector<std::unique_ptr<std::uint64_t[]>> mapped_;
};

// As the memory behind it, until it is told that there is only so much left.
class LimitedMemory final : public DeviceMemory {
 public:
  explicit LimitedMemory(DeviceMemory& of) : of_(of) {}
  void leave(std::uint64_t bytes) { left_ = bytes; }

  Result<std::uint64_t> allocate(std::uint64_t bytes) override {
    if (bytes > left_) {
      return fail("needed: " + std::to_string(bytes) + " bytes\nfound: " + std::to_string(left_));
    }
    Result<std::uint64_t> made = of_.allocate(bytes);
    if (!made || left_ == kAll) return made;
    left_ -= bytes;
    sizes_[*made] = bytes;
    return made;
  }
  void free(std::uint64_t address) override {
    if (const auto at = sizes_.find(address); at != sizes_.end()) {
      left_ += at->second;
      sizes_.erase(at);
    }
    of_.free(address);
  }
  void clear(std::uint64_t from, std::uint64_t bytes) override { of_.clear(from, bytes); }
  void write(std::uint64_t to, std::span<const std::byte> bytes) override { of_.write(to, bytes); }
  void read(std::uint64_t from, std::span<std::byte> bytes) override { of_.read(from, bytes); }
  Result<Mapped> allocate_mapped(std::uint64_t bytes) override {
    return of_.allocate_mapped(bytes);
  }
  std::uint64_t free_bytes() const override { return std::min(of_.free_bytes(), left_); }

 private:
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  DeviceMemory& of_;
  std::uint64_t left_ = kAll;
  std::map<std::uint64_t, std::uint64_t> sizes_;  // by address, of what was allocated since
};

}  // namespace redflag::device::testing
