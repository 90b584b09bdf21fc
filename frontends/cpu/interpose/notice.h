// Notice: a callback that libc will make in a thread of its own (SIGEV_THREAD).
//
// libc makes such threads by itself, for a timer that expires, a message that arrives, input or
// output that is done, a name that was looked up. The program's function and value are kept in a
// Notice; libc gets a function of ours and the Notice, makes its thread known, and calls the
// program's.
//
// What was done before the call that asked for the callback (and before each that set the timer
// again) happens before the callback. So does what was done before the event behind it: `also` are
// the keys.
//
// A notice that is given back is used again late, after thousands of others: libc may have started
// the thread that is about to read it.
#pragma once

#include <csignal>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

struct Notice {
  Notice* next;
  void (*function)(sigval);
  sigval value;
  std::uint32_t stack;   // where it was asked for
  std::uint32_t thread;  // and by which thread
  bool once;             // given back by its one callback
  const void* name;      // of what it belongs to, for its owner's list
  Notice* beside;        // in that list; stays as it is when the notice leaves it
  sigevent* inside;      // the program's own event has us in it: put right before the callback
  std::uint32_t also_count;
  rt::SyncKey also[3];
  rt::SyncKey* more;  // all of them, where there are more: plain_malloc's
};

// nullptr: `event` asks for no thread, or there is no memory; then it goes to libc as it is.
Notice* make_notice(const rt::LibraryCall& call, const sigevent* event, bool once);
// What libc is to get in the place of `event`.
sigevent with_notice(const sigevent& event, Notice* notice);
// Is it what with_notice() made? Then the notice.
Notice* notice_of(const sigevent& event);
// Puts the notice into the program's own event, and what was there back.
void put_inside(sigevent& event, Notice* notice);
void take_outside(sigevent& event, const Notice& notice);
void give_back(Notice* notice);
// Asked before a callback whose notice is inside of an event: is the event still the program's
// business with libc? Set by aio.cpp.
void on_callback(bool (*is_under_way)(const void* name));
// One more key to acquire before the callback.
void acquire_also(Notice& notice, rt::SyncKey key);
// About to ask libc for it.
void asked(const rt::LibraryCall& call, Notice* notice);

}  // namespace redflag::interpose
