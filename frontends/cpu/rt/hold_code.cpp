// From a program counter to the statements it belongs to.
//
// Which file lies where is read from /proc/self/maps: once, and again when code turns up that is in
// none of the mappings known so far, because a library was opened. The answers are kept in a table,
// since every access asks.
#include <fcntl.h>
#include <sys/syscall.h>

#include "frontends/cpu/rt/hold.h"
#include "frontends/cpu/wire/hold.h"

namespace redflag::rt {
namespace {

using live::os_syscall;

struct Code {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bias;  // what the loader added to the module's own addresses
  std::uint32_t module;
};
constexpr std::uint32_t kMostCode = 1024;
constexpr std::uint32_t kNoModule = ~0U;

struct Map {
  live::SpinLock lock;
  std::uint32_t count = 0;
  Code code[kMostCode] = {};
  std::uint64_t bias[wire::kHoldModules] = {};
  char text[8192] = {};
};
Map g_map;

// Program counter << 16, and the sides; direct-mapped, each entry is one word. 0: nothing known.
constexpr std::uint32_t kKnown = 1U << 14;
std::atomic<std::uint64_t> g_known[kKnown];

bool is_path(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

std::uint64_t hex_number(const char*& p) {
  std::uint64_t n = 0;
  for (;; ++p) {
    if (*p >= '0' && *p <= '9') {
      n = n * 16 + static_cast<unsigned>(*p - '0');
    } else if (*p >= 'a' && *p <= 'f') {
      n = n * 16 + static_cast<unsigned>(*p - 'a' + 10);
    } else {
      return n;
    }
  }
}

// "7f00-7f10 r-xp 00001000 08:01 123   /path": the mappings of a module follow each other.
void take_line(const wire::HoldBoard& board, const char* p) {
  Code one{};
  one.begin = hex_number(p);
  if (*p++ != '-') return;
  one.end = hex_number(p);
  const bool is_code = p[0] == ' ' && p[3] == 'x';
  while (*p == ' ') ++p;
  while (*p != 0 && *p != ' ') ++p;  // permissions
  if (*p++ != ' ') return;
  const std::uint64_t offset = hex_number(p);
  for (int field = 0; field < 2; ++field) {  // device, inode
    while (*p == ' ') ++p;
    while (*p != 0 && *p != ' ') ++p;
  }
  while (*p == ' ') ++p;
  one.module = kNoModule;
  for (std::uint32_t m = 0; m < board.modules; ++m) {
    if (!is_path(board.module[m].path, p)) continue;
    if (offset == board.module[m].first_offset) {
      g_map.bias[m] = one.begin - board.module[m].first_address;
    }
    one.module = m;
    one.bias = g_map.bias[m];
  }
  if (is_code && g_map.count < kMostCode) g_map.code[g_map.count++] = one;
}

void read_maps(const wire::HoldBoard& board) {
  g_map.count = 0;
  const std::intptr_t fd = os_syscall(
      SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  std::size_t have = 0;
  for (;;) {
    const std::intptr_t got = os_syscall(SYS_read, fd, reinterpret_cast<long>(g_map.text + have),
                                         static_cast<long>(sizeof(g_map.text) - 1 - have));
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < have; ++i) {
      if (g_map.text[i] != '\n') continue;
      g_map.text[i] = 0;
      take_line(board, g_map.text + begin);
      begin = i + 1;
    }
    have -= begin;
    for (std::size_t i = 0; i < have; ++i) g_map.text[i] = g_map.text[begin + i];
    if (have + 1 >= sizeof(g_map.text)) have = 0;  // no line is so long
  }
  os_syscall(SYS_close, fd);
}

const Code* find_code(std::uint64_t pc) {
  for (std::uint32_t i = 0; i < g_map.count; ++i) {
    if (pc >= g_map.code[i].begin && pc < g_map.code[i].end) return &g_map.code[i];
  }
  return nullptr;
}

std::uint16_t look_up(const wire::HoldBoard& board, std::uint64_t pc) {
  const Code* code = find_code(pc);
  if (code == nullptr) {
    read_maps(board);
    code = find_code(pc);
  }
  if (code == nullptr || code->module == kNoModule) return 0;
  std::uint16_t sides = 0;
  const std::uint64_t at = pc - code->bias;
  for (std::uint32_t i = 0; i < board.statements; ++i) {
    const wire::HoldStatement& s = board.statement[i];
    if (s.module == code->module && at >= s.begin && at < s.end) {
      sides = static_cast<std::uint16_t>(sides | 1U << s.side);
    }
  }
  return sides;
}

}  // namespace

// Not inside: a handler that unmaps while the lock is held would wait for itself, so it is only tried.
void hold_unmapped(std::uint64_t begin, std::uint64_t size) {
  if (!g_map.lock.try_lock()) return;
  bool has_code = false;
  for (std::uint32_t i = 0; i < g_map.count; ++i) {
    has_code |= g_map.code[i].begin < begin + size && begin < g_map.code[i].end;
  }
  if (has_code) {
    g_map.count = 0;
    for (std::atomic<std::uint64_t>& known : g_known) known.store(0, std::memory_order_relaxed);
  }
  g_map.lock.unlock();
}

std::uint16_t hold_sides_at(Thread& t, std::uint64_t code) {
  std::atomic<std::uint64_t>& known = g_known[code * 0x9e3779b97f4a7c15U >> 50];
  static_assert(kKnown == 1U << 14);
  const std::uint64_t seen = known.load(std::memory_order_relaxed);
  if (seen >> 16 == code) return static_cast<std::uint16_t>(seen);
  live::World& world = g_runtime.detector.world;
  world.enter(*t.live);  // no signal handler while the lock is held
  std::uint16_t sides = 0;
  {
    const live::Guard guard(g_map.lock);
    sides = look_up(*g_runtime.holding, code);
  }
  known.store(code << 16 | sides, std::memory_order_relaxed);
  world.leave(*t.live);
  return sides;
}

}  // namespace redflag::rt
