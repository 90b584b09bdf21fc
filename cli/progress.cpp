#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/report/words.h"

namespace redflag::cli {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(200);
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string minutes(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds + 0.5, 3.6e7));
  char text[32];
  std::snprintf(text, sizeof(text), "%llu:%02llu", static_cast<unsigned long long>(whole / 60),
                static_cast<unsigned long long>(whole % 60));
  return text;
}

}  // namespace

std::string progress_line(const std::string& what, std::uint64_t position, std::uint64_t size,
                          std::uint64_t events, double seconds) {
  std::string line = what;
  const double part =
      size == 0 ? 0 : std::min(static_cast<double>(position) / static_cast<double>(size), 1.0);
  if (size > 0) line += "  " + std::to_string(static_cast<int>(100 * part)) + "%";
  line += "  " + with_separators(events) + " events";
  if (seconds > 0) {
    char rate[32];
    std::snprintf(rate, sizeof(rate), "  %.1f M/s", static_cast<double>(events) / seconds / 1e6);
    line += rate;
  }
  if (part > 0.01) line += "  " + minutes(seconds * (1 - part) / part) + " left";
  return line;
}

std::string count_line(const std::string& what, std::size_t before, std::size_t done,
                       std::size_t all, double seconds) {
  std::string line = what + "  " + with_separators(done) + " of " + with_separators(all);
  if (done > before && done < all) {
    const double each = seconds / static_cast<double>(done - before);
    line += "  " + minutes(each * static_cast<double>(all - done)) + " left";
  }
  return line;
}

Progress::Progress(std::string what, bool quiet)
    : what_(std::move(what)), shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {
  if (!shown_) return;
  started_ = Clock::now();
  next_ = started_ + kInterval;
}

void Progress::update_slowly(const EventReader& reader, std::uint64_t events) {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  show(progress_line(what_, reader.position(), reader.size(), events, seconds));
}

void Progress::show_count(std::size_t done, std::size_t all) {
  if (!on_screen_) before_ = done;
  show(count_line(what_, before_, done, all,
                  std::chrono::duration<double>(Clock::now() - started_).count()));
}

void Progress::show(const std::string& line) {
  const std::string text = std::string(kEraseLine) + line;
  std::fwrite(text.data(), 1, text.size(), stderr);
  on_screen_ = true;
}

void Progress::erase() {
  if (!on_screen_) return;
  std::fwrite(kEraseLine.data(), 1, kEraseLine.size(), stderr);
  on_screen_ = false;
}

}  // namespace redflag::cli
