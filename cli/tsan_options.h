// TSAN_OPTIONS for the reporter: ThreadSanitizer's flags as options of ours, and the few that only change its words.
//
// The rows of wire/tsan_flags.inc say which flags are the reporter's; the runtime in the program reads
// the same text for the others. What cannot be read, or does not exist, gives one line and changes
// nothing: a variable that is set for another program must not stop this one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"

namespace redflag::cli {

class Arguments;

struct TsanSettings {
  bool log_exe_name = false;
  std::string log_suffix;
  std::string strip_path_prefix;
  bool print_suppressions = false;
  bool full_thread_history = false;
};

struct TsanRequest {
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // of our options
  TsanSettings settings;
  std::vector<std::string> complaints;
};

// `origin` is what complaints call the text. Files that `include` names are read.
TsanRequest read_tsan_options(std::string_view text, std::string_view origin);

// A file of suppressions as TSAN_OPTIONS names it: a relative name that does not exist is looked for
// beside the program that is checked.
std::string find_beside_program(const Arguments& arguments, const std::string& file);

// docs/user/tsan-options.md.
std::string tsan_options_page();

}  // namespace redflag::cli
