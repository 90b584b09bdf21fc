#include "frontends/cpu/rt/ignored_code.h"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>

#include <string_view>

#include "core/live/os.h"
#include "frontends/cpu/rt/pattern.h"
#include "frontends/cpu/rt/runtime.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

constinit std::atomic<bool> g_ignores_code{false};

namespace {

// --- What was asked for -----------------------------------------------------------------------------

struct CodeRange {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
};
constexpr std::uint32_t kLeftAlone = 8;
constinit CodeRange g_left_alone[kLeftAlone];
constinit std::atomic<std::uint32_t> g_left_alone_count{0};
constinit live::SpinLock g_left_alone_lock;

constexpr std::uint32_t kMostPatterns = 64;
struct Patterns {
  std::uint32_t count;
  std::string_view at[kMostPatterns];
};
constinit Patterns g_patterns{};
constinit std::atomic<bool> g_ignores_all{false};
constinit std::atomic<bool> g_ignores_plain{false};
// Callers are looked up among the modules: some pattern, or g_ignores_plain.
constinit std::atomic<bool> g_looks_up{false};

// --- The loaded modules -------------------------------------------------------------------------------

enum class Kind : std::uint8_t { kUnknown, kChecked, kPlain, kIgnored };

struct Segment {
  std::uintptr_t begin;
  std::uintptr_t end;
  Kind kind;
};
struct Table {
  unsigned long long loads;  // of the dynamic linker, when the table was made
  std::uint32_t count;
  std::uint32_t room;
  Segment at[1];
};
constinit std::atomic<const Table*> g_table{nullptr};
constinit live::SpinLock g_table_lock;
// dl_iterate_phdr may be intercepted: its caller is not looked up.
constinit thread_local bool g_in_look_up = false;

std::string_view text_of(const char* text) {
  std::size_t size = 0;
  while (text[size] != 0) ++size;
  return {text, size};
}

bool begins_with(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) ++text, ++prefix;
  return *prefix == 0;
}

// What is needed of a module's dynamic section. Addresses in it are relocated by glibc, not by others.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash = nullptr;      // DT_HASH: its second word is the number of symbols
  const std::uint32_t* gnu_hash = nullptr;  // its second word is the first symbol that is defined

  explicit Dynamic(const dl_phdr_info& info) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
      entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      std::uintptr_t at = entry->d_un.d_ptr;
      if (at < info.dlpi_addr) at += info.dlpi_addr;
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at);
      if (entry->d_tag == DT_HASH) hash = reinterpret_cast<const std::uint32_t*>(at);
      if (entry->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const std::uint32_t*>(at);
    }
  }
  std::uint32_t symbols_to_see() const {
    if (symbols == nullptr || names == nullptr) return 0;
    return hash != nullptr ? hash[1] : gnu_hash != nullptr ? gnu_hash[1] : 0;
  }
};

// It calls the runtime, or holds it.
bool is_instrumented(const dl_phdr_info& info) {
  const auto own = reinterpret_cast<std::uintptr_t>(&is_left_alone);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && own >= begin && own < begin + segment.p_memsz) return true;
  }
  const Dynamic dynamic(info);
  for (std::uint32_t i = 1; i < dynamic.symbols_to_see(); ++i) {
    const ElfW(Sym)& symbol = dynamic.symbols[i];
    const char* const name = dynamic.names + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF) continue;
    if (begins_with(name, "__tsan_") || begins_with(name, "__redflag_")) return true;
  }
  return false;
}

// The program itself has no name in the dynamic linker's list. Under g_table_lock; stacks may be small.
std::string_view name_of(const dl_phdr_info& info) {
  if (info.dlpi_name != nullptr && *info.dlpi_name != 0) return text_of(info.dlpi_name);
  static char own[4096];
  const std::intptr_t n = live::os_syscall(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                                           reinterpret_cast<long>(own), sizeof(own));
  return n > 0 ? std::string_view(own, static_cast<std::size_t>(n)) : std::string_view();
}

Kind kind_of(const dl_phdr_info& info) {
  const std::string_view name = name_of(info);
  for (std::uint32_t i = 0; i < g_patterns.count; ++i) {
    if (pattern_matches(g_patterns.at[i], name)) return Kind::kIgnored;
  }
  return is_instrumented(info) ? Kind::kChecked : Kind::kPlain;
}

int count_segments(dl_phdr_info* info, std::size_t, void* data) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const bool code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    *static_cast<std::uint32_t*>(data) += code ? 1 : 0;
  }
  return 0;
}

int add_segments(dl_phdr_info* info, std::size_t, void* data) {
  auto& table = *static_cast<Table*>(data);
  table.loads = info->dlpi_adds;
  const Kind kind = kind_of(*info);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (table.count == table.room) return 1;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    table.at[table.count++] = {begin, begin + segment.p_memsz, kind};
  }
  return 0;
}

int note_loads(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<unsigned long long*>(data) = info->dlpi_adds;
  return 1;
}

// Old tables stay: another thread may be reading them. They are small, and few.
const Table* make_table() {
  std::uint32_t count = 0;
  dl_iterate_phdr(&count_segments, &count);
  const std::uint32_t room = count + 16;
  const std::size_t bytes = sizeof(Table) + room * sizeof(Segment);
  auto* const table = static_cast<Table*>(live::os_map(bytes));
  table->room = room;
  dl_iterate_phdr(&add_segments, table);
  g_table.store(table, std::memory_order_release);
  return table;
}

Kind find(const Table& table, std::uintptr_t at) {
  for (std::uint32_t i = 0; i < table.count; ++i) {
    if (at >= table.at[i].begin && at < table.at[i].end) return table.at[i].kind;
  }
  return Kind::kUnknown;
}

Kind look_up(std::uintptr_t at) {
  const Table* table = g_table.load(std::memory_order_acquire);
  Kind kind = table == nullptr ? Kind::kUnknown : find(*table, at);
  if (kind != Kind::kUnknown || g_in_look_up) return kind;
  g_in_look_up = true;
  {
    const live::Guard guard(g_table_lock);
    unsigned long long loads = 0;
    table = g_table.load(std::memory_order_acquire);
    if (table != nullptr) dl_iterate_phdr(&note_loads, &loads);
    if (table == nullptr || loads != table->loads) table = make_table();
    kind = find(*table, at);
  }
  g_in_look_up = false;
  return kind;
}

std::string_view keep(const char* text, std::size_t size) {
  auto* const kept = static_cast<char*>(live::os_map(size));
  live::os_copy(kept, text, size);
  return {kept, size};
}

}  // namespace

// --- The callers ----------------------------------------------------------------------------------------

void leave_alone(std::uintptr_t begin, std::uintptr_t end) {
  const live::Guard guard(g_left_alone_lock);
  const std::uint32_t n = g_left_alone_count.load(std::memory_order_relaxed);
  if (n == kLeftAlone || is_left_alone(reinterpret_cast<const void*>(begin))) return;
  g_left_alone[n].begin.store(begin, std::memory_order_relaxed);
  g_left_alone[n].end.store(end, std::memory_order_relaxed);
  g_left_alone_count.store(n + 1, std::memory_order_release);
}

bool is_left_alone(const void* code) {
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  const std::uint32_t n = g_left_alone_count.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (at >= g_left_alone[i].begin.load(std::memory_order_relaxed) &&
        at < g_left_alone[i].end.load(std::memory_order_relaxed)) {
      return true;
    }
  }
  if (!g_looks_up.load(std::memory_order_relaxed)) [[likely]]
    return false;
  return g_patterns.count != 0 && look_up(at) == Kind::kIgnored;
}

bool is_access_ignored(const void* caller) {
  if (g_ignores_all.load(std::memory_order_relaxed)) return true;
  if (!g_ignores_plain.load(std::memory_order_relaxed)) return false;
  return look_up(reinterpret_cast<std::uintptr_t>(caller)) != Kind::kChecked;
}

void libraries_changed() {
  g_table.store(nullptr, std::memory_order_release);
}

// --- What is asked for: at the start, while there is one thread ------------------------------------------

void ignore_accesses_of(CallsOf calls, bool ignored) {
  (calls == CallsOf::kAll ? g_ignores_all : g_ignores_plain).store(ignored);
  g_looks_up.store(g_ignores_plain.load() || g_patterns.count != 0);
  g_ignores_code.store(g_ignores_all.load() || g_ignores_plain.load());
}

void ignore_calls_from(const char* pattern, std::size_t size) {
  if (size == 0) return;
  if (g_patterns.count == kMostPatterns) {
    return say("more than 64 suppressions called_from_lib: those after them have no effect");
  }
  g_patterns.at[g_patterns.count++] = keep(pattern, size);
  g_looks_up.store(true);
}

void read_suppression_lines(const char* text, std::size_t size) {
  constexpr char kType[] = "called_from_lib:";
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (std::size_t at = 0; at < size; ++at) {
    std::size_t end = at;
    while (end < size && text[end] != '\n' && text[end] != 0) ++end;
    const std::size_t next = end;
    while (at < end && is_blank(text[at])) ++at;
    while (end > at && is_blank(text[end - 1])) --end;
    std::size_t colon = at;
    while (colon < end && text[colon] != ':') ++colon;
    std::size_t type = 0;
    while (at + type < end && type + 1 < sizeof(kType) && text[at + type] == kType[type]) ++type;
    std::size_t pattern = at + type;
    while (pattern < end && is_blank(text[pattern])) ++pattern;
    if (type + 1 == sizeof(kType)) ignore_calls_from(text + pattern, end - pattern);
    at = next;
  }
}

namespace {

long word(const void* p) {
  return reinterpret_cast<long>(p);
}

int open_to_read(const char* path) {
  return static_cast<int>(live::os_syscall(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC));
}

// Where the file is, or beside the program.
int open_suppressions(const char* path, std::size_t size) {
  TextBuffer<4096> name;
  const int fd = open_to_read(name.add(path, size).text());
  if (fd >= 0 || size == 0 || path[0] == '/') return fd;
  char program[4096];
  std::intptr_t n =
      live::os_syscall(SYS_readlink, word("/proc/self/exe"), word(program), sizeof(program));
  while (n > 0 && program[n - 1] != '/') --n;
  TextBuffer<8192> beside;
  if (n > 0) beside.add(program, static_cast<std::size_t>(n));
  return open_to_read(beside.add(path, size).text());
}

}  // namespace

void read_suppressions(const char* path, std::size_t size) {
  const int fd = open_suppressions(path, size);
  if (fd < 0) return;  // the reporter says so
  constexpr std::size_t kMost = 1 << 20;
  auto* const bytes = static_cast<char*>(live::os_map(kMost));
  std::size_t read = 0;
  while (read < kMost) {
    const std::intptr_t n =
        live::os_syscall(SYS_read, fd, word(bytes + read), static_cast<long>(kMost - read));
    if (n <= 0) break;
    read += static_cast<std::size_t>(n);
  }
  live::os_syscall(SYS_close, fd);
  read_suppression_lines(bytes, read);
  live::os_unmap(bytes, kMost);
}

}  // namespace redflag::rt
