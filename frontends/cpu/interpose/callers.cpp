// Who called a library that called us: std::thread's constructor is inlined into main, and the C++
// library, which is not instrumented, calls pthread_create.
//
// The stack of calls knows instrumented functions by the address that each returns to, so the call
// inside of the innermost one is missing: a thread would seem to be created by whoever called main.
// The system's unwinder knows all calls. Its frames between the library function's caller and the
// innermost function that is on the stack of calls are put there. Only for rare calls: an unwinding
// takes a microsecond or more.
//
// The unwinder is that of the program (libgcc_s, or a part of a static program); a C program may
// have none, and then the stack stays as it is. It allocates nothing and looks at 48 frames at most.
#include <unwind.h>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {

REDFLAG_REAL_SLOT(_Unwind_Backtrace, nullptr)
REDFLAG_REAL_SLOT(_Unwind_GetIP, nullptr)

namespace {

constexpr std::size_t kMostCallers = 48;

struct Walk {
  decltype(&_Unwind_GetIP) get_ip;
  std::uint64_t pcs[kMostCallers];
  std::size_t count;
};

_Unwind_Reason_Code note(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  if (walk.count == kMostCallers) return _URC_END_OF_STACK;
  walk.pcs[walk.count++] = walk.get_ip(context);
  return _URC_NO_REASON;
}

}  // namespace

void know_callers(const rt::LibraryCall& call) {
  if (!call) return;
  // Looked up when the library started, or not there: to look again would change the program's
  // dlerror().
  const auto walk_stack =
      reinterpret_cast<decltype(&_Unwind_Backtrace)>(real__Unwind_Backtrace.known());
  Walk walk{reinterpret_cast<decltype(&_Unwind_GetIP)>(real__Unwind_GetIP.known()), {}, 0};
  if (walk_stack == nullptr || walk.get_ip == nullptr) return;
  walk_stack(&note, &walk);
  rt::insert_callers(*call.thread, walk.pcs, walk.count);
}

}  // namespace redflag::interpose
