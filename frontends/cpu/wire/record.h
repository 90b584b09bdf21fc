// The file a process leaves when its events are recorded, before it is made into a trace.
//
// One file per process, a sequence of chunks of kChunkBytes, each belonging to one thread or to the
// calling contexts. A thread maps its chunk shared and fills it: `count` is stored after each
// entry, so that what was recorded is there even if the process is killed. `sequence` numbers are
// taken from one counter: sorted by them, the entries of all chunks are the trace, in an order
// consistent with what happened.
//
// Contexts are nodes (id, parent, pc): an entry's Event::source is the id of a node, whose pc is
// the access's (a return address, as in wire.h) and whose ancestors are the callers.
// Contexts and modules are written when the process ends; without them a trace has no names. The
// reader trusts nothing (collect/, fuzzed).
#pragma once

#include <cstdint>

#include "core/model/event.h"

namespace redflag::wire {

inline constexpr std::uint32_t kChunkMagic = 0x31524652;  // "RFR1"
inline constexpr std::uint32_t kChunkBytes = 1U << 20;

enum class ChunkKind : std::uint32_t { kEvents = 1, kContexts = 2, kModules = 3 };

struct ChunkHeader {
  std::uint32_t magic = kChunkMagic;
  ChunkKind kind = ChunkKind::kEvents;
  std::uint32_t count = 0;  // entries; kModules: bytes of /proc/self/maps text
  std::uint32_t thread = 0;
};
static_assert(sizeof(ChunkHeader) == 16);

struct RecordedEvent {
  std::uint64_t sequence = 0;
  Event event;
};
static_assert(sizeof(RecordedEvent) == 32);

struct RecordedContext {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;
  std::uint64_t pc = 0;
};
static_assert(sizeof(RecordedContext) == 16);

}  // namespace redflag::wire
