#include "frontends/cpu/rt/options.h"

#include "frontends/cpu/rt/backoff.h"
#include "frontends/cpu/rt/ignored_code.h"
#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/text.h"

namespace redflag::rt {

Options g_options;

std::uint32_t io_sync() {
  return g_options.io_sync;
}

namespace {

struct Word {
  const char* begin;
  std::size_t size;

  bool is(const char* text) const {
    std::size_t i = 0;
    for (; i < size && text[i] != 0; ++i) {
      if (text[i] != begin[i]) return false;
    }
    return i == size && text[i] == 0;
  }
  bool number(std::uint64_t& n) const {
    n = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (begin[i] < '0' || begin[i] > '9' || n > 1U << 30) return false;
      n = n * 10 + static_cast<unsigned>(begin[i] - '0');
    }
    return size != 0;
  }
  bool flag(bool& value) const {
    if (is("yes") || is("1") || is("true")) return value = true, true;
    if (is("no") || is("0") || is("false")) return value = false, true;
    return false;
  }
};

bool set_on_race(Options& o, Word v) {
  if (v.is("report")) return o.on_race = OnRace::kReport, true;
  if (v.is("abort")) return o.on_race = OnRace::kAbort, true;
  if (v.is("stop-in-debugger")) return o.on_race = OnRace::kStop, true;
  return false;
}
bool set_history(Options& o, Word v) {
  std::uint64_t n = 0;
  if (!v.number(n) || n < 16 || n > 1U << 24) return false;
  o.history = 16;
  while (o.history < n) o.history *= 2;
  return true;
}
bool set_exit_status(Options& o, Word v) {
  std::uint64_t n = 0;
  if (!v.number(n) || n > 255) return false;
  o.exit_status = static_cast<std::uint32_t>(n);
  return true;
}
// The patterns called_from_lib in it; the rest is the reporter's, who also says what is wrong.
bool set_suppressions(Options&, Word v) {
  return v.size == 0 || (read_suppressions(v.begin, v.size), true);
}
bool set_format(Options& o, Word v) {
  o.tsan_format = v.is("tsan");
  if (o.tsan_format) o.thread_leaks = true;  // as ThreadSanitizer does
  return true;
}

// Decimal, of kFactorOne.
bool fraction(Word v, std::uint32_t& value) {
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  std::uint64_t unit = 1;
  std::size_t i = 0;
  for (; i < v.size && v.begin[i] != '.'; ++i) {
    if (v.begin[i] < '0' || v.begin[i] > '9' || whole > 1000) return false;
    whole = whole * 10 + static_cast<unsigned>(v.begin[i] - '0');
  }
  for (++i; i < v.size; ++i) {
    if (v.begin[i] < '0' || v.begin[i] > '9') return false;
    if (unit > 100000000) continue;
    part = part * 10 + static_cast<unsigned>(v.begin[i] - '0');
    unit *= 10;
  }
  if (v.size == 0 || whole > 1000) return false;
  value = static_cast<std::uint32_t>(whole * kFactorOne + (part * kFactorOne + unit / 2) / unit);
  return true;
}
bool set_factor(std::uint32_t& factor, Word v) {
  std::uint32_t value = 0;
  if (!fraction(v, value) || value > kFactorOne) return false;
  factor = value;
  return true;
}
// As the paper's table 2 has it: the strategy, A, the functions' factor.
bool set_sample(Options& o, Word v) {
  using Strategy = Sampling::Strategy;
  std::size_t name = 0;
  while (name < v.size && v.begin[name] != '.' && (v.begin[name] < '0' || v.begin[name] > '9')) {
    ++name;
  }
  const Word factor{v.begin + name, v.size - name};
  v.size = name;
  const bool by_function = name != 0 && (v.begin[0] == 'F' || v.begin[0] == 'H');
  if (factor.size != 0 && !(by_function && set_factor(o.sampling.function_factor, factor))) {
    return false;
  }
  if (v.is("NL")) return o.sampling.strategy = Strategy::kNoLocal, true;
  o.sampling.locality = v.size == 2 && v.begin[1] == 'A';
  if (v.is("none")) return o.sampling.strategy = Strategy::kNone, true;
  if (name == 0 || (name != 1 && !o.sampling.locality)) return false;
  switch (v.begin[0]) {
    case 'I':
      return o.sampling.strategy = Strategy::kInstruction, true;
    case 'F':
      return o.sampling.strategy = Strategy::kFunction, true;
    case 'H':
      return o.sampling.strategy = Strategy::kHierarchical, true;
    default:
      return false;
  }
}
bool set_budget(Options& o, Word v) {
  if (v.size > 0 && v.begin[v.size - 1] == 'x') --v.size;
  std::uint32_t value = 0;
  if (!fraction(v, value) || value <= kFactorOne) return false;
  o.sampling.budget = value;
  return true;
}

struct Row {
  const char* key;
  const char* expected;
  bool (*set)(Options&, Word);
};
constexpr Row kRows[] = {
    {"on-race", "report, abort or stop-in-debugger", set_on_race},
    {"history", "a number from 16 to 16777216", set_history},
    {"exit-status", "a number from 0 to 255", set_exit_status},
    {"format", "text or tsan", set_format},
    {"suppressions", "the name of a file", set_suppressions},
    {"sample", "NL, I, F, H, IA, FA, HA, such as HA.5, or none", set_sample},
    {"function-backoff", "a number from 0 to 1",
     [](Options& o, Word v) { return set_factor(o.sampling.function_factor, v); }},
    {"instruction-backoff", "a number from 0 to 1",
     [](Options& o, Word v) { return set_factor(o.sampling.instruction_factor, v); }},
    {"budget", "a slowdown above 1, such as 1.2x", set_budget},
    {"thread-leaks", "yes or no", [](Options& o, Word v) { return v.flag(o.thread_leaks); }},
    {"lock-misuse", "yes or no", [](Options& o, Word v) { return v.flag(o.lock_misuse); }},
    {"signal-misuse", "yes or no", [](Options& o, Word v) { return v.flag(o.signal_misuse); }},
};

}  // namespace

void parse_options(const char* text) {
  for (const char* p = text; *p != 0;) {
    while (*p == ' ' || *p == ':' || *p == '\t' || *p == '\n') ++p;
    const char* key = p;
    while (*p != 0 && *p != '=' && *p != ' ' && *p != ':') ++p;
    const Word name{key, static_cast<std::size_t>(p - key)};
    Word value{"", 0};
    if (*p == '=') {
      value.begin = ++p;
      while (*p != 0 && *p != ' ' && *p != ':' && *p != '\t' && *p != '\n') ++p;
      value.size = static_cast<std::size_t>(p - value.begin);
    }
    for (const Row& row : kRows) {
      if (!name.is(row.key)) continue;
      if (row.set(g_options, value)) continue;
      TextBuffer<256> message;
      message.add("REDFLAG_OPTIONS: ").add(row.key).add(" must be ").add(row.expected);
      say(message.text());
    }
  }
}

}  // namespace redflag::rt
