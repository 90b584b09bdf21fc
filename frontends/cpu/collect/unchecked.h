// Unchecked: the libraries of checked processes whose own accesses nobody looked at.
//
// A library that was compiled without instrumentation can race with the program unseen: a report
// names it, so that silence about it is not taken for an answer. Left out are the libraries whose
// functions libredflag takes the place of or knows the meaning of (C and C++, OpenMP, MPI, CUDA):
// every program has them. Instrumented code is known by the functions that it calls.
//
// Modules are collected while processes run, and opened only at the end. Limits: what is loaded
// after a process said hello is known only if a race follows or the process still has its memory at
// its end; programs are not named, since `redflag run` refuses one without instrumentation.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/model/finding.h"
#include "core/symbolize/symbolizer.h"

namespace redflag::collect {

class MappedLibraries {
 public:
  void add(const symbolize::ProcessMap& map);

  // The user's own first, then those of the system; by path.
  std::vector<Unchecked> unchecked(symbolize::Symbolizer& symbolizer) const;

 private:
  std::set<std::string> paths_;
};

}  // namespace redflag::collect
