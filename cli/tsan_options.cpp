#include "cli/tsan_options.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cli/arguments.h"
#include "cli/toolchain.h"
#include "core/base/output_file.h"
#include "core/base/suggest.h"
#include "frontends/cpu/wire/tsan_flags.h"

namespace redflag::cli {
namespace {

using wire::TsanEffect;
using wire::TsanFlag;
using wire::TsanWord;

constexpr std::size_t kMostIncluded = 64 << 10;
constexpr int kMostIncludes = 8;  // within one another

class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  void read(std::string_view text) {
    wire::TsanWords words(text);
    for (TsanWord word; words.next(word);) read_one(word);
  }
  TsanRequest finish() { return std::move(made_); }

  void set(std::string_view option, std::string_view value) {
    if (value.empty()) {
      made_.values.erase(std::string(option));
    } else {
      made_.values[std::string(option)] = {std::string(value)};
    }
  }
  void set_flag(std::string_view option, std::string_view value) {
    bool on = false;
    (void)wire::read_tsan_flag(value, on);
    set(option, on ? "yes" : "no");
  }
  void set_halt(std::string_view value) {
    bool on = false;
    (void)wire::read_tsan_flag(value, on);
    set("on-race", on ? "abort" : "report");
  }
  // Whoever reads logs of ThreadSanitizer expects its words in them.
  void set_log(std::string_view value) {
    const bool is_file = !value.empty() && value != "stdout" && value != "stderr";
    set("log-path", value);
    set("format", is_file ? "tsan" : "");
  }
  bool set_history(std::string_view value) {
    std::uint32_t doublings = 0;
    if (!wire::read_tsan_number(value, doublings) || doublings > 7) return false;
    set("history", std::to_string((1U << 14) << doublings));
    return true;
  }
  bool include(std::string_view name, bool must_exist) {
    if (depth_ == kMostIncludes) return false;
    const Result<std::string> text = read_file(std::string(name), kMostIncluded);
    if (!text) return !must_exist;
    ++depth_;
    read(*text);
    --depth_;
    return true;
  }
  TsanSettings& settings() { return made_.settings; }

 private:
  void read_one(const TsanWord& word);

  std::string_view origin_;
  TsanRequest made_;
  int depth_ = 0;
};

// False: the value is out of range.
struct Row {
  std::string_view name;
  bool (*take)(Reader&, std::string_view);
};
constexpr Row kRows[] = {
    {"suppressions", [](Reader& r, std::string_view v) { return r.set("suppressions", v), true; }},
    {"print_suppressions",
     [](Reader& r, std::string_view v) {
       return wire::read_tsan_flag(v, r.settings().print_suppressions);
     }},
    {"report_thread_leaks",
     [](Reader& r, std::string_view v) { return r.set_flag("thread-leaks", v), true; }},
    {"history_size", [](Reader& r, std::string_view v) { return r.set_history(v); }},
    {"exitcode",
     [](Reader& r, std::string_view v) {
       const bool good = value_fault(*find_option("exit-status"), v).empty();
       if (good) r.set("exit-status", v);
       return good;
     }},
    {"halt_on_error", [](Reader& r, std::string_view v) { return r.set_halt(v), true; }},
    {"log_path", [](Reader& r, std::string_view v) { return r.set_log(v), true; }},
    {"log_exe_name",
     [](Reader& r, std::string_view v) {
       return wire::read_tsan_flag(v, r.settings().log_exe_name);
     }},
    {"log_suffix", [](Reader& r, std::string_view v) { return r.settings().log_suffix = v, true; }},
    {"color",
     [](Reader& r, std::string_view v) {
       const bool good = value_fault(*find_option("color"), v).empty();
       if (good) r.set("color", v);
       return good;
     }},
    {"strip_path_prefix",
     [](Reader& r, std::string_view v) { return r.settings().strip_path_prefix = v, true; }},
    {"print_full_thread_history",
     [](Reader& r, std::string_view v) {
       return wire::read_tsan_flag(v, r.settings().full_thread_history);
     }},
    {"include", [](Reader& r, std::string_view v) { return r.include(v, true); }},
    {"include_if_exists", [](Reader& r, std::string_view v) { return r.include(v, false); }},
};
static_assert(wire::has_all_tsan_flags(kRows, wire::is_for_reporter));

std::vector<std::string> flag_names() {
  std::vector<std::string> names;
  for (const TsanFlag& flag : wire::kTsanFlags) names.emplace_back(flag.name);
  return names;
}

void Reader::read_one(const TsanWord& word) {
  const TsanFlag* const flag = wire::find_tsan_flag(word.name);
  if (flag == nullptr) {
    const std::string name(word.name);
    made_.complaints.push_back(std::string(origin_) + ": ThreadSanitizer has no flag '" + name +
                               "'; it is ignored" + did_you_mean(nearest(name, flag_names())));
    return;
  }
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&word](const Row& one) { return one.name == word.name; });
  if (!word.has_value || !wire::suits(*flag, word.value) ||
      (row != std::end(kRows) && !row->take(*this, word.value))) {
    made_.complaints.push_back(std::string(origin_) + ": found '" + std::string(word.name) + "=" +
                               std::string(word.value) + "', which cannot be read; it is ignored");
  }
}

// Of the two commands that see a program run.
std::string program_of(const Arguments& arguments) {
  if (arguments.command().id == Command::kRun && !arguments.operands().empty()) {
    return find_program(arguments.operands().front());
  }
  std::error_code fault;
  const std::string link = "/proc/" + std::to_string(::getppid()) + "/exe";
  return std::filesystem::read_symlink(link, fault).string();
}

std::string_view effect_words(TsanEffect effect) {
  return effect == TsanEffect::kNone ? "no effect: " : "";
}

}  // namespace

TsanRequest read_tsan_options(std::string_view text, std::string_view origin) {
  Reader reader(origin);
  reader.read(text);
  return reader.finish();
}

std::string find_beside_program(const Arguments& arguments, const std::string& file) {
  std::error_code fault;
  if (file.starts_with('/') || std::filesystem::exists(file, fault)) return file;
  if (arguments.command().id != Command::kRun && arguments.command().id != Command::kAttend) {
    return file;
  }
  const std::string beside =
      (std::filesystem::path(program_of(arguments)).parent_path() / file).string();
  return std::filesystem::exists(beside, fault) ? beside : file;
}

std::string tsan_options_page() {
  std::string page =
      "# TSAN_OPTIONS\n\n"
      "A program that is linked with libredflag, and `redflag run`, read `TSAN_OPTIONS` as they "
      "read\n"
      "`REDFLAG_OPTIONS`: flags of ThreadSanitizer, `name=value`, separated by blanks, commas or "
      "colons; quotes keep\n"
      "separators in a value. What the program returns from `__tsan_default_options()` is read "
      "first. `REDFLAG_OPTIONS`\n"
      "and the command line come after both and win.\n\n"
      "These are all flags of ThreadSanitizer in clang 19. A flag that is not among them gives one "
      "line, and so does a\n"
      "value that cannot be read; the program goes on. The default is ThreadSanitizer's, on x86-64 "
      "Linux. This page is\n"
      "made from the table that both readers use (`redflag help tsan-options` prints it).\n\n"
      "| flag | default | here |\n|---|---|---|\n";
  for (const bool has_effect : {true, false}) {
    for (const TsanFlag& flag : wire::kTsanFlags) {
      if ((flag.effect != TsanEffect::kNone) != has_effect) continue;
      page += "| `" + std::string(flag.name) + "` | ";
      page += (flag.fallback.empty() ? std::string() : "`" + std::string(flag.fallback) + "` ");
      page += "| " + std::string(effect_words(flag.effect)) + std::string(flag.words) + " |\n";
    }
  }
  return page;
}

}  // namespace redflag::cli
