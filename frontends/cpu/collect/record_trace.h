// From what a process recorded to a trace with names: what `redflag run --record` does at the end.
//
// Two passes over the events: the first sees which calling contexts and global variables they use,
// so that only those are looked up and all are defined before the first event; the second writes. A context becomes
// as many sources as its program counter has functions inlined into each other. Contexts that refer
// to themselves or to nothing end there: what they know is kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/symbolize/symbolizer.h"
#include "core/trace/writer.h"
#include "frontends/cpu/collect/record_reader.h"

namespace redflag::collect {

struct RecordedTrace {
  std::uint64_t events = 0;
  std::uint64_t sources = 0;  // defined
  std::string lost;           // RecordFaults::text()
};

// Writes and finishes. The reader stands at its end afterwards.
Result<RecordedTrace> write_recorded(RecordReader& reader, symbolize::Symbolizer& symbolizer,
                                     EventWriter& writer);

// Where a recorded process's code was: later texts are newer, and win where they overlap.
symbolize::ProcessMap merged_maps(const std::vector<std::string>& texts);

// One process that recorded.
struct RecordedFile {
  std::uint32_t pid = 0;
  std::string path;
  std::uint64_t size = 0;
};
// Those whose names are PREFIX.PID, the largest first.
std::vector<RecordedFile> recorded_files(const std::string& prefix);

}  // namespace redflag::collect
