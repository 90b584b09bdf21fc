#include "frontends/pgas/track/attached_table.h"

#include <algorithm>

namespace redflag::pgas {

void AttachedTable::attach(std::uint64_t begin, std::uint64_t end) {
  const std::span all(regions.data(), count);
  // What was there before is no longer what it was.
  auto kept = std::remove_if(all.begin(), all.end(), [&](const AttachedRegion& each) {
    return each.is_attached == 0 && each.begin < end && begin < each.end;
  });
  if (kept - all.begin() == static_cast<std::ptrdiff_t>(kRoom)) {
    const auto oldest = std::find_if(
        all.begin(), all.end(), [](const AttachedRegion& each) { return each.is_attached == 0; });
    if (oldest == all.end()) {
      is_too_small = 1;
      return;
    }
    kept = std::move(oldest + 1, kept, oldest);
  }
  count = static_cast<std::uint64_t>(kept - all.begin());
  regions[count++] = {begin, end, 1};
}

void AttachedTable::detach(std::uint64_t begin) {
  for (AttachedRegion& each : std::span(regions).first(count)) {
    if (each.is_attached != 0 && each.begin == begin) {
      each.is_attached = 0;
      return;
    }
  }
}

Reach reach_of(std::span<const AttachedRegion> regions, std::uint64_t begin, std::uint64_t end) {
  const auto find = [&](std::uint64_t at, bool is_attached) {
    return std::find_if(regions.begin(), regions.end(), [&](const AttachedRegion& each) {
      return (each.is_attached != 0) == is_attached && each.begin <= at && at < each.end;
    });
  };
  for (std::uint64_t at = begin; at < end;) {
    const auto region = find(at, true);
    if (region != regions.end()) {
      at = region->end;
      continue;
    }
    if (find(at, false) != regions.end()) return Reach::kDetached;
    return at == begin ? Reach::kNever : Reach::kBeyond;
  }
  return Reach::kAttached;
}

}  // namespace redflag::pgas
