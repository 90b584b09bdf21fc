// Step: the calling thread's turn in its rank's job.
#pragma once

#include "frontends/pgas/track/job.h"

namespace redflag::pgas {

// What the thread did so far is taken in first, with what it knew then.
class Job::Step {
 public:
  Step(Job& job, const LibraryCall& call) : job_(job) {
    job_.lock_.lock();
    job_.drain(call.thread);
    task = &job_.tasks_.now(call.thread);
  }
  ~Step() { job_.lock_.unlock(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Task* task;

 private:
  Job& job_;
};

}  // namespace redflag::pgas
