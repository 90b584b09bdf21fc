// A buffer of a script, its initial contents, and the lines of a script.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cuda/host/expression.h"
#include "tests/cuda/host/script.h"

namespace redflag::script {

struct Buffer {
  Type type = Type::kInt;
  std::uint64_t count = 0;
  void* address = nullptr;
  bool is_image = false;
  ImagePlan image;
  std::uint64_t bytes() const { return count * size_of(type); }
};

inline constexpr std::pair<std::string_view, Type> kTypes[] = {
    {"char", Type::kChar},   {"short", Type::kShort},   {"int", Type::kInt},
    {"uint", Type::kUint},   {"long", Type::kLong},     {"ulong", Type::kUlong},
    {"float", Type::kFloat}, {"double", Type::kDouble},
};

// "linear wrap normalized" and the like, behind the name of what the texture is of.
inline ObjectPlan texture_words(Cursor& c, const Buffer& of) {
  ObjectPlan plan{.of = of.address, .is_image = of.is_image, .image = of.image};
  if (!of.is_image) plan.image = {of.type, of.count, 0, 0};
  constexpr std::string_view kModes[] = {"wrap", "clamp", "mirror", "border"};
  while (!c.at_end()) {
    const std::string word = c.word();
    bool known = word == "linear" || word == "normalized" || word == "float";
    plan.filters |= word == "linear";
    plan.normalized |= word == "normalized";
    plan.as_float |= word == "float";
    for (int i = 0; i < 4; ++i) {
      if (word != kModes[i]) continue;
      plan.mode = i;
      known = true;
    }
    if (!known) c.set_fault("a texture is not '" + word + "'");
  }
  return plan;
}

// Contents that look random and are always the same.
inline std::uint64_t hash(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

inline std::string shown(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

// "= 7", "= index", "= hash 100", or nothing: zeros.
inline std::vector<std::byte> initial(Cursor& c, const Buffer& made) {
  std::vector<std::byte> contents(made.bytes());
  if (c.take("=")) {
    const bool index = c.take("index");
    const double modulus = c.take("hash") ? c.sum() : 0;
    const double value = index || modulus > 0 ? 0 : c.sum();
    for (std::uint64_t i = 0; i < made.count; ++i) {
      const double x = index ? static_cast<double>(i)
                       : modulus > 0
                           ? static_cast<double>(hash(i) % static_cast<std::uint64_t>(modulus))
                           : value;
      store(made.type, contents.data() + i * size_of(made.type), x);
    }
  }
  return contents;
}

struct Line {
  int number = 0;
  std::string_view text;  // without comment
};

inline std::vector<Line> split(const Text& script) {
  std::vector<Line> lines;
  std::size_t at = 0;
  for (int number = script.line; at <= script.text.size(); ++number) {
    const std::size_t end = std::min(script.text.find('\n', at), script.text.size());
    std::string_view text = script.text.substr(at, end - at);
    text = text.substr(0, text.find('#'));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    lines.push_back({number, text});
    at = end + 1;
  }
  return lines;
}

}  // namespace redflag::script
