// Exit statuses of the command, in one table: help, manual and tests read it. 'run' may also end
// with whatever the program under it ended with.
#pragma once

#include <array>
#include <string_view>

namespace redflag::cli {

enum class Status : int { kClean = 0, kBadInput = 2, kRaces = 66, kFault = 70 };

struct StatusInfo {
  Status status;
  std::string_view meaning;
};

inline constexpr std::array<StatusInfo, 4> kStatuses{{
    {Status::kClean,
     "no races (with --baseline: no new ones); run: the program's own status; others: done"},
    {Status::kBadInput, "wrong usage, or an input or output that could not be read or written"},
    {Status::kRaces, "races were reported (with --baseline: new ones), or confirmed"},
    {Status::kFault, "a fault of Redflag itself"},
}};

constexpr int raw(Status status) {
  return static_cast<int>(status);
}

}  // namespace redflag::cli
