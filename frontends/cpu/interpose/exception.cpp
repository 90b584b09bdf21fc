// Exception objects that several threads hold: std::exception_ptr, futures, rethrown exceptions.
//
// The C++ library counts who holds one, in code that is not checked, and the last one destroys it.
// So whoever lets go of an exception is ordered with all that did before, through one key for all
// exceptions, and the memory that goes with the last holder counts as given back in order.
#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

char exceptions_key;

void letting_go(const rt::LibraryCall& call) {
  if (!call) return;
  rt::acquire(*call.thread, key_of(&exceptions_key));
  rt::release(*call.thread, key_of(&exceptions_key));
}

}  // namespace

REDFLAG_WRAP_NAME(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv);
REDFLAG_WRAP_NAME(__cxa_end_catch);

// std::exception_ptr::_M_release()
REDFLAG_INTERCEPT(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, void* pointer) {
  {
    REDFLAG_CALL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv);
    letting_go(call);
  }
  const bool before = set_quiet_frees(true);
  REDFLAG_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(pointer);
  set_quiet_frees(before);
}

REDFLAG_INTERCEPT(void, __cxa_end_catch) {
  {
    REDFLAG_CALL(__cxa_end_catch);
    letting_go(call);
  }
  const bool before = set_quiet_frees(true);
  REDFLAG_REAL(__cxa_end_catch)();
  set_quiet_frees(before);
}

}  // namespace redflag::interpose
