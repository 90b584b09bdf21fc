// Attachments: what the ranks of a dynamic window have attached to it, for others to look at.
//
// Attaching is a rank's own affair (MPI 3.1, 11.2.4), but an operation is right only if its target has attached what it
// touches. So beside each dynamic window there is one of ours with a table of regions at each rank, which the rank
// keeps, and those who are about to issue an operation read. They read again when they may have
// learned something: a program that attaches tells others by some call, and so does one that is about to detach.
//
// Limits: of a rank with more regions than the table has room for nothing is said. Regions that were detached are
// remembered until their room is needed.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

#include "frontends/pgas/track/attached_table.h"
#include "frontends/pgas/track/runtime.h"

namespace redflag::pgas::mpi {

// Calls that may teach the caller what others did; behind them, tables are read again.
inline std::atomic<std::uint64_t> g_calls_that_order{0};

class Attachments {
 public:
  explicit Attachments(MPI_Comm shadow);  // collective, as is its end
  ~Attachments();
  Attachments(const Attachments&) = delete;
  Attachments& operator=(const Attachments&) = delete;

  // At this rank.
  void attach(std::uint64_t begin, std::uint64_t size);
  void detach(std::uint64_t begin);

  Reach reach(int target, std::uint64_t begin, std::uint64_t end);

 private:
  struct Read {
    std::uint64_t at = 0;  // g_calls_that_order + 1
    bool is_too_small = false;
    std::vector<AttachedRegion> regions;
  };
  void read(int target, Read& into);
  template <typename Change>
  void change(Change with);

  QuietLock lock_;
  int self_ = 0;
  MPI_Win win_ = MPI_WIN_NULL;
  AttachedTable* own_ = nullptr;
  std::map<int, Read> read_;
};

}  // namespace redflag::pgas::mpi
