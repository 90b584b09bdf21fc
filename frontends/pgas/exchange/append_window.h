// AppendWindow: memory of each rank that others append to and read, without anybody waiting.
//
// A ring. Whoever appends reserves a place (a compare-and-swap of how many bytes were ever reserved, unless
// that is more than the owner has taken and the ring has), puts its bytes there, and then marks the place
// as whole. The owner takes what is whole in the order of the places, clears it, and says how much it has
// taken. One that never marks its place, since it died, stops the ring: the others then keep what they have.
// Beside the ring lies the owner's board, whose version is odd while it is written.
//
// One window of MPI, over our own communicator, that all ranks have locked for the life of the job. Where
// all are on one machine it is memory that they share, and needs nobody's help; else some libraries may
// serve what is put there only when its owner calls them (near_window.h).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frontends/pgas/track/bytes.h"
#include "frontends/pgas/track/transport.h"

namespace redflag::pgas::mpi {

class AppendWindow {
 public:
  static constexpr std::size_t kRing = std::size_t{1} << 19;
  static constexpr std::size_t kLongest = kRing / 16;  // that is appended at once

  // Collective, as is close(), after which nothing else may be called.
  explicit AppendWindow(MPI_Comm comm);
  void close();

  bool append(std::uint32_t to, std::span<const std::byte> bytes);
  std::optional<Transport::Arrived> next();
  bool publish(std::span<const std::byte> bytes);
  Bytes published(std::uint32_t rank);

 private:
  struct Area {
    std::uint64_t reserved;  // bytes of the ring, ever: by those who append
    std::uint64_t taken;     // by the owner
    std::uint64_t version;   // of the board
    std::uint64_t size;      // of what is on it
    std::uint64_t unused[4];
    std::byte ring[kRing];
    // The board follows.
  };

  void get(std::uint32_t from, std::size_t at, void* to, std::size_t size);
  void put(std::uint32_t to, std::size_t at, const void* from, std::size_t size);
  // Where in the ring; nothing: there is no room.
  std::optional<std::uint64_t> reserve(std::uint32_t to, std::size_t size);

  MPI_Win window_ = MPI_WIN_NULL;
  Area* own_ = nullptr;
  std::byte* board_ = nullptr;
  std::size_t room_ = 0;  // of the board
  std::uint32_t rank_ = 0;
  Bytes sent_;  // the entry that is being put together
};

}  // namespace redflag::pgas::mpi
