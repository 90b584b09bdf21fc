// The words of the text form, shared by its reader and writer.
//
//   redflag-trace 1                              header, optional in hand-written traces
//   # comment, also behind a line
//   source 1 "main.cpp":12:3 "main"              source <id> <file>[:line[:column]] <function>
//   source 2 "main.cpp":30 "worker" caller 1
//   thread 1 "worker"
//   lock 0x10 "m"
//   region 0x1000 8 global "counter" @2          region <address> <bytes> <kind> <name> [@source]
//   T0 fork T1                                   T<thread> <kind> <operands> <attributes>
//   T1 read 0x1004 4 volatile @2
//   T0 atomic-rmw 0x2000 4 acq_rel scope=device
//
// Kinds, orders and scopes are the names of the tables in core/model/event.h. Numbers are decimal
// or, after 0x, hexadecimal. Strings are in double quotes; \" \\ \n \t \r and \xNN are the escapes.
#pragma once

#include <array>
#include <string_view>

#include "core/model/sources.h"

namespace redflag::text {

inline constexpr std::string_view kHeader = "redflag-trace";
inline constexpr std::string_view kVersion = "1";
inline constexpr std::string_view kSource = "source";
inline constexpr std::string_view kThread = "thread";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kRegion = "region";
inline constexpr std::string_view kCaller = "caller";
inline constexpr std::string_view kVolatile = "volatile";
inline constexpr std::string_view kScopePrefix = "scope=";

inline constexpr std::array<std::string_view, kRegionKindCount> kRegionKindNames{
    "unknown", "global", "heap", "stack", "thread-local", "shared", "device", "window"};

}  // namespace redflag::text
