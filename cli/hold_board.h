// HoldBoard: one trial of `redflag confirm` as the runtimes in the program understand it (wire/hold.h).
//
// A memory file, made anew for each run and gone when this is. It is written before the program starts, and
// read after it has ended, with as little trust as anything else that the program could write to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "confirm/pairs.h"
#include "confirm/plan.h"
#include "core/base/error.h"
#include "core/symbolize/symbolizer.h"

namespace redflag::wire {
struct HoldBoard;
}

namespace redflag::cli {

class HoldBoard {
 public:
  static Result<HoldBoard> make(const confirm::Trial& trial,
                                const std::vector<confirm::Pair>& pairs,
                                symbolize::Symbolizer& symbolizer);
  HoldBoard(HoldBoard&& other) noexcept;
  HoldBoard& operator=(HoldBoard&&) = delete;
  ~HoldBoard();

  std::string path() const;  // as the program can open it

  // After the run. In the order of the trial's attempts.
  std::vector<confirm::Outcome> outcomes() const;
  std::uint32_t processes() const;  // that have looked at it

 private:
  HoldBoard(int fd, wire::HoldBoard* board) : fd_(fd), board_(board) {}
  int fd_ = -1;
  wire::HoldBoard* board_ = nullptr;
  std::size_t attempts_ = 0;
};

}  // namespace redflag::cli
