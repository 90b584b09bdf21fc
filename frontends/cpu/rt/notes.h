// Notes: accesses to watched memory (abi/watch.h), kept by their threads until somebody asks for them.
//
// A thread's notes are moments, what it knew and when, each followed by the accesses made then. A few of
// the latest are open: an access of the same place that goes on where one ended, or as far from it as the one
// before was, becomes part of it. So a sweep over a table is as many notes as there are instructions in it.
//
// Written by their thread, inside, and taken by whoever drains, each under the notes' lock.
#pragma once

#include "frontends/cpu/abi/watch.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

// `like`: its context and what it does. False: it became part of another.
bool note_access(Thread& t, const live::Strided& bytes, const abi::WatchedAccess& like);

// All that was noted since the last time, by all threads; of one thread in its order.
void drain_notes(void* to, void (*moment)(void*, const abi::WatchedMoment&),
                 void (*access)(void*, const abi::WatchedAccess&));

}  // namespace redflag::rt
