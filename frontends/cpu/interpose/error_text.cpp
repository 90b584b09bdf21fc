// Copies of exceptions share what they say: the texts of std::runtime_error and its kin, and the
// paths of std::filesystem::filesystem_error.
//
// The C++ library counts who has them, in code that is not checked. The last one gives the memory
// back, which others read before; so that counts as in order, as with exception objects
// (exception.cpp).
//
// Only where the C++ library is a shared one: linked statically, its own functions are called.
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {

// operator delete, which may be the program's.
void delete_text(void* p) __asm__("_ZdlPv");

// std::string::_Rep::_M_destroy(const std::allocator<char>&), of strings that are copied on write:
// all that it does is to give the memory back.
REDFLAG_EXPORT(void, _ZNSs4_Rep10_M_destroyERKSaIcE, void* text, const void*) {
  const bool before = set_quiet_frees(true);
  delete_text(text);
  set_quiet_frees(before);
}

// Whoever lets go has checked what it accessed: the memory may be another thread's at once.
#define REDFLAG_LETS_GO(name)                  \
  REDFLAG_INTERCEPT(void, name, void* error) { \
    if (real_##name.get() == nullptr) return;  \
    {                                          \
      REDFLAG_CALL(name);                      \
    }                                          \
    const bool before = set_quiet_frees(true); \
    REDFLAG_REAL(name)(error);                 \
    set_quiet_frees(before);                   \
  }
// The destructors of std::runtime_error, std::logic_error and std::filesystem::filesystem_error, of
// whole objects and of bases.
REDFLAG_LETS_GO(_ZNSt13runtime_errorD1Ev)
REDFLAG_LETS_GO(_ZNSt13runtime_errorD2Ev)
REDFLAG_LETS_GO(_ZNSt11logic_errorD1Ev)
REDFLAG_LETS_GO(_ZNSt11logic_errorD2Ev)
REDFLAG_LETS_GO(_ZNSt10filesystem7__cxx1116filesystem_errorD1Ev)
REDFLAG_LETS_GO(_ZNSt10filesystem7__cxx1116filesystem_errorD2Ev)

}  // namespace redflag::interpose
