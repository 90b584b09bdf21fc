// printf and scanf: the strings that a format names are read, what scanf stores is written.
//
// Only the v-functions of glibc are called; each plain one makes a va_list and joins them. A walk over
// the format with a copy of the arguments finds the strings. It knows the conversions of C and POSIX
// with the lengths hh h l ll q j z t L and `*`. At the first thing it does not know (positional
// arguments, wide strings in odd places) it stops: the rest goes unrecorded, never wrong.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cwchar>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

std::size_t length(const char* s, std::size_t most) {
  std::size_t n = 0;
  while (n < most && s[n] != 0) ++n;
  return n;
}
constexpr std::size_t kAll = ~std::size_t{0};

void have_read(const rt::LibraryCall& call, const char* s, std::size_t most) {
  if (s == nullptr || most == 0) return;
  const std::size_t n = length(s, most);
  rt::read(*call.thread, s, n < most ? n + 1 : most);
}
void written(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != nullptr && n != 0) rt::write(*call.thread, p, n);
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// A length modifier: the letters are passed, and the size of the integer is the result. `extended`:
// L, the floating point one.
std::size_t length_modifier(const char*& f, bool& extended, bool& wide) {
  extended = wide = false;
  switch (*f) {
    case 'h':
      if (*++f != 'h') return sizeof(short);
      ++f;
      return sizeof(char);
    case 'l':
      wide = true;
      if (*++f == 'l') ++f;
      return sizeof(long);
    case 'q':
    case 'j':
    case 'z':
    case 't':
      ++f;
      return sizeof(long);
    case 'L':
      ++f;
      extended = true;
      return sizeof(long);
    default:
      return sizeof(int);
  }
}

void printed(const rt::LibraryCall& call, const char* format, va_list arguments) {
  if (!call) return;
  have_read(call, format, kAll);
  va_list a;
  va_copy(a, arguments);
  for (const char* f = format; *f != 0;) {
    if (*f++ != '%') continue;
    std::size_t precision = kAll;
    while (*f == '-' || *f == '+' || *f == ' ' || *f == '#' || *f == '0' || *f == '\'') ++f;
    if (*f == '*') {
      va_arg(a, int);
      ++f;
    }
    while (digit(*f)) ++f;
    if (*f == '.') {
      ++f;
      precision = 0;
      if (*f == '*') {
        const int p = va_arg(a, int);
        precision = p < 0 ? kAll : static_cast<std::size_t>(p);
        ++f;
      }
      while (digit(*f)) precision = 10 * precision + static_cast<std::size_t>(*f++ - '0');
    }
    bool extended;
    bool wide;
    const std::size_t size = length_modifier(f, extended, wide);
    switch (*f++) {
      case '%':
      case 'm':
        break;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
      case 'c':
        if (size == sizeof(long)) {
          va_arg(a, long);
        } else {
          va_arg(a, int);
        }
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (extended) {
          va_arg(a, long double);
        } else {
          va_arg(a, double);
        }
        break;
      case 'p':
        va_arg(a, void*);
        break;
      case 's':
        if (wide) {
          va_arg(a, wchar_t*);
        } else {
          have_read(call, va_arg(a, const char*), precision);
        }
        break;
      case 'n':
        written(call, va_arg(a, void*), size);
        break;
      default:
        va_end(a);
        return;
    }
  }
  va_end(a);
}

// `stored` conversions succeeded; only their targets were written.
void scanned(const rt::LibraryCall& call, const char* format, va_list arguments, int stored) {
  if (!call) return;
  have_read(call, format, kAll);
  va_list a;
  va_copy(a, arguments);
  for (const char* f = format; *f != 0 && stored > 0;) {
    if (*f++ != '%') continue;
    bool skipped = false;
    bool allocated = false;
    std::size_t width = 0;
    if (*f == '*') {
      skipped = true;
      ++f;
    }
    while (*f == '\'') ++f;
    while (digit(*f)) width = 10 * width + static_cast<std::size_t>(*f++ - '0');
    if (*f == 'm') {
      allocated = true;
      ++f;
    }
    bool extended;
    bool wide;
    std::size_t size = length_modifier(f, extended, wide);
    const char conversion = *f++;
    bool text = false;
    switch (conversion) {
      case '%':
        continue;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
      case 'n':
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        size = extended ? sizeof(long double) : wide ? sizeof(double) : sizeof(float);
        break;
      case 'p':
        size = sizeof(void*);
        break;
      case 'c':
        size = width == 0 ? 1 : width;
        break;
      case '[':
        if (*f == '^') ++f;
        if (*f == ']') ++f;
        while (*f != 0 && *f != ']') ++f;
        if (*f != 0) ++f;
        text = true;
        break;
      case 's':
        text = true;
        break;
      default:
        va_end(a);
        return;
    }
    if (skipped) continue;
    void* const p = va_arg(a, void*);
    if (allocated) {
      size = sizeof(char*);
    } else if (wide && (text || conversion == 'c')) {
      size = text ? (std::wcslen(static_cast<const wchar_t*>(p)) + 1) * sizeof(wchar_t)
                  : size * sizeof(wchar_t);
    } else if (text) {
      size = length(static_cast<const char*>(p), kAll) + 1;
    }
    written(call, p, size);
    if (conversion != 'n') --stored;
  }
  va_end(a);
}

// What snprintf and the like put into memory: at most n bytes, of a text of `size` and a zero.
void put(const rt::LibraryCall& call, char* to, std::size_t n, int size) {
  if (size < 0 || n == 0) return;
  const std::size_t whole = static_cast<std::size_t>(size) + 1;
  written(call, to, whole < n ? whole : n);
}

}  // namespace

// --- printf: the v-functions, then the plain ones over them ----------------------------------------
#define REDFLAG_UNPACK(...) __VA_ARGS__
// What to write is recorded after the call; `n` is the result.
#define REDFLAG_PRINTS(name, vname, parameters, arguments, after)                       \
  REDFLAG_INTERCEPT(int, vname, REDFLAG_UNPACK parameters, va_list list) {              \
    REDFLAG_CALL(vname);                                                                \
    printed(call, format, list);                                                        \
    [[maybe_unused]] const int n = REDFLAG_REAL(vname)(REDFLAG_UNPACK arguments, list); \
    after;                                                                              \
    return n;                                                                           \
  }                                                                                     \
  int name(REDFLAG_UNPACK parameters, ...) __asm__(#name)                               \
      __attribute__((weak, visibility("default")));                                     \
  int name(REDFLAG_UNPACK parameters, ...) {                                            \
    REDFLAG_CALL(name);                                                                 \
    va_list list;                                                                       \
    va_start(list, format);                                                             \
    printed(call, format, list);                                                        \
    [[maybe_unused]] const int n = REDFLAG_REAL(vname)(REDFLAG_UNPACK arguments, list); \
    va_end(list);                                                                       \
    after;                                                                              \
    return n;                                                                           \
  }

// clang-format off
REDFLAG_PRINTS(printf, vprintf, (const char* format), (format), )
REDFLAG_PRINTS(fprintf, vfprintf, (FILE* f, const char* format), (f, format), )
REDFLAG_PRINTS(dprintf, vdprintf, (int fd, const char* format), (fd, format), )
REDFLAG_PRINTS(sprintf, vsprintf, (char* to, const char* format), (to, format), put(call, to, kAll, n))
REDFLAG_PRINTS(snprintf, vsnprintf, (char* to, std::size_t room, const char* format), (to, room, format), put(call, to, room, n))
REDFLAG_PRINTS(asprintf, vasprintf, (char** to, const char* format), (to, format), if (n >= 0) written(call, to, sizeof *to))
REDFLAG_PRINTS(__printf_chk, __vprintf_chk, (int flag, const char* format), (flag, format), )
REDFLAG_PRINTS(__fprintf_chk, __vfprintf_chk, (FILE* f, int flag, const char* format), (f, flag, format), )
REDFLAG_PRINTS(__sprintf_chk, __vsprintf_chk, (char* to, int flag, std::size_t size, const char* format), (to, flag, size, format), put(call, to, kAll, n))
REDFLAG_PRINTS(__snprintf_chk, __vsnprintf_chk, (char* to, std::size_t room, int flag, std::size_t size, const char* format), (to, room, flag, size, format), put(call, to, room, n))
REDFLAG_PRINTS(__asprintf_chk, __vasprintf_chk, (char** to, int flag, const char* format), (to, flag, format), if (n >= 0) written(call, to, sizeof *to))

// --- scanf. glibc has two sets: %a of GNU, and of C99, which programs use unless they ask otherwise.
#define REDFLAG_SCANS(name, vname, parameters, arguments)                               \
  REDFLAG_INTERCEPT(int, vname, REDFLAG_UNPACK parameters, va_list list) {              \
    REDFLAG_CALL(vname);                                                                \
    va_list again;                                                                      \
    va_copy(again, list);                                                               \
    const int n = REDFLAG_REAL(vname)(REDFLAG_UNPACK arguments, list);                  \
    scanned(call, format, again, n);                                                    \
    va_end(again);                                                                      \
    return n;                                                                           \
  }                                                                                     \
  int name(REDFLAG_UNPACK parameters, ...) __asm__(#name)                               \
      __attribute__((weak, visibility("default")));                                     \
  int name(REDFLAG_UNPACK parameters, ...) {                                            \
    REDFLAG_CALL(name);                                                                 \
    va_list list;                                                                       \
    va_list again;                                                                      \
    va_start(list, format);                                                             \
    va_copy(again, list);                                                               \
    const int n = REDFLAG_REAL(vname)(REDFLAG_UNPACK arguments, list);                  \
    scanned(call, format, again, n);                                                    \
    va_end(again);                                                                      \
    va_end(list);                                                                       \
    return n;                                                                           \
  }
REDFLAG_SCANS(scanf, vscanf, (const char* format), (format))
REDFLAG_SCANS(fscanf, vfscanf, (FILE* f, const char* format), (f, format))
REDFLAG_SCANS(sscanf, vsscanf, (const char* from, const char* format), (from, format))
REDFLAG_SCANS(__isoc99_scanf, __isoc99_vscanf, (const char* format), (format))
REDFLAG_SCANS(__isoc99_fscanf, __isoc99_vfscanf, (FILE* f, const char* format), (f, format))
REDFLAG_SCANS(__isoc99_sscanf, __isoc99_vsscanf, (const char* from, const char* format), (from, format))
// clang-format on

}  // namespace redflag::interpose
