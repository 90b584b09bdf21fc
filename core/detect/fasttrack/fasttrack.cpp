#include "core/detect/fasttrack/fasttrack.h"

#include <algorithm>
#include <string>

namespace redflag::fasttrack {

FastTrack::FastTrack(const DetectorOptions& options)
    : options_(options),
      order_(options.memory, options.volatile_meaning),
      races_(*options.sink, order_),
      cells_(options.memory, races_),
      shadow_(options.memory) {}

// All memory is the resource's own, which outlives us and gives it back whole; only blocks too
// large for its chunks must be returned.
FastTrack::~FastTrack() {
  shadow_.retain([this](std::uint64_t, ShadowMap<Cell>::Page& page) {
    for (Cell& cell : page.cells) cells_.clear(cell);
    return false;
  });
}

void FastTrack::on_events(std::span<const Event> events, EventIndex first) {
  constexpr std::size_t kCellsAhead = 16;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i + kCellsAhead < events.size()) {
      __builtin_prefetch(shadow_.guess(events[i + kCellsAhead].addr()), 1);
    }
    const Event& e = events[i];
    const EventIndex at{raw(first) + i};
    switch (e.kind) {
      case EventKind::kRead:
      case EventKind::kWrite:
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        if (order_.is_synchronising(e)) {
          order_.before_access(e);
          access(e, at, redflag::writes(e.kind), true);
          order_.after_access(e);
        } else {
          access(e, at, e.kind == EventKind::kWrite, false);
        }
        break;
      case EventKind::kFree:
        access(e, at, true, false);
        break;
      case EventKind::kAlloc:
        order_.before_access(e);
        forget(e.addr(), e.size);
        break;
      case EventKind::kWork:
        break;
      default:
        order_.on_event(e);
    }
  }
  peak_bytes_ = std::max(peak_bytes_, metadata_bytes());
}

void FastTrack::access(const Event& e, EventIndex index, bool is_write, bool atomic) {
  Cells::Context at{e, index, order_.thread(e.thread), is_write, atomic};
  const auto low = static_cast<unsigned>(e.object % kGranuleBytes);
  if (low + e.size <= kGranuleBytes) [[likely]] {
    const std::uint64_t page = page_of(e.addr());
    if (!options_.shard.owns(page)) return;
    at.granule = Addr{e.object - low};
    at.low = low;
    at.high = low + e.size;
    cells_.access(at, shadow_.page(page).cells[e.object % kPageBytes / kGranuleBytes]);
    races_.flush();
    return;
  }
  for_each_page(e.addr(), e.size, [&](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    if (!options_.shard.owns(page)) return;
    auto& cells = shadow_.page(page).cells;
    for_each_granule(page, begin, end,
                     [&](Addr granule_addr, std::size_t i, unsigned first, unsigned last) {
                       at.granule = granule_addr;
                       at.low = first;
                       at.high = last;
                       cells_.access(at, cells[i]);
                     });
    races_.flush();
  });
}

void FastTrack::forget(Addr addr, std::uint64_t size) {
  for_each_page(addr, size, [this](std::uint64_t page, std::uint32_t begin, std::uint32_t end) {
    auto* found = shadow_.find(page);
    if (found == nullptr) return;
    for_each_granule(page, begin, end, [&](Addr, std::size_t i, unsigned low, unsigned high) {
      cells_.forget(found->cells[i], low, high);
    });
  });
}

std::vector<Counter> FastTrack::stats() const {
  std::vector<Counter> rows{
      {"max metadata", static_cast<double>(std::max(peak_bytes_, metadata_bytes())), "bytes"},
      {"races", static_cast<double>(races_.count()), ""}};
  for (std::size_t i = 0; i < kFastRuleCount; ++i) {
    rows.push_back(
        {"rule " + std::string(kFastRules[i]), static_cast<double>(cells_.counts()[i]), ""});
  }
  return rows;
}

}  // namespace redflag::fasttrack
