// Holding: brings two threads together at the two statements of a reported race.
//
// On when `redflag confirm` runs the program (wire/hold.h). A thread that reaches a statement of a pair
// looks whether another one is held at the other statement with bytes that overlap, one of the two
// writes, and not both are atomic: then both are about to do what must not be done at once, neither
// waits for the other, and the race is real, whatever any detector thinks. Both tell the reporter
// their stacks and go on. Otherwise the thread may be held itself, for a bounded time. This is the
// second phase of RaceFuzzer (Sen, PLDI 2008) and UPC-Thrille, on real threads instead of a scheduler.
//
// When to hold: a statement may be reached a million times, on memory of one thread alone. So of the
// arrivals at a side the first is held, and after each hold that nobody came to, four times as
// many pass as before (HoldSide::next). Arrivals at memory that two threads were seen to touch are held whatever
// that says, and so are those of which an earlier run learned that the other side came near. All holds of a run
// together have a budget. A thread whom nobody can meet, because all others have ended or
// wait to join, is not held.
//
// A held thread is in none of the runtime's locks and not inside the detector: signals reach it, others
// fork, exit and stop the world. The checks stay on meanwhile; all threads are on the slow path,
// as when recording.
//
// Limits: library functions of which only the call tells that they read or wrote (read, recv) are held
// when they have; nothing that they could signal has happened by then. Memory is compared by its first
// byte's name: an access that reaches over the end of a mapping is taken to go on there.
#pragma once

#include <cstdint>

#include "core/model/event.h"
#include "frontends/cpu/rt/thread.h"

namespace redflag::rt {

void hold_begin(const char* path);  // of the board
void hold_fork_before();            // there will be another process
// These addresses were given back: if they were a library's, another may come to its place.
void hold_unmapped(std::uint64_t begin, std::uint64_t size);
// The thread leaves whatever it is in by a jump, or ends.
void hold_left(Thread& t);

// `count` elements of `size` bytes, each `step` bytes after the one before.
struct Strided {
  std::uint64_t begin;
  std::int64_t step;
  std::uint64_t count;
  std::uint64_t size;
};

// The program is about to make an access; `pc` as in the detector. The thread is not inside.
[[gnu::noinline]] void hold_strided(Thread& t, const Strided& memory, EventKind kind,
                                    std::uint64_t pc);
inline void hold_access(Thread& t, std::uint64_t addr, std::uint64_t size, EventKind kind,
                        std::uint64_t pc) {
  if (g_runtime.holding) [[unlikely]]
    hold_strided(t, {addr, 0, 1, size}, kind, pc);
}

// --- Between these files (hold_code.cpp).
// Sides that the code at an address is a statement of, as bits.
std::uint16_t hold_sides_at(Thread& t, std::uint64_t code);

}  // namespace redflag::rt
