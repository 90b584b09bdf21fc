#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/ranks.h"
#include "core/report/clean.h"

namespace redflag::cli {
namespace {

void print_lines(std::string_view kind, std::string_view message) {
  std::string text = "redflag: " + std::string(kind) + ": ";
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    text += printable(message.substr(0, end)) + "\n";
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    if (!message.empty()) text += "  ";
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

void print_error(std::string_view message) {
  print_lines("error", message);
}

void print_note(std::string_view message) {
  print_lines("note", message);
}

Status bad_input(std::string_view message) {
  print_error(message);
  return Status::kBadInput;
}

Result<void> print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return {};
  }
  return fail(std::string("standard output: cannot write: ") + std::strerror(errno));
}

Status print_and_end(std::string_view text, Status status) {
  if (Result<void> done = print(text); !done) return bad_input(done.error().message);
  return status;
}

void print_to_error(std::string_view text) {
  // One write: the program's own lines do not come between.
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool wants_color(const Arguments& arguments, Stream stream) {
  const std::string choice = arguments.text("color");
  if (choice != "auto") return choice == "always";
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  // mpirun hands rank 0 a terminal of its own, whatever its output really goes to.
  return launched_ranks() <= 1 &&
         ::isatty(stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO) == 1;
}

}  // namespace redflag::cli
