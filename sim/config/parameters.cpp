#include "sim/config/parameters.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

#include "core/base/suggest.h"

namespace redflag::sim {
namespace {

constexpr std::string_view kOn[] = {"on", "yes", "true"};
constexpr std::string_view kOff[] = {"off", "no", "false"};

struct Suffix {
  char letter;
  unsigned shift;
};
constexpr Suffix kSuffixes[] = {{'G', 30}, {'M', 20}, {'K', 10}};

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

Result<std::uint64_t> whole_number(std::string_view text, std::uint64_t most) {
  const auto wrong = [&] {
    return fail("a whole number up to " + std::to_string(most) +
                " is needed (K, M and G are powers of 1024), found '" + std::string(text) + "'");
  };
  std::string_view digits = text;
  unsigned shift = 0;
  for (const Suffix& suffix : kSuffixes) {
    if (digits.empty() || (digits.back() | 0x20) != (suffix.letter | 0x20)) continue;
    shift = suffix.shift;
    digits.remove_suffix(1);
    break;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return wrong();
  if (number > most >> shift) return wrong();
  return number << shift;
}

std::string text_of_number(std::uint64_t number) {
  for (const Suffix& suffix : kSuffixes) {
    if (number != 0 && number % (std::uint64_t{1} << suffix.shift) == 0) {
      return std::to_string(number >> suffix.shift) + suffix.letter;
    }
  }
  return std::to_string(number);
}

struct Setter {
  std::string_view text;

  template <typename Number>
  Result<void> whole(Number* value) const {
    const Result<std::uint64_t> number = whole_number(text, std::numeric_limits<Number>::max());
    if (!number) return Failure(number.error());
    *value = static_cast<Number>(*number);
    return {};
  }
  Result<void> operator()(std::uint32_t* value) const { return whole(value); }
  Result<void> operator()(std::uint64_t* value) const { return whole(value); }
  Result<void> operator()(double* value) const {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // Written so that what is no number is refused as well.
    if (error != std::errc{} || end != text.data() + text.size() ||
        !(number >= 0 && number < 1e18)) {
      return fail("a number is needed, found '" + std::string(text) + "'");
    }
    *value = number;
    return {};
  }
  Result<void> operator()(bool* value) const {
    if (!is_one_of(text, kOn) && !is_one_of(text, kOff)) {
      return fail("'on' or 'off' is needed, found '" + std::string(text) + "'");
    }
    *value = is_one_of(text, kOn);
    return {};
  }
  Result<void> operator()(const Choice& choice) const {
    const auto at = std::find(choice.words.begin(), choice.words.end(), text);
    if (at == choice.words.end()) {
      std::string words;
      for (const std::string_view word : choice.words)
        words += (words.empty() ? "" : ", ") + std::string(word);
      return fail("one of " + words + " is needed, found '" + std::string(text) + "'");
    }
    *choice.value = static_cast<std::uint8_t>(at - choice.words.begin());
    return {};
  }
};

}  // namespace

Result<void> set(const Parameter& parameter, std::string_view text) {
  Result<void> done = std::visit(Setter{text}, parameter.value);
  if (!done) return fail(std::string(parameter.name) + ": " + done.error().message);
  return done;
}

std::string text_of(const Parameter& parameter) {
  struct Writer {
    std::string operator()(const std::uint32_t* value) const { return text_of_number(*value); }
    std::string operator()(const std::uint64_t* value) const { return text_of_number(*value); }
    std::string operator()(const double* value) const {
      char text[32];
      const auto end = std::to_chars(text, text + sizeof text, *value).ptr;  // reads back exactly
      return {text, end};
    }
    std::string operator()(const bool* value) const { return *value ? "on" : "off"; }
    std::string operator()(const Choice& choice) const {
      return std::string(choice.words[*choice.value]);
    }
  };
  return std::visit(Writer{}, parameter.value);
}

std::string wanted(const Parameter& parameter) {
  struct Namer {
    std::string operator()(const bool*) const { return "on|off"; }
    std::string operator()(const double*) const { return "number"; }
    std::string operator()(const Choice& choice) const {
      std::string words;
      for (const std::string_view word : choice.words)
        words += (words.empty() ? "" : "|") + std::string(word);
      return words;
    }
    std::string operator()(const void*) const { return "whole number"; }
  };
  return std::visit(Namer{}, parameter.value);
}

Result<const Parameter*> find(std::span<const Parameter> parameters, std::string_view name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
    names.emplace_back(parameter.name);
  }
  return fail("there is no parameter '" + std::string(name) + "'" +
              did_you_mean(nearest(name, names)));
}

}  // namespace redflag::sim
