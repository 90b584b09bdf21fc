// Reads .rft files (docs/how/trace-format.md), one block at a time, checking everything.
//
// A damaged file never gives wrong events: each block is checked against its checksum before it is
// decoded, blocks must follow each other without a gap, and the end block must be there with the
// right totals. Memory: the raw block (at most 2 MiB), its events (at most 65536) and the names.
#pragma once

#include <memory>

#include "core/trace/byte_source.h"
#include "core/trace/reader.h"

namespace redflag {

std::unique_ptr<EventReader> read_rft(ByteSource bytes);

}  // namespace redflag
