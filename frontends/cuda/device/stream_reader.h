// StreamReader: the host's end of the queue (stream_ring.h). One thread reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "frontends/cuda/device/stream_ring.h"

namespace redflag::device {

class StreamReader {
 public:
  // `words` is a power of two; `passed` is where kernels look for the position.
  StreamReader(std::uint64_t* ring, std::uint64_t words, std::uint64_t* passed)
      : ring_(ring), words_(words), passed_(passed) {}

  // The next record, valid until the next call; empty: none is complete.
  std::span<const std::uint64_t> next();
  // Tells kernels how far it is. next() does so by itself often enough that nobody waits forever
  // while there is something to read.
  void publish();
  std::uint64_t position() const { return position_; }

 private:
  std::uint64_t& word(std::uint64_t at) const { return ring_[at & (words_ - 1)]; }

  std::uint64_t* ring_;
  std::uint64_t words_;
  std::uint64_t* passed_;
  std::uint64_t position_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t record_[kMostWords] = {};
};

}  // namespace redflag::device
