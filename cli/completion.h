// Completion scripts for shells, made from the tables of commands and options.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace redflag::cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

struct ShellInfo {
  std::string_view name;
  std::string (*script)();
};
inline constexpr std::array<ShellInfo, 3> kShells{{
    {"bash", bash_completion},
    {"zsh", zsh_completion},
    {"fish", fish_completion},
}};

}  // namespace redflag::cli
