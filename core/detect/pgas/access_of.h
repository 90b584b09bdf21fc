// For tests: an access that a thread makes now.
#pragma once

#include "core/detect/pgas/access.h"
#include "core/detect/pgas/thread_clock.h"

namespace redflag::pgas {

inline Access access_of(ThreadClock& t, AccessKind kind, std::uint64_t begin, std::uint64_t size,
                        std::uint32_t source) {
  Access a;
  a.begin = begin;
  a.end = begin + size;
  a.kind = kind;
  a.by = t.name();
  a.issued = info(kind).is_local ? t.access() : t.issue();
  a.at = t.time().counter;
  if (info(kind).is_local) a.completed = t.time();
  a.completed_by = t.name();
  a.source = source;
  return a;
}

}  // namespace redflag::pgas
