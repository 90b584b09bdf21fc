#include "core/detect/trivial/trivial.h"

#include <string>

namespace redflag::trivial {

std::vector<Counter> Count::stats() const {
  std::vector<Counter> rows;
  for (const EventKindInfo& kind : kEventKinds) {
    const std::uint64_t n = counts_[static_cast<std::size_t>(kind.kind)];
    if (n != 0) rows.push_back({std::string(kind.name), static_cast<double>(n), ""});
  }
  return rows;
}

void Print::on_events(std::span<const Event> events, EventIndex) {
  if (!print_) return;
  for (const Event& e : events) print_(e);
}

}  // namespace redflag::trivial
