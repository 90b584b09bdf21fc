// Wide characters: wmemcpy and wcslen and their kin, by the rules of memory.cpp and string.cpp.
#include <cwchar>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

REDFLAG_INTERCEPT(std::size_t, wcslen, const wchar_t* s) {
  REDFLAG_CALL(wcslen);
  const std::size_t n = REDFLAG_REAL(wcslen)(s);
  if (call) rt::read(*call.thread, s, (n + 1) * sizeof(wchar_t));
  return n;
}

namespace {

std::size_t length(const wchar_t* s) {
  return REDFLAG_REAL(wcslen)(s);
}
void have_read(const rt::LibraryCall& call, const wchar_t* p, std::size_t n) {
  if (call && n != 0) rt::read(*call.thread, p, n * sizeof(wchar_t));
}
void written(const rt::LibraryCall& call, wchar_t* p, std::size_t n) {
  if (call && n != 0) rt::write(*call.thread, p, n * sizeof(wchar_t));
}
void compared(const rt::LibraryCall& call, const wchar_t* a, const wchar_t* b, std::size_t most,
              bool to_zero) {
  if (!call) return;
  std::size_t i = 0;
  while (i < most && a[i] == b[i] && !(to_zero && a[i] == 0)) ++i;
  have_read(call, a, i < most ? i + 1 : most);
  have_read(call, b, i < most ? i + 1 : most);
}

}  // namespace

#define REDFLAG_WIDE_COPY(name)                                                        \
  REDFLAG_INTERCEPT(wchar_t*, name, wchar_t* to, const wchar_t* from, std::size_t n) { \
    REDFLAG_CALL(name);                                                                \
    have_read(call, from, n);                                                          \
    written(call, to, n);                                                              \
    return REDFLAG_REAL(name)(to, from, n);                                            \
  }
REDFLAG_WIDE_COPY(wmemcpy)
REDFLAG_WIDE_COPY(wmemmove)
REDFLAG_WIDE_COPY(wmempcpy)

REDFLAG_INTERCEPT(wchar_t*, wmemset, wchar_t* to, wchar_t value, std::size_t n) {
  REDFLAG_CALL(wmemset);
  written(call, to, n);
  return REDFLAG_REAL(wmemset)(to, value, n);
}

REDFLAG_INTERCEPT(int, wmemcmp, const wchar_t* a, const wchar_t* b, std::size_t n) {
  REDFLAG_CALL(wmemcmp);
  compared(call, a, b, n, false);
  return REDFLAG_REAL(wmemcmp)(a, b, n);
}

REDFLAG_INTERCEPT(wchar_t*, wmemchr, const wchar_t* p, wchar_t value, std::size_t n) {
  REDFLAG_CALL(wmemchr);
  wchar_t* const found = REDFLAG_REAL(wmemchr)(p, value, n);
  have_read(call, p, found == nullptr ? n : static_cast<std::size_t>(found - p) + 1);
  return found;
}

REDFLAG_INTERCEPT(wchar_t*, wcscpy, wchar_t* to, const wchar_t* from) {
  REDFLAG_CALL(wcscpy);
  if (call) {
    const std::size_t n = length(from) + 1;
    have_read(call, from, n);
    written(call, to, n);
  }
  return REDFLAG_REAL(wcscpy)(to, from);
}

REDFLAG_INTERCEPT(wchar_t*, wcscat, wchar_t* to, const wchar_t* from) {
  REDFLAG_CALL(wcscat);
  if (call) {
    const std::size_t n = length(from) + 1;
    const std::size_t before = length(to);
    have_read(call, from, n);
    have_read(call, to, before);
    written(call, to + before, n);
  }
  return REDFLAG_REAL(wcscat)(to, from);
}

REDFLAG_INTERCEPT(int, wcscmp, const wchar_t* a, const wchar_t* b) {
  REDFLAG_CALL(wcscmp);
  compared(call, a, b, ~std::size_t{0}, true);
  return REDFLAG_REAL(wcscmp)(a, b);
}

REDFLAG_INTERCEPT(int, wcsncmp, const wchar_t* a, const wchar_t* b, std::size_t n) {
  REDFLAG_CALL(wcsncmp);
  compared(call, a, b, n, true);
  return REDFLAG_REAL(wcsncmp)(a, b, n);
}

}  // namespace redflag::interpose
