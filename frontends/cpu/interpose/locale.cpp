// std::locale: who lets go of one last destroys its facets, which may be the program's own.
//
// A locale is a pointer to counted facets. Copies are taken and let go in libstdc++.so; here,
// letting go is done in sight of the detector (owners.h), and the library destroys what has one
// owner left. The classic locale lives for ever and is not counted. A facet that several locales
// share is counted by itself, which is not seen.
//
// Only where the C++ library is a shared one: linked statically, its own functions are called.
#include "frontends/cpu/interpose/owners.h"

namespace redflag::interpose {
namespace {

// What std::locale holds, and what that begins with.
struct Locale {
  int* owners;
};

REDFLAG_REAL_SLOT(_ZNSt6locale7classicEv, nullptr)

bool is_counted(const Locale& l) {
  static const int* classic = nullptr;
  const int* known = __atomic_load_n(&classic, __ATOMIC_RELAXED);
  if (known == nullptr) {
    const auto real = reinterpret_cast<const Locale* (*)()>(real__ZNSt6locale7classicEv.get());
    if (real == nullptr) return false;
    known = real()->owners;
    __atomic_store_n(&classic, known, __ATOMIC_RELAXED);
  }
  return l.owners != known;
}

}  // namespace

// std::locale::~locale()
REDFLAG_INTERCEPT(void, _ZNSt6localeD1Ev, void* p) {
  const auto* const l = static_cast<const Locale*>(p);
  if (is_counted(*l)) {
    if (!take_one(*l->owners)) return;
    __atomic_store_n(l->owners, 1, __ATOMIC_RELAXED);  // nobody else has it any more
  }
  if (real__ZNSt6localeD1Ev.get() != nullptr) REDFLAG_REAL(_ZNSt6localeD1Ev)(p);
}

// std::locale::operator=(const std::locale&)
REDFLAG_INTERCEPT(void*, _ZNSt6localeaSERKS_, void* p, const void* from) {
  Locale old = *static_cast<const Locale*>(p);
  const auto* const other = static_cast<const Locale*>(from);
  if (real__ZNSt6localeaSERKS_.get() == nullptr) {  // the old one stays for ever
    __atomic_fetch_add(other->owners, 1, __ATOMIC_RELAXED);
    *static_cast<Locale*>(p) = *other;
    return p;
  }
  const bool counted = old.owners != other->owners && is_counted(old);
  // So the library is not the last.
  if (counted) __atomic_fetch_add(old.owners, 1, __ATOMIC_RELAXED);
  void* const result = REDFLAG_REAL(_ZNSt6localeaSERKS_)(p, from);
  if (counted) _ZNSt6localeD1Ev(&old);
  return result;
}

}  // namespace redflag::interpose
