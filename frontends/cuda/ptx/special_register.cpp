#include "frontends/cuda/ptx/special_register.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace redflag::ptx {
namespace {

// %pm3 and %pm3_64: the only names with their number inside.
std::string numbered(const SpecialInfo& row, int number) {
  std::string name(row.name);
  if (name.ends_with("_64"))
    return name.substr(0, name.size() - 3) + std::to_string(number) + "_64";
  return name + std::to_string(number);
}

struct Index {
  std::vector<std::pair<std::string, SpecialRef>> rows;
  std::unordered_map<std::string_view, SpecialRef> by_name;
};

Index make_index() {
  Index index;
  for (std::size_t i = 0; i < kSpecials.size(); ++i) {
    const SpecialInfo& row = kSpecials[i];
    const auto special = static_cast<Special>(i);
    if (row.count == 0) index.rows.emplace_back(row.name, SpecialRef{special, 0});
    for (std::uint8_t n = 0; n < row.count; ++n) {
      index.rows.emplace_back(numbered(row, n), SpecialRef{special, n});
    }
  }
  for (const auto& [name, ref] : index.rows) index.by_name.emplace(name, ref);
  return index;
}

}  // namespace

std::optional<SpecialRef> find_special(std::string_view name) {
  static const Index index = make_index();
  const auto it = index.by_name.find(name);
  return it == index.by_name.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace redflag::ptx
