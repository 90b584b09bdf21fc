// Bytes of any length by MPI's collectives, on communicators of our own; and between these by a window.
#pragma once

#include <mpi.h>

#include <vector>

#include "frontends/pgas/exchange/append_window.h"
#include "frontends/pgas/track/record.h"
#include "frontends/pgas/track/transport.h"

namespace redflag::pgas::mpi {

std::vector<Bytes> all_gather(MPI_Comm comm, const Bytes& mine);
std::vector<Bytes> gather(MPI_Comm comm, int root, const Bytes& mine);  // elsewhere nothing
Bytes broadcast(MPI_Comm comm, int root, Bytes mine);
std::vector<Bytes> all_to_all(MPI_Comm comm, const std::vector<Bytes>& to_each);

// What a thread knows, as bytes and back.
Bytes bytes_of(const Knowledge& known);
Knowledge knowledge_of(const Bytes& bytes);

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(MPI_Comm of_all);
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  Words largest(const Words& mine) override;
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_each) override;
  std::vector<Bytes> all_gather(const Bytes& mine) override;
  std::vector<Bytes> gather(const Bytes& mine) override;

  std::size_t longest() const override { return AppendWindow::kLongest; }
  bool append(std::uint32_t to, std::span<const std::byte> bytes) override {
    return window_.append(to, bytes);
  }
  std::optional<Arrived> next() override { return window_.next(); }
  bool publish(std::span<const std::byte> bytes) override { return window_.publish(bytes); }
  Bytes published(std::uint32_t rank) override { return window_.published(rank); }

  // Collective: nothing goes any way after it.
  void close() { window_.close(); }

 private:
  MPI_Comm comm_;
  AppendWindow window_;
  std::uint32_t rank_ = 0;
  std::uint32_t size_ = 1;
};

}  // namespace redflag::pgas::mpi
