// One report for the ranks of a job: each 'redflag run' gives what it found to that of rank 0.
//
// They are processes beside the program's and speak no MPI. On one machine they meet at a Unix socket
// whose name follows from what the launcher told all of them. A rank that does not reach rank 0's (it
// is on another machine, or gone) keeps its report and writes it itself.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

class JobReports {
 public:
  // Alone: nobody is met.
  static JobReports join();
  JobReports(JobReports&& other) noexcept;
  JobReports& operator=(JobReports&&) = delete;
  ~JobReports();

  bool is_job() const { return ranks_ > 1; }
  bool is_first() const { return rank_ == 0; }
  int rank() const { return rank_; }

  // Of other ranks. False: rank 0 does not listen, or does not take it.
  bool send(const std::string& report) const;
  // At rank 0: those of all that are on this machine, or of those who came in time.
  std::vector<std::string> receive(std::chrono::milliseconds patience);

 private:
  JobReports() = default;
  int rank_ = 0;
  int ranks_ = 1;
  int expected_ = 0;    // others on this machine
  int listening_ = -1;  // at rank 0
  std::string name_;
};

}  // namespace redflag::cli
