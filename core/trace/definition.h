// Definition: one name given to a number of the trace, as a value.
//
// Sources (core/model) is the state after all definitions so far; a Definition is one step of
// it, which is what readers hand on and writers write down. A definition comes before the events
// that use it; a later one for the same number replaces the earlier from there on.
#pragma once

#include <string>
#include <variant>

#include "core/model/sources.h"

namespace redflag {

struct SourceDefinition {
  SourceId id = kNoSource;
  SourceId caller = kNoSource;  // smaller than id, and defined before
  Frame frame;

  friend bool operator==(const SourceDefinition&, const SourceDefinition&) = default;
};

struct ThreadName {
  ThreadId thread{0};
  std::string name;

  friend bool operator==(const ThreadName&, const ThreadName&) = default;
};

struct LockName {
  LockId lock{0};
  std::string name;

  friend bool operator==(const LockName&, const LockName&) = default;
};

using Definition = std::variant<SourceDefinition, ThreadName, LockName, Region>;

// Takes the definition into `sources`. False, and nothing changed, when the caller of a source is
// not defined or not smaller than it, or its id is 0.
bool apply_definition(const Definition& definition, Sources& sources);

}  // namespace redflag
