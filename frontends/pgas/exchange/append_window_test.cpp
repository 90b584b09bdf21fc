// The window under MPI, by several processes: mpirun -n 4 pgas_append_window_test. Status 1: what is wrong.
//
// All append to all, more than the rings hold, in pieces of any size, and take between; boards are written
// and read all the while. What comes must be whole and in the order of its sender.
#include "frontends/pgas/exchange/append_window.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using redflag::pgas::Bytes;
using redflag::pgas::Transport;
using redflag::pgas::mpi::AppendWindow;

int g_rank = 0;

void must(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "rank %d: expected that %s\n", g_rank, what);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

// The n-th message between two ranks: its length and its bytes follow from these.
Bytes message(std::uint32_t from, std::uint32_t to, std::uint32_t n) {
  std::minstd_rand random(1 + from * 1000003 + to * 1009 + n * 17);
  Bytes made(n % 50 == 0 ? AppendWindow::kLongest : 1 + random() % 700);
  for (std::byte& each : made) each = static_cast<std::byte>(random());
  return made;
}

class Rank {
 public:
  Rank(AppendWindow& window, std::uint32_t ranks)
      : window_(window), ranks_(ranks), taken_(ranks), sent_(ranks) {}

  // A ring that nobody takes from is full at last, and its owner finds all that is in it.
  void fill() {
    const Bytes large(AppendWindow::kLongest);
    std::uint32_t fitted = 0;
    while (g_rank == 0 && window_.append(1, large)) ++fitted;
    if (g_rank == 0) must(fitted >= 8 && fitted < 16, "16 of the longest do not fit, but most do");
    PMPI_Bcast(&fitted, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    while (g_rank == 1 && window_.next()) --fitted;
    if (g_rank == 1) must(fitted == 0, "all that was appended has arrived");
    PMPI_Barrier(MPI_COMM_WORLD);
    if (g_rank == 0) must(window_.append(1, large), "there is room again");
    PMPI_Barrier(MPI_COMM_WORLD);
    if (g_rank == 1) must(window_.next().has_value(), "it came");
    PMPI_Barrier(MPI_COMM_WORLD);
  }

  void exchange(std::uint32_t messages) {
    std::mt19937 random(static_cast<unsigned>(g_rank));
    for (std::uint64_t left = std::uint64_t{messages} * ranks_; left > 0;) {
      const auto to = static_cast<std::uint32_t>(random() % ranks_);
      if (sent_[to] < messages &&
          window_.append(to, message(static_cast<std::uint32_t>(g_rank), to, sent_[to]))) {
        ++sent_[to];
        --left;
      }
      if (random() % 4 == 0) take();
      if (random() % 16 == 0) write_and_read_boards(random());
    }
    MPI_Request all = MPI_REQUEST_NULL;
    PMPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (int done = 0; done == 0;) {
      PMPI_Test(&all, &done, MPI_STATUS_IGNORE);
      take();
    }
    take();
    must(std::all_of(taken_.begin(), taken_.end(), [&](auto n) { return n == messages; }),
         "everything from everybody has arrived");
  }

 private:
  void take() {
    while (const std::optional<Transport::Arrived> came = window_.next()) {
      must(came->from < ranks_, "it is known who sent it");
      const std::uint32_t n = taken_[came->from]++;
      must(came->bytes == message(came->from, static_cast<std::uint32_t>(g_rank), n),
           "messages come whole and in their order");
    }
  }

  void write_and_read_boards(std::size_t some) {
    const Bytes mine(some % 2000, static_cast<std::byte>(some));
    must(window_.publish(mine), "a short statement has room");
    const auto other = static_cast<std::uint32_t>(some / 7 % ranks_);
    const Bytes theirs = window_.published(other);
    must(theirs.size() < 2000 && (theirs.empty() || std::count(theirs.begin(), theirs.end(),
                                                               theirs[0]) == std::ssize(theirs)),
         "a board is read as it was written");
    if (other == static_cast<std::uint32_t>(g_rank)) must(theirs == mine, "it is the last");
  }

  AppendWindow& window_;
  std::uint32_t ranks_;
  std::vector<std::uint32_t> taken_;  // by rank, as is the next
  std::vector<std::uint32_t> sent_;
};

}  // namespace

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  must(ranks >= 2, "there are two ranks at least: mpirun -n 4");
  AppendWindow window(MPI_COMM_WORLD);
  must(!window.publish(Bytes(std::size_t{1} << 20)), "what is too long for a board is refused");
  Rank rank(window, static_cast<std::uint32_t>(ranks));
  rank.fill();
  rank.exchange(2000);
  window.close();
  PMPI_Finalize();
  return 0;
}
