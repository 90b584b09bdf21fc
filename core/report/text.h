// The report for a terminal: what, on which memory, by whom, what was missing, what to change.
//
// One block for each finding, with the same lines in the same order, so that it can be scanned:
//
//   error[race-write-write]: data race: write against write on 'balance'
//     memory    8 bytes at 0x5581a040, in a global variable of 8 bytes, declared at bank.cpp:7:6
//     first     write of 8 bytes by T1 (teller), locks held: accounts
//       deposit(long)  bank.cpp:12:11
//            11 |   std::lock_guard hold(accounts);
//       >    12 |   balance += amount;
//               |           ^
//            13 | }
//       teller(int)  bank.cpp:26:39
//       ... 6 frames of libstdc++
//     second    ...
//     missing   T1 (teller) held the lock accounts, T0 (main) held none.
//     change    Take accounts in reset() as well, or call reset() before the threads start.
//     thread    T1 (teller), running, created by T0 (main)
//       main  bank.cpp:30:15
//     lock      accounts, a mutex at 0x5581a0c0, taken by T1 (teller) in deposit(long) bank.cpp:11
//     seen      also seen 11 more times
//     suppress  race_top:^deposit(long)$
//
// and a summary of one line at the end, after what was not looked at. Findings on one variable
// stand together under a heading. Only live runs know threads and locks, and these are shown with
// the program's own frames alone; frames of standard libraries are folded everywhere. Misuse has
// one place, called "at", instead of the two sides. Names are printed in their short form (the JSON
// report has them whole), and through clean.h: a name cannot start a new line or send a command to
// the terminal. Whether to use colour is the caller's decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/model/finding.h"
#include "core/report/source_reader.h"

namespace redflag {

struct TextOptions {
  bool colour = false;
  bool suppression = true;          // the line to paste, under each finding
  std::size_t most_frames = 8;      // of each access's stack; the rest is counted
  std::uint64_t most_findings = 0;  // 0: all; the rest is counted
  SourceReader* sources = nullptr;  // nullptr: no excerpts
};

std::string write_text(const Report& report, const TextOptions& options = {});

// Its two parts: the findings, and the lines at the end: what was not looked at, then the summary.
std::string write_findings(const Report& report, const TextOptions& options = {});
std::string write_end(const Report& report, const TextOptions& options = {});
// For runs whose findings were printed as they came: which of them have one cause, a line each.
std::string write_causes(const Report& report);

// One finding, without colour unless asked; ends with a line end.
std::string write_text(const Finding& finding, const TextOptions& options = {});

// "redflag: 2 races (1 new), seen 14 times; 3 suppressed; fasttrack, 12,345 events"
std::string summary(const Report& report);

}  // namespace redflag
