#include "frontends/pgas/track/windows.h"

#include <algorithm>

namespace redflag::pgas {

void Windows::add(Window window) {
  if (window.size != 0) own_.push_back({window.number, rank_, window.base, window.size, 0});
  const std::uint64_t number = window.number;
  windows_[number] = std::move(window);
}

void Windows::add_segment(const Segment& segment) {
  if (segment.owner == rank_) {
    own_.push_back(segment);
  } else {
    foreign_[segment.begin] = segment;
  }
}

void Windows::remove_segment(std::uint64_t window, std::uint64_t begin) {
  const auto at = std::find_if(own_.begin(), own_.end(), [&](const Segment& each) {
    return each.window == window && each.begin == begin;
  });
  if (at != own_.end()) own_.erase(at);
}

void Windows::free(std::uint64_t number) {
  std::erase_if(own_, [&](const Segment& each) { return each.window == number; });
  std::erase_if(foreign_, [&](const auto& each) { return each.second.window == number; });
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

const Segment* Windows::foreign_at_or_behind(std::uint64_t address) const {
  const auto at = foreign_.upper_bound(address);
  if (at != foreign_.begin()) {
    const Segment& before = std::prev(at)->second;
    if (before.begin + before.size > address) return &before;
  }
  return at == foreign_.end() ? nullptr : &at->second;
}

std::uint64_t Windows::own_at(std::uint64_t address) const {
  for (const Segment& each : own_) {
    if (address - each.begin < each.size) return each.window;
  }
  return 0;
}

std::vector<Segment> Windows::segments() const {
  std::vector<Segment> all = own_;
  for (const auto& [begin, segment] : foreign_) all.push_back(segment);
  return all;
}

}  // namespace redflag::pgas
