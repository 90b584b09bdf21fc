// Progress: one line on the terminal for work that takes long, gone when it is done.
//
// "replaying  42%  310,000,000 events  52.1 M/s  0:31 left", about five times a
// second. Only on a terminal; otherwise every call is a compare and nothing is written. Asked once
// a batch, never once an event. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/trace/reader.h"

namespace redflag::cli {

class Progress {
 public:
  Progress(std::string what, bool quiet);  // shown if standard error is a terminal
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const EventReader& reader, std::uint64_t events) {
    if (shown_) update_slowly(reader, events);
  }
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  void update_slowly(const EventReader& reader, std::uint64_t events);

  std::string what_;
  bool shown_;
  bool on_screen_ = false;
  Clock::time_point started_;
  Clock::time_point next_;
};

// The line for a state of the work; `size` 0: unknown.
std::string progress_line(const std::string& what, std::uint64_t position, std::uint64_t size,
                          std::uint64_t events, double seconds);

}  // namespace redflag::cli
