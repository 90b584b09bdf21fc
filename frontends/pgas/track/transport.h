// Transport: how the ranks of a job reach each other, for what is told at collective steps.
//
// All calls are collective over the whole job, in the same order on all ranks.
#pragma once

#include <array>
#include <cstdint>
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
};

}  // namespace redflag::pgas
