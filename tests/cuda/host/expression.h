// Words, numbers and arithmetic of a line of a script.
//
// A cursor over one line. Nothing throws: the first thing that is not as it should be is kept in `fault`,
// and everything after that yields nothing, so that callers look once, at the end.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace redflag::script {

class Cursor {
 public:
  Cursor(std::string_view line, const std::map<std::string, double>& values)
      : rest_(line), values_(values) {
    skip();
  }

  const std::string& fault() const { return fault_; }
  void set_fault(std::string text) {
    if (fault_.empty()) fault_ = std::move(text);
    rest_ = {};
  }
  bool at_end() const { return rest_.empty(); }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    if (is_word(token.back()) && rest_.size() > token.size() && is_word(rest_[token.size()]))
      return false;
    rest_.remove_prefix(token.size());
    skip();
    return true;
  }
  void need(std::string_view token) {
    if (!take(token))
      set_fault("needs '" + std::string(token) + "' before '" + std::string(rest_) + "'");
  }
  std::string word() {
    std::size_t n = 0;
    while (n < rest_.size() && is_word(rest_[n])) ++n;
    if (n == 0) set_fault("needs a name before '" + std::string(rest_) + "'");
    std::string found(rest_.substr(0, n));
    rest_.remove_prefix(n);
    skip();
    return found;
  }
  // The word that is next, without taking it.
  std::string_view peek_word() const {
    std::size_t n = 0;
    while (n < rest_.size() && is_word(rest_[n])) ++n;
    return rest_.substr(0, n);
  }

  double sum() {
    double left = product();
    for (;;) {
      if (take("+"))
        left += product();
      else if (take("-"))
        left -= product();
      else
        return left;
    }
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  }
  static bool is_whole(double x) { return x == static_cast<double>(static_cast<long long>(x)); }
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  double product() {
    double left = factor();
    for (;;) {
      if (take("*")) {
        left *= factor();
      } else if (take("/")) {
        const double right = factor();
        if (right == 0) {
          set_fault("divides by zero");
          return 0;
        }
        if (is_whole(left) && is_whole(right)) {
          const long long quotient = static_cast<long long>(left) / static_cast<long long>(right);
          left = static_cast<double>(quotient);
        } else {
          left /= right;
        }
      } else {
        return left;
      }
    }
  }
  double factor() {
    if (take("-")) return -factor();
    if (take("(")) {
      const double value = sum();
      need(")");
      return value;
    }
    const std::string text = word();
    if (text.empty()) return 0;
    if (text[0] >= '0' && text[0] <= '9') {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      if (*end != '\0') set_fault("'" + text + "' is not a number");
      return value;
    }
    const auto found = values_.find(text);
    if (found == values_.end()) {
      set_fault("'" + text + "' is not known: let " + text + " = ...");
      return 0;
    }
    return found->second;
  }

  std::string_view rest_;
  const std::map<std::string, double>& values_;
  std::string fault_;
};

}  // namespace redflag::script
