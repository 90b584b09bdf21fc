// Strings: which bytes a call reads and writes, the closing zero with them.
//
// A search counts as reading up to the find; a comparison up to the first difference. Lengths are
// taken with glibc's own strlen, before the call where the call changes the string.
#include <cctype>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {

REDFLAG_INTERCEPT(std::size_t, strlen, const char* s) {
  REDFLAG_CALL(strlen);
  const std::size_t n = REDFLAG_REAL(strlen)(s);
  if (call) rt::read(*call.thread, s, n + 1);
  return n;
}

REDFLAG_INTERCEPT(std::size_t, strnlen, const char* s, std::size_t most) {
  REDFLAG_CALL(strnlen);
  const std::size_t n = REDFLAG_REAL(strnlen)(s, most);
  if (call && most != 0) rt::read(*call.thread, s, n < most ? n + 1 : most);
  return n;
}

namespace {

std::size_t length(const char* s) {
  return REDFLAG_REAL(strlen)(s);
}
std::size_t length(const char* s, std::size_t most) {
  return REDFLAG_REAL(strnlen)(s, most);
}

void have_read(const rt::LibraryCall& call, const void* p, std::size_t n) {
  if (call && n != 0) rt::read(*call.thread, p, n);
}
void written(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && n != 0) rt::write(*call.thread, p, n);
}

// Up to the find with `tail` bytes more; the whole string if there was none.
void searched(const rt::LibraryCall& call, const char* s, const char* found, std::size_t tail = 1) {
  if (call) {
    rt::read(*call.thread, s,
             found != nullptr ? static_cast<std::size_t>(found - s) + tail : length(s) + 1);
  }
}

char same(char c) {
  return c;
}
char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Both strings up to the first place where they differ or end.
void compared(const rt::LibraryCall& call, const char* a, const char* b, std::size_t most,
              char (*fold)(char)) {
  if (!call) return;
  std::size_t i = 0;
  while (i < most && fold(a[i]) == fold(b[i]) && a[i] != 0) ++i;
  const std::size_t n = i < most ? i + 1 : most;
  have_read(call, a, n);
  have_read(call, b, n);
}

constexpr std::size_t kAll = ~std::size_t{0};

}  // namespace

// --- Copies -----------------------------------------------------------------------------------
#define REDFLAG_COPY_STRING(name)                              \
  REDFLAG_INTERCEPT(char*, name, char* to, const char* from) { \
    REDFLAG_CALL(name);                                        \
    if (call) {                                                \
      const std::size_t n = length(from) + 1;                  \
      have_read(call, from, n);                                \
      written(call, to, n);                                    \
    }                                                          \
    return REDFLAG_REAL(name)(to, from);                       \
  }
// strncpy and stpncpy fill up with zeros.
#define REDFLAG_COPY_STRING_N(name)                                           \
  REDFLAG_INTERCEPT(char*, name, char* to, const char* from, std::size_t n) { \
    REDFLAG_CALL(name);                                                       \
    if (call) {                                                               \
      const std::size_t m = length(from, n);                                  \
      have_read(call, from, m < n ? m + 1 : n);                               \
      written(call, to, n);                                                   \
    }                                                                         \
    return REDFLAG_REAL(name)(to, from, n);                                   \
  }
#define REDFLAG_COPY_STRING_CHECKED(name)                                        \
  REDFLAG_INTERCEPT(char*, name, char* to, const char* from, std::size_t room) { \
    REDFLAG_CALL(name);                                                          \
    if (call) {                                                                  \
      const std::size_t n = length(from) + 1;                                    \
      have_read(call, from, n);                                                  \
      written(call, to, n);                                                      \
    }                                                                            \
    return REDFLAG_REAL(name)(to, from, room);                                   \
  }
#define REDFLAG_COPY_STRING_N_CHECKED(name)                                                     \
  REDFLAG_INTERCEPT(char*, name, char* to, const char* from, std::size_t n, std::size_t room) { \
    REDFLAG_CALL(name);                                                                         \
    if (call) {                                                                                 \
      const std::size_t m = length(from, n);                                                    \
      have_read(call, from, m < n ? m + 1 : n);                                                 \
      written(call, to, n);                                                                     \
    }                                                                                           \
    return REDFLAG_REAL(name)(to, from, n, room);                                               \
  }
REDFLAG_COPY_STRING(strcpy)
REDFLAG_COPY_STRING(stpcpy)
REDFLAG_COPY_STRING(__stpcpy)
REDFLAG_COPY_STRING_N(strncpy)
REDFLAG_COPY_STRING_N(stpncpy)
REDFLAG_COPY_STRING_CHECKED(__strcpy_chk)
REDFLAG_COPY_STRING_CHECKED(__stpcpy_chk)
REDFLAG_COPY_STRING_N_CHECKED(__strncpy_chk)
REDFLAG_COPY_STRING_N_CHECKED(__stpncpy_chk)

namespace {

// Appending reads the old end of the string and writes from its zero on.
void appended(const rt::LibraryCall& call, char* to, const char* from, std::size_t most) {
  if (!call) return;
  const std::size_t before = length(to);
  const std::size_t more = length(from, most);
  have_read(call, from, more < most ? more + 1 : most);
  have_read(call, to, before);
  written(call, to + before, more + 1);
}

}  // namespace

REDFLAG_INTERCEPT(char*, strcat, char* to, const char* from) {
  REDFLAG_CALL(strcat);
  appended(call, to, from, kAll);
  return REDFLAG_REAL(strcat)(to, from);
}

REDFLAG_INTERCEPT(char*, strncat, char* to, const char* from, std::size_t n) {
  REDFLAG_CALL(strncat);
  appended(call, to, from, n);
  return REDFLAG_REAL(strncat)(to, from, n);
}

REDFLAG_INTERCEPT(char*, __strcat_chk, char* to, const char* from, std::size_t room) {
  REDFLAG_CALL(strcat);
  appended(call, to, from, kAll);
  return REDFLAG_REAL(__strcat_chk)(to, from, room);
}

REDFLAG_INTERCEPT(char*, __strncat_chk, char* to, const char* from, std::size_t n,
                  std::size_t room) {
  REDFLAG_CALL(strncat);
  appended(call, to, from, n);
  return REDFLAG_REAL(__strncat_chk)(to, from, n, room);
}

// The new block comes from malloc, which glibc calls so that we see it.
#define REDFLAG_DUPLICATE(name)                   \
  REDFLAG_INTERCEPT(char*, name, const char* s) { \
    REDFLAG_CALL(name);                           \
    if (call) have_read(call, s, length(s) + 1);  \
    return REDFLAG_REAL(name)(s);                 \
  }
#define REDFLAG_DUPLICATE_N(name)                                \
  REDFLAG_INTERCEPT(char*, name, const char* s, std::size_t n) { \
    REDFLAG_CALL(name);                                          \
    if (call) {                                                  \
      const std::size_t m = length(s, n);                        \
      have_read(call, s, m < n ? m + 1 : n);                     \
    }                                                            \
    return REDFLAG_REAL(name)(s, n);                             \
  }
REDFLAG_DUPLICATE(strdup)
REDFLAG_DUPLICATE(__strdup)
REDFLAG_DUPLICATE_N(strndup)
REDFLAG_DUPLICATE_N(__strndup)

// --- Comparisons ------------------------------------------------------------------------------
#define REDFLAG_COMPARE_STRING(name, fold)                     \
  REDFLAG_INTERCEPT(int, name, const char* a, const char* b) { \
    REDFLAG_CALL(name);                                        \
    compared(call, a, b, kAll, &fold);                         \
    return REDFLAG_REAL(name)(a, b);                           \
  }
#define REDFLAG_COMPARE_STRING_N(name, fold)                                  \
  REDFLAG_INTERCEPT(int, name, const char* a, const char* b, std::size_t n) { \
    REDFLAG_CALL(name);                                                       \
    compared(call, a, b, n, &fold);                                           \
    return REDFLAG_REAL(name)(a, b, n);                                       \
  }
REDFLAG_COMPARE_STRING(strcmp, same)
REDFLAG_COMPARE_STRING(strcasecmp, small)
REDFLAG_COMPARE_STRING_N(strncmp, same)
REDFLAG_COMPARE_STRING_N(strncasecmp, small)

// --- Searches ---------------------------------------------------------------------------------
#define REDFLAG_SEARCH_CHARACTER(name)                   \
  REDFLAG_INTERCEPT(char*, name, const char* s, int c) { \
    REDFLAG_CALL(name);                                  \
    char* const found = REDFLAG_REAL(name)(s, c);        \
    searched(call, s, found);                            \
    return found;                                        \
  }
REDFLAG_SEARCH_CHARACTER(strchr)
REDFLAG_SEARCH_CHARACTER(strchrnul)
REDFLAG_SEARCH_CHARACTER(index)

// From behind: the whole string is read.
#define REDFLAG_SEARCH_LAST(name)                        \
  REDFLAG_INTERCEPT(char*, name, const char* s, int c) { \
    REDFLAG_CALL(name);                                  \
    searched(call, s, nullptr);                          \
    return REDFLAG_REAL(name)(s, c);                     \
  }
REDFLAG_SEARCH_LAST(strrchr)
REDFLAG_SEARCH_LAST(rindex)

#define REDFLAG_SEARCH_STRING(name)                                 \
  REDFLAG_INTERCEPT(char*, name, const char* s, const char* part) { \
    REDFLAG_CALL(name);                                             \
    char* const found = REDFLAG_REAL(name)(s, part);                \
    if (call) {                                                     \
      have_read(call, part, length(part) + 1);                      \
      searched(call, s, found, length(part));                       \
    }                                                               \
    return found;                                                   \
  }
REDFLAG_SEARCH_STRING(strstr)
REDFLAG_SEARCH_STRING(strcasestr)

#define REDFLAG_SPAN(name)                                               \
  REDFLAG_INTERCEPT(std::size_t, name, const char* s, const char* set) { \
    REDFLAG_CALL(name);                                                  \
    const std::size_t n = REDFLAG_REAL(name)(s, set);                    \
    if (call) have_read(call, set, length(set) + 1);                     \
    have_read(call, s, n + 1);                                           \
    return n;                                                            \
  }
REDFLAG_SPAN(strspn)
REDFLAG_SPAN(strcspn)

REDFLAG_INTERCEPT(char*, strpbrk, const char* s, const char* set) {
  REDFLAG_CALL(strpbrk);
  char* const found = REDFLAG_REAL(strpbrk)(s, set);
  if (call) have_read(call, set, length(set) + 1);
  searched(call, s, found);
  return found;
}

// The GNU kind returns a text of its own where it knows the error, and leaves the buffer alone.
REDFLAG_INTERCEPT(char*, strerror_r, int error, char* buffer, std::size_t size) {
  REDFLAG_CALL(strerror_r);
  char* const text = REDFLAG_REAL(strerror_r)(error, buffer, size);
  if (text == buffer && size != 0) written(call, buffer, length(buffer) + 1);
  return text;
}

REDFLAG_INTERCEPT(int, __xpg_strerror_r, int error, char* buffer, std::size_t size) {
  REDFLAG_CALL(__xpg_strerror_r);
  const int result = REDFLAG_REAL(__xpg_strerror_r)(error, buffer, size);
  if (size != 0) written(call, buffer, length(buffer, size) + 1);
  return result;
}

}  // namespace redflag::interpose
