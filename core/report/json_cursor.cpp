#include "core/report/json_cursor.h"

#include <algorithm>
#include <charconv>

#include "core/report/clean.h"

namespace redflag {
namespace {

constexpr std::size_t kMostShownBytes = 40;

const Json& null_value() {
  static const Json value;
  return value;
}

std::string listed(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

bool parse_whole(std::string_view digits, int base, std::uint64_t& value) {
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc() && at == end && !digits.empty();
}

}  // namespace

std::string JsonCursor::path() const {
  if (parent_ == nullptr) return "";
  std::string path = parent_->path();
  if (key_.empty()) return path + "[" + std::to_string(index_) + "]";
  return path + (path.empty() ? "" : ".") + std::string(key_);
}

std::string JsonCursor::found() const {
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return "an array of " + std::to_string(value_->size());
  std::string text = printable(dump(*value_, -1));
  if (text.size() > kMostShownBytes) text = text.substr(0, kMostShownBytes) + "...";
  return text;
}

void JsonCursor::wrong(const std::string& expected) const {
  if (!trouble_->message.empty()) return;
  const std::string where = path();
  trouble_->message =
      (where.empty() ? "the top level" : where) + ": expected " + expected + ", found " + found();
}

void JsonCursor::expect_keys(std::initializer_list<std::string_view> required,
                             std::initializer_list<std::string_view> optional) const {
  if (!trouble_->message.empty()) return;
  if (!value_->is_object()) return wrong("an object");
  const std::string where = path();
  const std::string prefix = (where.empty() ? "the top level" : where) + ": ";
  for (const std::string_view key : required) {
    if (has(key)) continue;
    trouble_->message = prefix + "the key \"" + std::string(key) + "\" is missing";
    return;
  }
  for (const auto& [key, value] : value_->items()) {
    const auto in = [&](auto& keys) { return std::find(keys.begin(), keys.end(), key); };
    if (in(required) != required.end() || in(optional) != optional.end()) continue;
    trouble_->message = prefix + "unknown key \"" + printable(key) + "\"; expected only " +
                        listed({required.begin(), required.size()}) +
                        (optional.size() == 0 ? "" : ", ") +
                        listed({optional.begin(), optional.size()});
    return;
  }
}

bool JsonCursor::has(std::string_view key) const {
  return value_->is_object() && value_->find(key) != value_->end();
}

JsonCursor JsonCursor::operator[](std::string_view key) const {
  const Json* value = &null_value();
  if (value_->is_object()) {
    if (const auto at = value_->find(key); at != value_->end()) value = &*at;
  }
  return {*value, *trouble_, this, key, 0};
}

std::size_t JsonCursor::size() const {
  if (value_->is_array()) return value_->size();
  wrong("an array");
  return 0;
}

JsonCursor JsonCursor::operator[](std::size_t index) const {
  const bool inside = value_->is_array() && index < value_->size();
  return {inside ? (*value_)[index] : null_value(), *trouble_, this, {}, index};
}

std::string JsonCursor::text() const {
  if (const auto* text = value_->get_ptr<const Json::string_t*>()) return *text;
  wrong("a string");
  return {};
}

bool JsonCursor::boolean() const {
  if (const auto* value = value_->get_ptr<const Json::boolean_t*>()) return *value;
  wrong("true or false");
  return false;
}

double JsonCursor::number_or_nan() const {
  if (value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value_->is_number()) return value_->get<double>();
  wrong("a number or null");
  return 0;
}

std::uint64_t JsonCursor::integer(std::uint64_t most) const {
  std::uint64_t value = 0;
  bool good = false;
  if (const auto* number = value_->get_ptr<const Json::number_unsigned_t*>()) {
    value = *number;
    good = true;
  } else if (const auto* text = value_->get_ptr<const Json::string_t*>()) {
    good = parse_whole(*text, 10, value);
  }
  if (good && value <= most) return value;
  wrong("an integer from 0 to " + std::to_string(most));
  return 0;
}

std::uint64_t JsonCursor::address() const {
  std::uint64_t value = 0;
  const auto* text = value_->get_ptr<const Json::string_t*>();
  if (text != nullptr && text->starts_with("0x") &&
      parse_whole(std::string_view(*text).substr(2), 16, value)) {
    return value;
  }
  wrong("a hexadecimal string like \"0x1f00\"");
  return 0;
}

std::size_t JsonCursor::one_of(std::span<const std::string_view> names) const {
  const auto* text = value_->get_ptr<const Json::string_t*>();
  const auto at = text == nullptr ? names.end() : std::find(names.begin(), names.end(), *text);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  wrong("one of " + listed(names));
  return 0;
}

}  // namespace redflag
