#include "frontends/cpu/rt/tsan_options.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "core/live/os.h"
#include "frontends/cpu/rt/ignored_code.h"
#include "frontends/cpu/rt/options.h"
#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/wire/tsan_flags.h"

namespace redflag::rt {
namespace {

using wire::TsanFlag;
using wire::TsanWord;

constexpr int kMostIncludes = 8;  // within one another

struct Parse {
  const char* origin;
  bool is_said;
  int depth = 0;
  bool wants_log = false;
  bool has_leaks = false;
};

void read_options(std::string_view text, Parse& parse);

// nullptr: it cannot be read. The pages stay: values point into them.
const char* read_whole(std::string_view name, std::size_t& size) {
  TextBuffer<4096> path;
  path.add(name.data(), name.size());
  const auto word = [](const void* p) { return reinterpret_cast<long>(p); };
  const auto fd = static_cast<int>(
      live::os_syscall(SYS_openat, AT_FDCWD, word(path.text()), O_RDONLY | O_CLOEXEC));
  if (fd < 0) return nullptr;
  constexpr std::size_t kMost = 64 << 10;
  char* const bytes = static_cast<char*>(live::os_map(kMost));
  size = 0;
  while (size < kMost) {
    const std::intptr_t n =
        live::os_syscall(SYS_read, fd, word(bytes + size), static_cast<long>(kMost - size));
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  live::os_syscall(SYS_close, fd);
  return bytes;
}

bool include(std::string_view name, Parse& parse, bool must_exist) {
  std::size_t size = 0;
  const char* const text = parse.depth < kMostIncludes ? read_whole(name, size) : nullptr;
  if (text == nullptr) return !must_exist;
  ++parse.depth;
  read_options({text, size}, parse);
  --parse.depth;
  return true;
}

bool set_history(Options& o, std::string_view value) {
  std::uint32_t doublings = 0;
  if (!wire::read_tsan_number(value, doublings) || doublings > 7) return false;
  o.history = (1U << 14) << doublings;
  return true;
}
bool set_exit_code(Options& o, std::string_view value) {
  std::uint32_t status = 0;
  if (!wire::read_tsan_number(value, status) || status > 255) return false;
  o.exit_status = status;
  return true;
}
bool set_halt(Options& o, std::string_view value) {
  bool halt = false;
  if (!wire::read_tsan_flag(value, halt)) return false;
  o.on_race = halt ? OnRace::kAbort : OnRace::kReport;
  return true;
}
bool set_io_sync(Options& o, std::string_view value) {
  std::uint32_t level = 0;
  if (!wire::read_tsan_number(value, level) || level > 2) return false;
  o.io_sync = level;
  return true;
}
bool set_log(Parse& parse, std::string_view value) {
  parse.wants_log = value != "stderr" && value != "stdout" && !value.empty();
  return true;
}
bool set_help(std::string_view value) {
  bool wanted = false;
  if (!wire::read_tsan_flag(value, wanted)) return false;
  if (!wanted) return true;
  say("flags of TSAN_OPTIONS; docs/user/tsan-options.md has more on each:");
  for (const TsanFlag& flag : wire::kTsanFlags) {
    TextBuffer<256> line;
    line.add("  ").add(flag.name.data());
    line.add(flag.effect == wire::TsanEffect::kNone ? ": no effect: " : ": ");
    say(line.add(flag.words.data()).text());
  }
  return true;
}
bool set_ignored(CallsOf calls, std::string_view value) {
  bool ignored = false;
  if (!wire::read_tsan_flag(value, ignored)) return false;
  ignore_accesses_of(calls, ignored);
  return true;
}

template <bool Options::* kField>
bool set_flag(Options& o, std::string_view value, Parse&) {
  return wire::read_tsan_flag(value, o.*kField);
}
template <std::uint32_t Options::* kField>
bool set_number(Options& o, std::string_view value, Parse&) {
  return wire::read_tsan_number(value, o.*kField);
}

struct Row {
  std::string_view name;
  bool (*set)(Options&, std::string_view, Parse&);
};
constexpr Row kRows[] = {
    {"suppressions",
     [](Options&, std::string_view v, Parse&) {
       return v.empty() || (read_suppressions(v.data(), v.size()), true);
     }},
    {"report_bugs", set_flag<&Options::reports>},
    {"report_thread_leaks",
     [](Options& o, std::string_view v, Parse& p) {
       p.has_leaks = true;
       return wire::read_tsan_flag(v, o.thread_leaks);
     }},
    {"report_destroy_locked", set_flag<&Options::reports_destroyed_locks>},
    {"report_mutex_bugs", set_flag<&Options::reports_mutex_bugs>},
    {"report_signal_unsafe", set_flag<&Options::reports_unsafe_calls>},
    {"report_atomic_races", set_flag<&Options::reports_atomic_races>},
    {"ignore_interceptors_accesses",
     [](Options&, std::string_view v, Parse&) { return set_ignored(CallsOf::kAll, v); }},
    {"ignore_noninstrumented_modules",
     [](Options&, std::string_view v, Parse&) { return set_ignored(CallsOf::kPlainModules, v); }},
    {"enable_annotations", set_flag<&Options::annotations>},
    {"force_seq_cst_atomics", set_flag<&Options::strong_atomics>},
    {"io_sync", [](Options& o, std::string_view v, Parse&) { return set_io_sync(o, v); }},
    {"history_size", [](Options& o, std::string_view v, Parse&) { return set_history(o, v); }},
    {"exitcode", [](Options& o, std::string_view v, Parse&) { return set_exit_code(o, v); }},
    {"halt_on_error", [](Options& o, std::string_view v, Parse&) { return set_halt(o, v); }},
    {"abort_on_error", set_flag<&Options::abort_signal>},
    {"atexit_sleep_ms", set_number<&Options::exit_sleep_ms>},
    {"stop_on_start", set_flag<&Options::stop_on_start>},
    {"running_on_valgrind", set_flag<&Options::on_valgrind>},
    {"log_path", [](Options&, std::string_view v, Parse& p) { return set_log(p, v); }},
    {"verbosity", set_number<&Options::verbosity>},
    {"help", [](Options&, std::string_view v, Parse&) { return set_help(v); }},
    {"include", [](Options&, std::string_view v, Parse& p) { return include(v, p, true); }},
    {"include_if_exists",
     [](Options&, std::string_view v, Parse& p) { return include(v, p, false); }},
};
static_assert(wire::has_all_tsan_flags(kRows, wire::is_for_program));

void complain(const Parse& parse, const TsanWord& word, const char* what) {
  if (!parse.is_said) return;
  TextBuffer<256> line;
  line.add(parse.origin).add(": ").add(word.name.data(), word.name.size());
  say(line.add(what).text());
}

void read_one(const TsanWord& word, Parse& parse) {
  const TsanFlag* const flag = wire::find_tsan_flag(word.name);
  if (flag == nullptr) {
    return complain(parse, word,
                    " is not a flag of ThreadSanitizer: it is ignored (help=1 lists all)");
  }
  if (flag->effect == wire::TsanEffect::kNone && g_options.verbosity > 0) {
    complain(parse, word, " has no effect here (docs/user/tsan-options.md)");
  }
  bool good = word.has_value && wire::suits(*flag, word.value);
  for (const Row& row : kRows) {
    if (good && row.name == word.name) good = row.set(g_options, word.value, parse);
  }
  if (!good) complain(parse, word, " has a value that cannot be read: it is ignored");
}

void read_options(std::string_view text, Parse& parse) {
  wire::TsanWords words(text);
  for (TsanWord word; words.next(word);) read_one(word, parse);
}

}  // namespace

void parse_tsan_options(const char* text, const char* origin, bool is_said) {
  std::size_t size = 0;
  while (text[size] != 0) ++size;
  Parse parse{origin, is_said};
  read_options({text, size}, parse);
  // Logs are in ThreadSanitizer's words, which include threads that nobody joined.
  if (parse.wants_log && !parse.has_leaks) g_options.thread_leaks = true;
}

}  // namespace redflag::rt
