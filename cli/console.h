// What goes to the terminal: errors and notes to standard error, results to standard output.
//
// Text that may hold a trace's or a user's bytes passes through clean.h line by line, so that a
// file name cannot send commands to the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/status.h"
#include "core/base/error.h"

namespace redflag::cli {

// "redflag: error: ..."; further lines of the message are indented.
void print_error(std::string_view message);
void print_note(std::string_view message);

// Prints the message and gives the status for it: the usual end of a failed command.
Status bad_input(std::string_view message);

// Writes and flushes: a full disk or a closed pipe is an error, not a lost report.
Result<void> print(std::string_view text);
// The same as the end of a command.
Status print_and_end(std::string_view text, Status status = Status::kClean);

// The same to standard error, while a program runs beside us; what cannot be written is lost.
void print_to_error(std::string_view text);

enum class Stream : std::uint8_t { kOutput, kError };
bool wants_color(const Arguments& arguments, Stream stream = Stream::kOutput);

}  // namespace redflag::cli
