// Fold: a race seen a thousand times is one finding with a count.
//
// Two findings are the same when they have the same rule and the same two sides, in either order,
// where a side is the file and line of its innermost frame of the program's own code (own_code.h).
// Writes against writes and against reads count as one rule here: `x++` in two threads is all
// three, and is one mistake. So there is one finding for a pair of lines, however many threads
// execute them and whichever is first. Frames of libraries do not make a place: a race inside of
// std::vector is at the line that uses the vector. Without debug information the functions and the
// offset in the binary are the place. The memory is left out on purpose: one loop over an array is
// one mistake, not a thousand. Where neither side has a source, the two threads and the address
// stand in. The first finding of each kind is kept whole (its threads, stacks and picture), and the
// order is that of first appearance.
//
// A fingerprint names a finding between runs and between versions of the program, for baselines,
// SARIF and links into the page. It leaves out line numbers, folders, thread numbers and addresses,
// which change although the race stays the same. Limits: renaming a function or its file gives a
// new fingerprint; two races between the same two functions on memory of the same name differ only
// by an ordinal ("-2"), given in order of appearance. Without any source the address is used, which
// is stable for a recorded trace but not between two runs of a program.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/finding.h"

namespace redflag {

class Folder {
 public:
  // Returns true when the finding was the first of its kind and is kept.
  bool add(Finding finding) { return put(std::move(finding)).is_new; }

  struct Place {
    std::size_t index = 0;  // in findings()
    bool is_new = false;
  };
  Place put(Finding finding);

  std::size_t size() const { return findings_.size(); }
  const std::vector<Finding>& findings() const { return findings_; }

  // The kept findings, with fingerprints set; the folder is empty afterwards.
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;
  std::unordered_map<std::string, std::size_t> by_key_;  // key -> index in findings_
};

// 16 hexadecimal digits. Equal for findings that differ only in what the file comment lists.
std::string fingerprint(const Finding& finding);

// Folds the report's findings and sets their fingerprints, unique within the report. Folding a
// folded report changes nothing.
void fold(Report& report);

}  // namespace redflag
