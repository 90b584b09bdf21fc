// Transport: how the ranks of a job reach each other.
//
// What is told at collective steps is told by calls that are collective over the whole job, in the same
// order on all ranks. Between these nobody waits: each rank has memory that the others append to and that
// it takes from when it comes by, and a board of its own that the others read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontends/pgas/track/bytes.h"

namespace redflag::pgas {

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  using Words = std::array<std::uint64_t, 4>;
  virtual Words largest(const Words& mine) = 0;
  virtual std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_each) = 0;
  virtual std::vector<Bytes> all_gather(const Bytes& mine) = 0;
  virtual std::vector<Bytes> gather(const Bytes& mine) = 0;  // at rank 0, others get nothing

  // --- Without meeting. What was appended before a rank came to a collective step, or before it put
  // something else on its board, has arrived for whoever is behind that step, or has read that.
  virtual std::size_t longest() const = 0;  // bytes that can be appended at once
  // False: there is no room now.
  virtual bool append(std::uint32_t to, std::span<const std::byte> bytes) = 0;
  struct Arrived {
    std::uint32_t from = 0;
    Bytes bytes;
  };
  // The next that has arrived whole; those of one rank in its order. Costs nothing while there is none.
  virtual std::optional<Arrived> next() = 0;
  // False: it does not fit, and what was there stays.
  virtual bool publish(std::span<const std::byte> bytes) = 0;
  // Empty: nothing yet, or it is being written.
  virtual Bytes published(std::uint32_t rank) = 0;
};

}  // namespace redflag::pgas
