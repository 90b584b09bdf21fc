#include "core/trace/copy.h"

namespace redflag {

Result<std::uint64_t> copy_trace(EventReader& from, EventWriter& to) {
  std::uint64_t copied = 0;
  for (;;) {
    const Result<std::span<const Event>> batch = from.next();
    if (!batch) return Failure(batch.error());
    // The last batch has no events, but may have definitions.
    for (const Definition& definition : from.definitions()) {
      if (Result<void> done = to.define(definition); !done) return Failure(done.error());
    }
    if (batch->empty()) return copied;
    if (Result<void> done = to.append(*batch); !done) return Failure(done.error());
    copied += batch->size();
  }
}

}  // namespace redflag
