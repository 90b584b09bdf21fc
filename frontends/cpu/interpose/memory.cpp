// memcpy and its family: which bytes a call reads and writes.
//
// clang calls the __tsan_ names for what the program wrote as memcpy; gcc calls the plain ones. Both
// compilers also make such calls by themselves, in any code, ours included: so the plain ones work
// from the very first instruction on, by a loop while glibc's are not known.
//
// Comparisons count as reading up to the first difference, searches up to the find.
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

REDFLAG_REAL_SLOT(memcpy, "GLIBC_2.14")
REDFLAG_REAL_SLOT(memmove, nullptr)
REDFLAG_REAL_SLOT(memset, nullptr)

using Copy = void* (*)(void*, const void*, std::size_t);
using Set = void* (*)(void*, int, std::size_t);

void* plain_move(void* to, const void* from, std::size_t n) {
  if (void* const f = real_memmove.known()) return reinterpret_cast<Copy>(f)(to, from, n);
  auto* const t = static_cast<char*>(to);
  const auto* const s = static_cast<const char*>(from);
  if (t <= s) {
    copy_bytes(to, from, n);
  } else {
    for (std::size_t i = n; i-- > 0;) {
      t[i] = s[i];
      __asm__ volatile("" ::: "memory");
    }
  }
  return to;
}

void* plain_set(void* to, int value, std::size_t n) {
  if (void* const f = real_memset.known()) return reinterpret_cast<Set>(f)(to, value, n);
  auto* const t = static_cast<char*>(to);
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = static_cast<char>(value);
    __asm__ volatile("" ::: "memory");
  }
  return to;
}

void copied(const rt::LibraryCall& call, void* to, const void* from, std::size_t n) {
  if (!call || n == 0) return;
  rt::read(*call.thread, from, n);
  rt::write(*call.thread, to, n);
}

void written(const rt::LibraryCall& call, void* to, std::size_t n) {
  if (call && n != 0) rt::write(*call.thread, to, n);
}

void have_read(const rt::LibraryCall& call, const void* p, std::size_t n) {
  if (call && n != 0) rt::read(*call.thread, p, n);
}

// The compilers' own calls: structs that are copied or cleared.
#define REDFLAG_COPIED(name)                                           \
  const void* const function = reinterpret_cast<const void*>(&(name)); \
  const void* const caller = __builtin_return_address(0);              \
  if (!rt::read_by(function, caller, from, n)) {                       \
    const rt::LibraryCall call(function, caller);                      \
    copied(call, to, from, n);                                         \
  } else if (!rt::write_by(function, caller, to, n)) {                 \
    const rt::LibraryCall call(function, caller);                      \
    written(call, to, n);                                              \
  }
#define REDFLAG_SET(name)                                              \
  const void* const function = reinterpret_cast<const void*>(&(name)); \
  const void* const caller = __builtin_return_address(0);              \
  if (!rt::write_by(function, caller, to, n)) {                        \
    const rt::LibraryCall call(function, caller);                      \
    written(call, to, n);                                              \
  }

// How many bytes decide a comparison: up to and with the first that differs.
std::size_t compared(const void* a, const void* b, std::size_t n) {
  const auto* const x = static_cast<const unsigned char*>(a);
  const auto* const y = static_cast<const unsigned char*>(b);
  std::size_t i = 0;
  while (i < n && x[i] == y[i]) ++i;
  return i < n ? i + 1 : n;
}

std::size_t up_to(const void* begin, const void* found, std::size_t n) {
  return found == nullptr ? n
                          : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                     static_cast<const char*>(begin)) +
                                1;
}

}  // namespace

void plain_copy(void* to, const void* from, std::size_t n) {
  if (void* const f = real_memcpy.known()) {
    reinterpret_cast<Copy>(f)(to, from, n);
  } else {
    copy_bytes(to, from, n);
  }
}

REDFLAG_EXPORT(void*, memcpy, void* to, const void* from, std::size_t n) {
  REDFLAG_COPIED(memcpy);
  // Not glibc's memcpy: programs that overlap a little by mistake work with memmove as well.
  return plain_move(to, from, n);
}

REDFLAG_EXPORT(void*, memmove, void* to, const void* from, std::size_t n) {
  REDFLAG_COPIED(memmove);
  return plain_move(to, from, n);
}

REDFLAG_EXPORT(void*, memset, void* to, int value, std::size_t n) {
  REDFLAG_SET(memset);
  return plain_set(to, value, n);
}

// The names in clang's instrumentation; reports call them as the source does.
REDFLAG_EXPORT(void*, __tsan_memcpy, void* to, const void* from, std::size_t n) {
  REDFLAG_COPIED(memcpy);
  return plain_move(to, from, n);
}

REDFLAG_EXPORT(void*, __tsan_memmove, void* to, const void* from, std::size_t n) {
  REDFLAG_COPIED(memmove);
  return plain_move(to, from, n);
}

REDFLAG_EXPORT(void*, __tsan_memset, void* to, int value, std::size_t n) {
  REDFLAG_SET(memset);
  return plain_set(to, value, n);
}

// With the size of the destination, from _FORTIFY_SOURCE: glibc's own ends the program.
REDFLAG_INTERCEPT(void*, __memcpy_chk, void* to, const void* from, std::size_t n,
                  std::size_t room) {
  if (n > room) return REDFLAG_REAL(__memcpy_chk)(to, from, n, room);
  REDFLAG_CALL(memcpy);
  copied(call, to, from, n);
  return plain_move(to, from, n);
}

REDFLAG_INTERCEPT(void*, __memmove_chk, void* to, const void* from, std::size_t n,
                  std::size_t room) {
  if (n > room) return REDFLAG_REAL(__memmove_chk)(to, from, n, room);
  REDFLAG_CALL(memmove);
  copied(call, to, from, n);
  return plain_move(to, from, n);
}

REDFLAG_INTERCEPT(void*, __memset_chk, void* to, int value, std::size_t n, std::size_t room) {
  if (n > room) return REDFLAG_REAL(__memset_chk)(to, value, n, room);
  REDFLAG_CALL(memset);
  written(call, to, n);
  return plain_set(to, value, n);
}

REDFLAG_INTERCEPT(void*, mempcpy, void* to, const void* from, std::size_t n) {
  REDFLAG_CALL(mempcpy);
  copied(call, to, from, n);
  return static_cast<char*>(plain_move(to, from, n)) + n;
}

REDFLAG_INTERCEPT(void*, memccpy, void* to, const void* from, int stop, std::size_t n) {
  REDFLAG_CALL(memccpy);
  void* const end = REDFLAG_REAL(memccpy)(to, from, stop, n);
  copied(call, to, from, end == nullptr ? n : up_to(to, end, n) - 1);
  return end;
}

REDFLAG_INTERCEPT(void, bcopy, const void* from, void* to, std::size_t n) {
  REDFLAG_CALL(bcopy);
  copied(call, to, from, n);
  plain_move(to, from, n);
}

REDFLAG_INTERCEPT(void, bzero, void* to, std::size_t n) {
  REDFLAG_CALL(bzero);
  written(call, to, n);
  plain_set(to, 0, n);
}

REDFLAG_INTERCEPT(void, explicit_bzero, void* to, std::size_t n) {
  REDFLAG_CALL(explicit_bzero);
  written(call, to, n);
  REDFLAG_REAL(explicit_bzero)(to, n);
}

#define REDFLAG_COMPARE(name)                                                 \
  REDFLAG_INTERCEPT(int, name, const void* a, const void* b, std::size_t n) { \
    REDFLAG_CALL(name);                                                       \
    const int result = REDFLAG_REAL(name)(a, b, n);                           \
    if (call) {                                                               \
      const std::size_t seen = result == 0 ? n : compared(a, b, n);           \
      have_read(call, a, seen);                                               \
      have_read(call, b, seen);                                               \
    }                                                                         \
    return result;                                                            \
  }
REDFLAG_COMPARE(memcmp)
REDFLAG_COMPARE(bcmp)

REDFLAG_INTERCEPT(void*, memchr, const void* p, int value, std::size_t n) {
  REDFLAG_CALL(memchr);
  void* const found = REDFLAG_REAL(memchr)(p, value, n);
  have_read(call, p, up_to(p, found, n));
  return found;
}

REDFLAG_INTERCEPT(void*, rawmemchr, const void* p, int value) {
  REDFLAG_CALL(rawmemchr);
  void* const found = REDFLAG_REAL(rawmemchr)(p, value);
  have_read(call, p, up_to(p, found, 0));
  return found;
}

REDFLAG_INTERCEPT(void*, memrchr, const void* p, int value, std::size_t n) {
  REDFLAG_CALL(memrchr);
  have_read(call, p, n);
  return REDFLAG_REAL(memrchr)(p, value, n);
}

REDFLAG_INTERCEPT(void*, memmem, const void* p, std::size_t n, const void* part, std::size_t m) {
  REDFLAG_CALL(memmem);
  void* const found = REDFLAG_REAL(memmem)(p, n, part, m);
  have_read(call, part, m);
  have_read(call, p, found == nullptr ? n : up_to(p, found, n) - 1 + m);
  return found;
}

}  // namespace redflag::interpose
