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
  // Of so many things that are done one by one: "simulating  12 of 64  0:31 left".
  void update(std::size_t done, std::size_t all) {
    if (shown_) show_count(done, all);
  }
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  void show_count(std::size_t done, std::size_t all);
  void show(const std::string& line);
  void update_slowly(const EventReader& reader, std::uint64_t events);

  std::string what_;
  bool shown_;
  bool on_screen_ = false;
  Clock::time_point started_;
  Clock::time_point next_;
  std::size_t before_ = 0;  // done when it began, of counted things
};

// The line for a state of the work; `size` 0: unknown.
std::string progress_line(const std::string& what, std::uint64_t position, std::uint64_t size,
                          std::uint64_t events, double seconds);

// The same for things done one by one, `before` of them when the clock began.
std::string count_line(const std::string& what, std::size_t before, std::size_t done,
                       std::size_t all, double seconds);

}  // namespace redflag::cli
