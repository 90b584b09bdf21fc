// Watch: the host's own accesses of memory that it shares with kernels.
//
// Managed and page-locked memory is touched by plain loads and stores of the host, which no API sees.
// After a kernel or copy has used such a page, and until the host has waited for everything, the page
// is protected; an access then faults, is told as a host step with its address, the page is opened
// for that one instruction (frontends/cuda/watch), and closed again. So every access is seen, at the price
// of two signals; after kMost of them on a page it stays open. Linux on x86-64; elsewhere nothing is
// watched. System calls given such a page fail with EFAULT while it is closed: only pages that the
// device used since the last wait are, so only racing programs can notice.
#pragma once

#include <cstdint>
#include <memory>

#include "core/model/gpu.h"

namespace redflag::cudart {

class Watch {
 public:
  // `tell` gets what the host did; it is called in the middle of the access, on its thread.
  using Tell = void (*)(void* context, std::uint64_t address, bool wrote, const void* at);
  Watch(Tell tell, void* context);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Whole pages that begin at the address.
  void add(std::uint64_t address, std::uint64_t size);
  void remove(std::uint64_t address);
  bool empty() const;

  // Whether any of it is watched: for callers with many addresses.
  bool covers(std::uint64_t address) const;
  // The device uses these bytes, in this stream.
  void used(std::uint64_t address, std::uint64_t size, bool wrote, gpu::StreamId stream);
  // The host has waited: for all that a stream did, or for everything.
  void forget(gpu::StreamId stream);
  void forget();

  // While the library or a kernel works, everything is open.
  void open();
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redflag::cudart
