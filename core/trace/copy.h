// Passing a trace on: from any format to any writer, definitions and events in their order.
#pragma once

#include "core/trace/reader.h"
#include "core/trace/writer.h"

namespace redflag {

// Copies what is left of `from` and returns how many events that was. finish() is the caller's.
Result<std::uint64_t> copy_trace(EventReader& from, EventWriter& to);

}  // namespace redflag
