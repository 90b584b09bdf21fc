#include "core/base/cxx_name.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace redflag {
namespace {

constexpr int kMostDepth = 64;  // of arguments in arguments; deeper ones stay as they are
constexpr std::size_t kNone = std::string_view::npos;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$';
}

bool is_open(char c) {
  return c == '<' || c == '(' || c == '[' || c == '{';
}
bool is_close(char c) {
  return c == '>' || c == ')' || c == ']' || c == '}';
}

// Where the symbol of an operator ends that begins at `at`; `at`: there is no operator here. Its
// characters are no brackets: operator<, operator(), operator->.
std::size_t after_operator(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!text.substr(at).starts_with(kWord) || (at > 0 && is_word(text[at - 1]))) return at;
  const std::size_t begin = at + kWord.size();
  if (begin >= text.size() || is_word(text[begin])) return at;
  constexpr std::array<std::string_view, 23> kLong{
      "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=",
      "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "->", "%=", "^="};
  for (const std::string_view symbol : kLong) {
    if (text.substr(begin).starts_with(symbol)) return begin + symbol.size();
  }
  return text[begin] == ' ' ? begin : begin + 1;  // "operator new", "operator bool"
}

// Where the bracket that opens at `at` ends: the place after it. kNone: it does not.
std::size_t after_bracket(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (const std::size_t after = after_operator(text, i); after != i) {
      i = after - 1;
      continue;
    }
    if (is_open(text[i])) ++depth;
    if (is_close(text[i])) {
      if (text[i] == '>' && i > 0 && text[i - 1] == '-') continue;  // "auto (int) -> int"
      if (--depth == 0) return i + 1;
    }
  }
  return kNone;
}

constexpr std::string_view kNameless = "(anonymous namespace)";

struct Parts {
  std::size_t begin = 0;  // of the qualified name
  std::size_t end = 0;    // where its parameters begin, or the text ends
};

// The name is what stands before the last parameters at the outermost level: those of a function
// around a lambda or a local class belong to the name.
Parts parts_of(std::string_view text) {
  Parts parts{0, text.size()};
  bool conversion = false;  // in "operator bool", which has spaces
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t after = after_operator(text, i); after != i) {
      conversion = after < text.size() && text[after] == ' ';
      i = after;
      // "operator< <int>": the space belongs to it.
      if (conversion && after + 1 < text.size() && text[after + 1] == '<') conversion = false, ++i;
      continue;
    }
    const char c = text[i];
    if (text.substr(i).starts_with(kNameless)) {
      i += kNameless.size();
      continue;
    }
    if (is_open(c)) {
      const std::size_t after = after_bracket(text, i);
      if (after == kNone) return {0, text.size()};
      if (c == '(' && !text.substr(0, i).ends_with("decltype")) {
        std::string_view rest = text.substr(after);
        if (rest.starts_with(" const")) rest.remove_prefix(6);
        if (!rest.starts_with("::")) return {parts.begin, i};
        conversion = false;
        i = text.size() - rest.size();
        continue;
      }
      i = after;
      continue;
    }
    if (c == ' ' && !conversion) parts.begin = i + 1;
    ++i;
  }
  return parts;
}

// The parts of "a, b<c, d>, e"; the brackets around them are not in `text`.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_open(text[i])) {
      const std::size_t after = after_bracket(text, i);
      if (after == kNone) break;
      i = after;
      continue;
    }
    if (text[i] == ',') {
      all.push_back(text.substr(begin, i - begin));
      begin = i + 1 < text.size() && text[i + 1] == ' ' ? i + 2 : i + 1;
    }
    ++i;
  }
  all.push_back(text.substr(begin));
  for (std::string_view& one : all) {
    while (one.ends_with(' ')) one.remove_suffix(1);
  }
  return all;
}

bool is_standard(std::string_view path) {
  return path.starts_with("std::") || path.starts_with("cuda::std::");
}

// Names of one argument that the standard's templates have for a default: of the first argument, or
// of anything.
bool is_default(std::string_view path, const std::vector<std::string>& arguments) {
  const std::string& last = arguments.back();
  if (path.ends_with("::pair") || path.ends_with("::tuple")) return false;
  const auto is = [&](std::string_view name, std::string_view of) {
    const std::string whole = std::string(name) + "<" + std::string(of) + ">";
    return last == "std::" + whole || last == "cuda::std::" + whole;
  };
  if (last.starts_with("std::allocator<")) return true;
  const std::string_view first = arguments.front();
  for (const std::string_view name :
       {"char_traits", "less", "equal_to", "hash", "default_delete"}) {
    if (is(name, first)) return true;
  }
  return false;
}

struct Alias {
  std::string_view whole;
  std::string_view name;
};
constexpr std::array<Alias, 10> kAliases{{
    {"std::basic_string<char>", "std::string"},
    {"std::basic_string<wchar_t>", "std::wstring"},
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::basic_ostream<char>", "std::ostream"},
    {"std::basic_istream<char>", "std::istream"},
    {"std::basic_iostream<char>", "std::iostream"},
    {"std::basic_ios<char>", "std::ios"},
    {"std::basic_stringstream<char>", "std::stringstream"},
    {"std::basic_ostringstream<char>", "std::ostringstream"},
    {"std::basic_ofstream<char>", "std::ofstream"},
}};

// The path that a '<' at the end of `out` belongs to: "std::map".
std::size_t path_begin(const std::string& out) {
  std::size_t at = out.size();
  while (at > 0 && (is_word(out[at - 1]) || out[at - 1] == ':' || out[at - 1] == '~')) --at;
  return at;
}

std::string shorten(std::string_view text, int depth);

// `out` ends with the template's name; adds what is left of its arguments.
void add_arguments(std::string& out, std::string_view inside, int depth) {
  const std::size_t begin = path_begin(out);
  const std::string path = out.substr(begin);
  std::vector<std::string> arguments;
  for (const std::string_view one : split_arguments(inside)) {
    arguments.push_back(shorten(one, depth + 1));
  }
  if (is_standard(path)) {
    while (arguments.size() > 1 && is_default(path, arguments)) arguments.pop_back();
  }
  out += '<';
  for (std::size_t i = 0; i < arguments.size(); ++i) out += (i > 0 ? ", " : "") + arguments[i];
  out += '>';
  for (const Alias& alias : kAliases) {
    if (std::string_view(out).substr(begin) == alias.whole) out.replace(begin, kNone, alias.name);
  }
}

// "__cxx11::", "__1::", "_V2::": where an inline namespace of a standard library begins at `at`,
// its length; else 0.
std::size_t inline_namespace(std::string_view text, std::size_t at) {
  if (at < 2 || text.substr(at - 2, 2) != "::") return 0;
  const std::string_view rest = text.substr(at);
  const std::size_t end = rest.find("::");
  if (end == kNone) return 0;
  const std::string_view word = rest.substr(0, end);
  const auto digits = [](std::string_view some) {
    return !some.empty() &&
           std::all_of(some.begin(), some.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool is_one = word == "__cxx11" || word == "__ndk1" || word == "_V2" ||
                      (word.starts_with("__") && digits(word.substr(2)));
  return is_one ? end + 2 : 0;
}

std::string shorten(std::string_view text, int depth) {
  if (depth > kMostDepth) return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t after = after_operator(text, i); after != i) {
      out += text.substr(i, after - i);
      i = after;
      continue;
    }
    if (const std::size_t length = inline_namespace(text, i); length > 0) {
      i += length;
      continue;
    }
    if (text.substr(i).starts_with("[abi:")) {
      const std::size_t end = text.find(']', i);
      if (end != kNone) {
        i = end + 1;
        continue;
      }
    }
    if (text[i] == '<' && !out.empty() && (is_word(out.back()) || out.back() == ' ')) {
      const std::size_t after = after_bracket(text, i);
      if (after == kNone) return std::string(text);
      add_arguments(out, text.substr(i + 1, after - i - 2), depth);
      i = after;
      continue;
    }
    out += text[i++];
  }
  return out;
}

// The content of each outermost bracket of this kind as "...".
std::string elide(std::string_view text, char bracket) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t after = after_operator(text, i); after != i) {
      out += text.substr(i, after - i);
      i = after;
      continue;
    }
    const std::size_t after = is_open(text[i]) ? after_bracket(text, i) : i;
    if (after == kNone) return std::string(text);
    if (after == i) {
      out += text[i++];
      continue;
    }
    const bool keep = text[i] != bracket || after - i <= 5 || text.substr(i).starts_with(kNameless);
    out += keep ? std::string(text.substr(i, after - i))
                : std::string(1, text[i]) + "..." + text[after - 1];
    i = after;
  }
  return out;
}

}  // namespace

std::string_view qualified_name(std::string_view function) {
  const Parts parts = parts_of(function);
  return function.substr(parts.begin, parts.end - parts.begin);
}

bool is_template(std::string_view function) {
  const std::string_view name = qualified_name(function);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t after = after_operator(name, i); after != i) {
      i = after - 1;
    } else if (name[i] == '<') {
      return true;
    }
  }
  return false;
}

std::string short_name(std::string_view name) {
  return shorten(name, 0);
}

std::string short_function(std::string_view name, std::size_t most) {
  std::string out = shorten(name.substr(parts_of(name).begin), 0);
  // A lambda's "main::{lambda()#1}::operator()() const", clang's "main::$_0::operator()() const".
  constexpr std::string_view kCall = "::operator()";
  for (std::size_t at = out.find(kCall); at != kNone; at = out.find(kCall, at + 1)) {
    std::size_t digits = at;
    while (digits > 0 && out[digits - 1] >= '0' && out[digits - 1] <= '9') --digits;
    const bool clangs = digits < at && std::string_view(out).substr(0, digits).ends_with("$_");
    if (clangs || (at > 0 && out[at - 1] == '}')) out.erase(at, kCall.size());
  }
  if (out.size() > most) out = elide(out, '(');
  if (out.size() > most) out = elide(out, '<');
  if (out.size() > most && most > 8) {
    const std::size_t half = (most - 3) / 2;
    out = out.substr(0, half) + "..." + out.substr(out.size() - half);
  }
  return out;
}

}  // namespace redflag
