#include "frontends/pgas/track/windows.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace redflag::pgas {

void Windows::add(Window window) {
  if (window.size != 0) add_own({window.number, rank_, window.base, window.size, 0});
  const std::uint64_t number = window.number;
  windows_[number] = std::move(window);
}

void Windows::add_segment(const Segment& segment) {
  if (segment.owner == rank_) {
    add_own(segment);
  } else {
    foreign_[segment.begin] = segment;
  }
}

void Windows::remove_segment(std::uint64_t window, std::uint64_t begin) {
  const auto at = std::find_if(own_.begin(), own_.end(), [&](const Segment& each) {
    return each.window == window && each.begin == begin;
  });
  if (at == own_.end()) return;
  own_.erase(at);
  has_freed_ = true;
}

void Windows::free(std::uint64_t number) {
  std::erase_if(own_, [&](const Segment& each) { return each.window == number; });
  has_freed_ = true;
  std::erase_if(foreign_, [&](const auto& each) { return each.second.window == number; });
}

const Window* Windows::find(std::uint64_t number) const {
  const auto at = windows_.find(number);
  return at == windows_.end() ? nullptr : &at->second;
}

std::uint64_t Windows::own_bytes() const {
  return std::accumulate(own_.begin(), own_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Segment& each) { return sum + each.size; });
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

void Windows::add_own(const Segment& segment) {
  own_.push_back(segment);
  std::uint64_t begin = segment.begin;
  std::uint64_t end = segment.begin + segment.size;
  auto at = common_.upper_bound(end);
  while (at != common_.begin() && std::prev(at)->second >= begin) {
    --at;
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = common_.erase(at);
  }
  common_.emplace(begin, end);
}

void Windows::forget_freed() {
  if (!has_freed_) return;
  has_freed_ = false;
  common_.clear();
  const std::vector<Segment> all = std::move(own_);
  own_.clear();
  for (const Segment& each : all) add_own(each);
}

Windows::Stretch Windows::own_at(std::uint64_t address) const {
  const auto behind = common_.upper_bound(address);
  if (behind == common_.begin() || std::prev(behind)->second <= address) {
    return {0, false,
            behind == common_.end() ? std::numeric_limits<std::uint64_t>::max() : behind->first};
  }
  std::uint64_t end = std::prev(behind)->second;
  for (const Segment& each : own_) {
    if (address - each.begin < each.size) return {each.window, true, each.begin + each.size};
    if (each.begin > address) end = std::min(end, each.begin);
  }
  return {0, true, end};
}

std::vector<Segment> Windows::segments() const {
  std::vector<Segment> all = own_;
  for (const auto& [begin, segment] : foreign_) all.push_back(segment);
  return all;
}

}  // namespace redflag::pgas
