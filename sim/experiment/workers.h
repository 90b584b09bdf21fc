// Workers: jobs shared out among processes of this machine.
//
// Each worker is a fork of this process and takes the next job that nobody has; its results are files of a Store,
// which the first process reads in the end. So a job that crashes costs itself only, a run that is interrupted keeps what it
// has, and running it again does the rest. With MPI each rank does every n-th job by itself and these workers are
// not used (cli/sim.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/experiment/store.h"

namespace redflag::sim {

struct Done {
  std::vector<Metrics> results;     // one for each job; empty where it failed
  std::vector<std::string> faults;  // what failed, and why: a line each
  std::size_t found = 0;            // that were there from before
};

// `told(done, jobs)` is called by this process, whenever one more is done, and at first.
// The process must have no other threads.
// `stop` is asked whenever a signal came: true ends the workers; what is done stays done.
Done run_jobs(const std::vector<Job>& jobs, const Simulate& simulate, const Store& store,
              unsigned workers, const std::function<void(std::size_t, std::size_t)>& told,
              const std::function<bool()>& stop);

}  // namespace redflag::sim
