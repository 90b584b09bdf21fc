#include "frontends/pgas/track/misuse.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <set>

#include "frontends/pgas/track/layer.h"
#include "frontends/pgas/track/sources.h"

namespace redflag::pgas {
namespace {

struct Told {
  Told() : places(rank_by_launcher(), runtime()) {}
  QuietLock lock;  // threads of a rank call at the same time
  Sources places;
  std::set<std::pair<SourceNumber, Misuse>> once;
};
Told& told() {
  static Told* const made = new Told;  // threads may outlive everything
  return *made;
}

}  // namespace

std::uint32_t rank_by_launcher() {
  constexpr std::array kVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  for (const char* const each : kVariables) {
    if (const char* const value = std::getenv(each)) {
      return static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
    }
  }
  return 0;
}

void tell_misuse(const LibraryCall& call, Misuse what, MisuseLine line) {
  Told& all = told();
  const std::lock_guard guard(all.lock);
  const SourceNumber place = call.thread != nullptr
                                 ? all.places.of_context(runtime()->where(call.thread))
                                 : all.places.of_call(call.function, call.caller);
  if (!all.once.emplace(place, what).second) return;
  line.misuse = static_cast<std::uint32_t>(what);
  line.side.rank = rank_by_launcher();
  for (const CodePlace& each : all.places.stack(place)) {
    line.side.stack.push_back({each.file, each.offset, each.is_entry});
  }
  report(write_line(line));
}

}  // namespace redflag::pgas
