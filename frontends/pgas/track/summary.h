// Summary: what a batch has for its owner, by classes (core/detect/pgas/classes.h), in a few hundred bytes.
//
// A rank that updates a table of another one's a million times has a million records for it, of which
// mostly none can race: all are atomic alike, or nobody else came near. So before many records are sent,
// each rank tells each owner its classes; the owner, who has those of all, says whether it needs the
// records themselves. What nobody needs is forgotten where it is.
//
// Only what a barrier of all ends may be: the owner would drop it there as well. A batch with anything
// that is pending then, or that threads issued which barriers say nothing of, is sent as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/detect/pgas/phase.h"
#include "frontends/pgas/track/record.h"
#include "frontends/pgas/track/windows.h"

namespace redflag::pgas {

// Empty: there are no records. `of_all`: what everybody knows now.
Bytes summary_of(const Batch& batch, const Knowledge& of_all);

// At the owner: the summaries of all ranks, by rank, and what it has itself; which batches it needs.
// `needs_all`: it has threads that may race with what has ended.
std::vector<bool> needed(const std::vector<Bytes>& summaries, const Phase& own,
                         const Windows& windows, bool needs_all);

}  // namespace redflag::pgas
