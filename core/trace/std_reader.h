// Reads STD, the line format of the race-prediction community (RAPID and its descendants):
//
//   T0|w(V1)|12        <thread>|<op>(<operand>)|<location>
//
// Ops: r, w (variable), acq, rel (lock), fork, join (thread); begin is ignored, end ends the
// thread. Names are arbitrary; numbers are given by first appearance, and the names kept as names
// of threads, locks and regions. Each variable is 8 bytes of its own, so that no two of them
// touch; a location becomes a source: a number its line, file:line that, another word a function;
// 0 none. Threads may appear without being forked; no fork is made up for them. Other ops (branch,
// req, ...) are errors. Memory grows with the number of distinct names, as names do everywhere.
#pragma once

#include <memory>
#include <string_view>

#include "core/trace/byte_source.h"
#include "core/trace/reader.h"

namespace redflag {

// The n-th distinct variable is at kStdFirstAddress + 8 * n, n from 0.
inline constexpr std::uint64_t kStdFirstAddress = 0x10000000;
inline constexpr std::uint32_t kStdVariableBytes = 8;

std::unique_ptr<EventReader> read_std(ByteSource bytes);

// Whether this first line that is not empty can start an STD trace.
bool looks_like_std(std::string_view line);

}  // namespace redflag
