// Addresses for memory that has none: ranges that the driver reserves and backs with nothing, so that nobody else gets
// them.
//
// Small ones share a reservation, since metadata is made for pages of 2 MiB. A reservation in which nothing is left
// is given back, or used again from its begin. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace redflag::inject {

class AddressRanges {
 public:
  using Reserve = std::function<std::uint64_t(std::uint64_t bytes)>;  // 0: there are none
  using Release = std::function<void(std::uint64_t address, std::uint64_t bytes)>;
  AddressRanges(Reserve reserve, Release release)
      : reserve_(std::move(reserve)), release_(std::move(release)) {}

  static constexpr std::uint64_t kGranularity = std::uint64_t{2} << 20;
  static constexpr std::uint64_t kShared = std::uint64_t{64} << 20;  // of a reservation for many

  std::uint64_t take(std::uint64_t bytes);  // 0: there are none
  void give_back(std::uint64_t address);

 private:
  struct Chunk {
    std::uint64_t bytes = 0, used = 0, ranges = 0;
  };
  std::uint64_t reserve(std::uint64_t bytes);

  Reserve reserve_;
  Release release_;
  std::map<std::uint64_t, Chunk> chunks_;         // by address
  std::map<std::uint64_t, std::uint64_t> taken_;  // range to chunk
  std::uint64_t current_ = 0;                     // the chunk that small ranges are taken from
};

}  // namespace redflag::inject
