#include "frontends/pgas/track/windows.h"

namespace redflag::pgas {

void Windows::add(Window window) {
  if (window.size != 0) {
    // Windows may overlap: the memory is watched once, and reports name the first.
    const Segment* const there = at_or_behind(window.base);
    if (there == nullptr || there->begin >= window.base + window.size) {
      add_segment({window.number, rank_, window.base, window.size, 0});
    }
  }
  const std::uint64_t number = window.number;
  windows_[number] = std::move(window);
}

void Windows::free(std::uint64_t number) {
  std::erase_if(segments_, [&](const auto& each) { return each.second.window == number; });
}

const Window* Windows::find(std::uint64_t number) const {
  const auto at = windows_.find(number);
  return at == windows_.end() ? nullptr : &at->second;
}

std::optional<std::uint64_t> Windows::address(std::uint64_t number, std::int64_t displacement,
                                              std::uint64_t offset, std::uint64_t size) const {
  const Window* const window = find(number);
  if (window == nullptr) return {};
  const std::uint64_t at = static_cast<std::uint64_t>(displacement) * window->unit + offset;
  if (window->is_dynamic) return at;
  if (at > window->size || size > window->size - at) return {};
  return window->base + at;
}

const Segment* Windows::at_or_behind(std::uint64_t address) const {
  auto at = segments_.upper_bound(address);
  if (at != segments_.begin()) {
    const auto before = std::prev(at);
    if (before->second.begin + before->second.size > address) return &before->second;
  }
  return at == segments_.end() ? nullptr : &at->second;
}

}  // namespace redflag::pgas
