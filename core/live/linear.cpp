#include "core/live/linear.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace redflag::live {

namespace {

// Tests under ThreadSanitizer: it protects all that it does not use.
constexpr int kReserve =
    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (kUnderTsan ? MAP_FIXED : MAP_FIXED_NOREPLACE);

std::intptr_t reserve(std::uint64_t begin, std::uint64_t end) {
  const std::intptr_t p =
      os_syscall(SYS_mmap, static_cast<long>(begin), static_cast<long>(end - begin),
                 PROT_READ | PROT_WRITE, kReserve, -1, 0);
  if (p < 0 && p > -4096) return p;
  // A page of cells is for a page of the program: huge ones would commit 512 for one.
  os_syscall(SYS_madvise, static_cast<long>(begin), static_cast<long>(end - begin),
             MADV_NOHUGEPAGE);
  os_syscall(SYS_madvise, static_cast<long>(begin), static_cast<long>(end - begin), MADV_DONTDUMP);
  return 0;
}

// Exclusive-or with a single bit pattern above the window's own bits keeps a window in one piece.
constexpr Window shadow_of(Window w, std::uint64_t distance) {
  return {w.begin ^ distance, ((w.end - 1) ^ distance) + 1};
}

constexpr bool apart(Window a, Window b) {
  return a.end <= b.begin || b.end <= a.begin;
}
constexpr Window records_of(Window w) {
  return {w.begin / 2 ^ kRecordsDistance, ((w.end / 2 - 1) ^ kRecordsDistance) + 1};
}
constexpr std::uint64_t kAll = std::uint64_t{1} << 47;
constexpr Window kTables[] = {{kReadersBase, kReadersBase + (kAll >> (kPageShift - 3))},
                              {kMarksBase, kMarksBase + (kAll >> kPageShift)},
                              {kRegionsBase, kRegionsBase + (kAll >> kRegionShift)}};

// Of all windows.
template <typename F>
constexpr void for_each_shadow(F&& f) {
  const auto of_window = [&f](Window w) {
    f(shadow_of(w, kCellDistance));
    f(shadow_of(w, kSecondDistance));
    f(records_of(w));
  };
  for (const Window& w : kWindows) of_window(w);
  of_window(kHomes);
}
template <typename F>
constexpr void for_each_reserved(F&& f) {
  for_each_shadow(f);
  for (const Window& w : kTables) f(w);
}

constexpr bool none_overlaps() {
  Window all[32] = {};
  unsigned n = 0;
  for (const Window& w : kWindows) all[n++] = w;
  for_each_reserved([&](Window w) { all[n++] = w; });
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned k = 0; k < i; ++k) {
      if (!apart(all[i], all[k])) return false;
    }
  }
  return true;
}
static_assert(none_overlaps());

}  // namespace

void LinearMemory::unmap() {
  for_each_reserved([](Window w) { os_unmap(reinterpret_cast<void*>(w.begin), w.end - w.begin); });
}

bool LinearMemory::cover(std::uint64_t begin, std::uint64_t end) {
  for (const Window& w : kWindows) {
    if (begin >= w.begin && end <= w.end) return true;
  }
  if (end > kAddressLimit || !apart({begin, end}, kHomes)) return false;
  bool is_free = true;
  for_each_reserved([&](Window w) { is_free = is_free && apart({begin, end}, w); });
  constexpr std::uint64_t kRegion = std::uint64_t{1} << kRegionShift;
  for (std::uint64_t at = begin / kRegion * kRegion; is_free && at < end; at += kRegion) {
    if ((region(at).load(std::memory_order_relaxed) & kCovered) != 0) continue;
    const Window w{at, at + kRegion};
    for (const Window shadow :
         {shadow_of(w, kCellDistance), shadow_of(w, kSecondDistance), records_of(w)}) {
      is_free = is_free && reserve(shadow.begin, shadow.end) == 0;
    }
    if (is_free) region(at).fetch_or(kCovered);
  }
  return is_free;
}

namespace {

// "7f00-7f10 r-xp ...": the two numbers.
Window window_of(const char* line) {
  std::uint64_t bound[2] = {};
  for (std::uint64_t& each : bound) {
    for (; *line != '-' && *line != ' '; ++line) {
      const char c = *line;
      each = each * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    ++line;
  }
  return {bound[0], bound[1]};
}

// Calls f(window) for each line of /proc/self/maps; without that file, never.
template <typename F>
void for_each_mapping(F&& f) {
  static char text[1 << 14];
  const std::intptr_t file =
      os_syscall(SYS_open, reinterpret_cast<long>("/proc/self/maps"), 0);  // O_RDONLY
  std::size_t n = 0;
  for (bool more = file >= 0; more;) {
    const std::intptr_t got = os_syscall(SYS_read, file, reinterpret_cast<long>(text + n),
                                         static_cast<long>(sizeof(text) - n));
    more = got > 0;
    if (more) n += static_cast<std::size_t>(got);
    std::size_t line = 0;
    for (std::size_t at = 0; at < n; ++at) {
      if (text[at] != '\n') continue;
      f(window_of(text + line));
      line = at + 1;
    }
    for (std::size_t i = line; i < n; ++i) text[i - line] = text[i];  // the rest of a line
    n -= line;
  }
  if (file >= 0) os_syscall(SYS_close, file);
}

// What the dynamic linker and libc map later lies beside what they have mapped already.
constexpr std::uint64_t kAround = std::uint64_t{1} << 38;

bool cover_around(Window w) {
  if (w.begin >= kAddressLimit) return true;  // the kernel's own
  if (!LinearMemory::cover(w.begin, w.end)) return false;
  if (w.begin > kAround) LinearMemory::cover(w.begin - kAround, w.end);  // if it can be had
  return true;
}

}  // namespace

bool LinearMemory::map(Refusal& why) {
  for (const Window& w : kTables) {
    if (why.fault == 0) why.fault = reserve(w.begin, w.end);
  }
  // Before anything of ours is among them.
  const auto look = [&why](Window w) {
    const bool is_table = w.begin >= kTables[0].begin && w.end <= kTables[2].end;
    if (why.fault == 0 && !is_table && !cover_around(w)) {
      why.fault = kTaken;
      why.at = w;
    }
  };
  if (!kUnderSanitizer) for_each_mapping(look);
  for_each_shadow([&why](Window w) {
    if (why.fault == 0) why.fault = reserve(w.begin, w.end);
  });
  return why.fault == 0;
}

void LinearMemory::discard(std::uint64_t begin, std::uint64_t end) {
  os_discard(reinterpret_cast<void*>(begin ^ kCellDistance), end - begin);
  os_discard(reinterpret_cast<void*>(begin ^ kSecondDistance), end - begin);
}

}  // namespace redflag::live
