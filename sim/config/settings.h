// Settings: `name = value` lines, in the order of a file, each with where it came from.
//
// The form of configuration files and of a sweep's results. A file is read whole before anything is changed: what is wrong in it is said
// with its line, and nothing is half applied.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "sim/config/parameters.h"

namespace redflag::sim {

struct Setting {
  std::string name;
  std::string value;
  std::string where;  // "machine.cfg:3", "--set"

  friend bool operator==(const Setting&, const Setting&) = default;
};

// `file` is for messages.
Result<std::vector<Setting>> parse_settings(std::string_view text, std::string_view file);
Result<std::vector<Setting>> read_settings(const std::string& path);
// "name=value", from the command line.
Result<Setting> parse_setting(std::string_view text, std::string_view where);

// Later ones win. Every fault of all settings is in the message, a line each.
Result<void> apply_settings(std::span<const Parameter> parameters,
                            std::span<const Setting> settings);

// What a file would have to say for these values; with their meanings as comments.
std::string written(std::span<const Parameter> parameters);

}  // namespace redflag::sim
