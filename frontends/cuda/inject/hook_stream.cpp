// Waiting: streams, events and contexts. What the host has waited for has ended.
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

CUresult created(CUstream stream, unsigned flags) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.streams().created(stream, (flags & kStreamNonBlocking) == 0);
  return kSuccess;
}

CUresult waited(CUresult done, CUcontext context) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.ended(checker.streams().synchronized(context));
  return done;
}

CUresult recorded(const Call& call, CUresult done, CUevent event, CUstream stream) {
  if (done != kSuccess || capture_of(meant(stream, call.per_thread())) != 0) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.streams().record(checker.stream(stream, call.per_thread()), event);
  return done;
}

}  // namespace

// Also a query that found the stream empty. What another thread puts into it meanwhile was not
// waited for; programs that do so cannot tell either.
CUresult stream_synchronize(const Call& call, CUstream stream) {
  const CUresult done = pass(call, stream);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.ended(checker.streams().synchronized(checker.stream(stream, call.per_thread())));
  return done;
}

CUresult stream_wait_event(const Call& call, CUstream stream, CUevent event, unsigned flags) {
  const CUresult done = pass(call, stream, event, flags);
  if (done != kSuccess || capture_of(meant(stream, call.per_thread())) != 0) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.streams().wait(checker.stream(stream, call.per_thread()), event);
  return done;
}

CUresult stream_create(const Call& call, CUstream* made, unsigned flags) {
  const CUresult done = pass(call, made, flags);
  return done == kSuccess ? created(*made, flags) : done;
}

CUresult stream_create_with_priority(const Call& call, CUstream* made, unsigned flags,
                                     int priority) {
  const CUresult done = pass(call, made, flags, priority);
  return done == kSuccess ? created(*made, flags) : done;
}

CUresult stream_destroy(const Call& call, CUstream stream) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.streams().forget(current_context(), stream);
  }
  return pass(call, stream);
}

CUresult event_record(const Call& call, CUevent event, CUstream stream) {
  return recorded(call, pass(call, event, stream), event, stream);
}

CUresult event_record_flags(const Call& call, CUevent event, CUstream stream, unsigned flags) {
  return recorded(call, pass(call, event, stream, flags), event, stream);
}

CUresult event_synchronize(const Call& call, CUevent event) {
  const CUresult done = pass(call, event);
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.ended(checker.streams().synchronized(event));
  return done;
}

CUresult event_destroy(const Call& call, CUevent event) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.streams().forget(event);
  }
  return pass(call, event);
}

CUresult context_synchronize(const Call& call) {
  return waited(pass(call), current_context());
}

CUresult context_synchronize_v2(const Call& call, CUcontext context) {
  return waited(pass(call, context), context == nullptr ? current_context() : context);
}

CUresult context_destroy(const Call& call, CUcontext context) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.context_gone(context);
  }
  return pass(call, context);
}

CUresult primary_context_reset(const Call& call, CUdevice device) {
  CUcontext context = nullptr;
  if (real(Fn::k_cuDevicePrimaryCtxRetain, &context, device) == kSuccess) {
    Checker& checker = Checker::get();
    {
      const Lock lock = checker.lock();
      checker.context_gone(context);
    }
    (void)real(Fn::k_cuDevicePrimaryCtxRelease_v2, device);
  }
  return pass(call, device);
}

}  // namespace redflag::inject
