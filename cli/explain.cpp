#include "cli/explain.h"

#include "cli/interrupt.h"

namespace redflag::cli {

Result<std::vector<Finding>> explain(const Input& input, std::vector<CollectedRace> races,
                                     VolatileMeaning volatile_meaning, Progress& progress) {
  if (races.empty()) return std::vector<Finding>{};
  Result<std::unique_ptr<EventReader>> reader = input.read();
  if (!reader) return Failure(reader.error());
  Explainer explainer(std::move(races), volatile_meaning);
  std::uint64_t events = 0;
  while (!explainer.done()) {
    const Result<std::span<const Event>> batch = (*reader)->next();
    if (!batch) return fail(input.renamed(batch.error().message));
    // The detector saw more events than there are now.
    if (batch->empty()) return fail(input.name() + ": changed while it was read; run again");
    explainer.on_events(*batch, EventIndex{events}, (*reader)->sources());
    events += batch->size();
    progress.update(**reader, events);
    if (interrupted()) return fail("interrupted");
  }
  return explainer.finish();
}

}  // namespace redflag::cli
