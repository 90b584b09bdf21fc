// The connection to the reporter, made when there is something to say.
//
// `redflag run` listens on a socket named in the environment; without it the first race starts
// `redflag attend` with one end of a socket pair, in a process that is nobody's child to wait for.
// When neither is to be had, findings are printed here, as numbers: nothing is lost.
#pragma once

#include <cstdint>

#include "frontends/cpu/wire/wire.h"

namespace redflag::rt {

// Sends a race, or half a meeting, and waits for the verdict. One at a time: the caller holds the
// report lock.
wire::Reply send_race(const void* body, std::uint32_t size, wire::Kind kind = wire::Kind::kRace);
// What the reporter knows of an address; not known when there is none. The caller holds the report lock.
wire::Answer ask(const wire::Question& question);
// What the program says about its reports: sent when the reporter is there, or at once. The text stays.
void tell(wire::About about, const char* text);
// Hands the common recording over, an open file of ours, and waits until it is replayed.
wire::Reply send_between(std::uint32_t fd);
// Tells that the program ends and waits until the reporter is done.
void say_goodbye(const wire::Bye& bye);
// In a forked child: the parent's connection is not ours.
void disconnect_after_fork();
// From REDFLAG_SOCKET: tell the reporter at once that a checked process is there.
void greet();

const char* environment_variable(const char* name);  // nullptr: not set

}  // namespace redflag::rt
