// Excerpt: what the judge needs of a program that is too long to be kept.
//
// Of some launches it keeps the steps that touch some areas of memory, and everything that orders
// threads. Accesses of other memory order lanes too, by being made together: of those that follow
// each other with the same lanes of a warp the first is kept, its addresses replaced. A launch with
// more than `most` such steps is given up.
//
// focused() takes one area out of it, for one question: other areas are replaced, steps behind the
// last touch are left out, and sites are numbered by step, so that a report names its step.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/gpu/step_list.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

inline constexpr std::uint64_t kAreaBytes = 16;  // the largest unit of memory that has one entry
constexpr std::uint64_t area_of(std::uint64_t address) {
  return address & ~(kAreaBytes - 1);
}

// Reads and writes order nobody by themselves; all else does, or may.
constexpr bool is_plain(StepKind kind) {
  return kind == StepKind::kRead || kind == StepKind::kWrite || kind == StepKind::kAsyncCopy;
}
inline bool touches(const StepList::Item& item, unsigned lane, std::uint64_t area) {
  const auto within = [&](std::uint64_t at) {
    return at < area + kAreaBytes && at + item.step.size > area;
  };
  if (item.step.kind > StepKind::kAtomicRmw && item.step.kind != StepKind::kAsyncCopy) return false;
  if (item.step.kind == StepKind::kAsyncCopy && within(item.source[lane])) return true;
  return within(item.address[lane]);
}

struct Focus {
  StepList steps;
  std::vector<SiteId> sites;  // as they were, by step
};

class Excerpt final : public Sink {
 public:
  struct Area {
    LaunchId launch;
    std::uint64_t address;  // of area_of()
    friend auto operator<=>(const Area&, const Area&) = default;
  };
  explicit Excerpt(const std::vector<Area>& areas, std::size_t most = 100'000) : most_(most) {
    for (const Area& area : areas) areas_[area.launch].insert(area.address);
  }

  void launch_begins(const Launch& launch) override {
    const auto at = areas_.find(launch.id);
    wanted_ = at == areas_.end() ? nullptr : &at->second;
    if (wanted_ == nullptr) return;
    items_ = &lists_[launch.id];
    masks_.clear();
    StepList::Item item;
    item.what = StepList::What::kBegin;
    item.launch = launch;
    items_->push_back(std::move(item));
  }
  void step(const Step& step) override {
    if (wanted_ == nullptr || items_->size() > most_) return;
    StepList::Item item;
    item.step = step;
    item.has_source = copy(step.source, item.source);
    item.has_value = copy(step.value, item.value);
    copy(step.address, item.address);
    Lanes& mask = masks_[step.block << 16 | step.warp];
    if (is_plain(step.kind) && !touches_any(item)) {
      if (mask == step.lanes && mask == step.converged) return;
      item.step.kind = StepKind::kRead;
      item.step.space = Space::kGlobal;
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        item.address[lane] = StepList::nowhere(items_->size(), lane);
      }
    }
    mask = step.lanes == step.converged ? step.lanes : 0;
    items_->push_back(std::move(item));
  }
  void launch_ends(LaunchId launch) override {
    if (wanted_ == nullptr) return;
    StepList::Item item;
    item.what = StepList::What::kEnd;
    item.launch.id = launch;
    items_->push_back(std::move(item));
    wanted_ = nullptr;
  }
  // Memory that a kernel allocates has no past.
  void host(const HostStep& step) override {
    if (wanted_ == nullptr) return;
    if (step.kind != HostKind::kAlloc && step.kind != HostKind::kFree) return;
    StepList::Item item;
    item.what = StepList::What::kHost;
    item.host = step;
    items_->push_back(std::move(item));
  }

  // Empty: nothing was kept, or it was too much.
  Focus focused(const Area& area) const {
    Focus made;
    const auto at = lists_.find(area.launch);
    if (at == lists_.end() || at->second.size() > most_) return made;
    std::vector<StepList::Item> items;
    std::size_t last = 0;
    for (StepList::Item item : at->second) {
      made.sites.push_back(item.step.site);
      item.step.site = SiteId{static_cast<std::uint32_t>(items.size()) + 1};
      if (item.what == StepList::What::kStep) {
        bool any = false;
        for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<unsigned>(std::countr_zero(rest));
          if (touches(item, lane, area.address)) {
            any = true;
          } else if (is_plain(item.step.kind)) {
            item.address[lane] = item.source[lane] = StepList::nowhere(items.size(), lane);
          }
        }
        if (any) last = items.size();
      }
      items.push_back(std::move(item));
    }
    if (last == 0) return made;
    StepList::Item end = items.back();
    items.resize(last + 1);
    end.what = StepList::What::kEnd;
    end.launch.id = area.launch;
    items.push_back(std::move(end));
    made.steps = StepList(std::move(items));
    return made;
  }

 private:
  static bool copy(const std::uint64_t* from, StepList::Addresses& to) {
    if (from == nullptr) return false;
    for (unsigned i = 0; i < kWarp; ++i) to[i] = from[i];
    return true;
  }
  bool touches_any(const StepList::Item& item) const {
    for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      for (const std::uint64_t area : *wanted_) {
        if (touches(item, lane, area)) return true;
      }
    }
    return false;
  }

  std::size_t most_;
  std::map<LaunchId, std::set<std::uint64_t>> areas_;
  std::map<LaunchId, std::vector<StepList::Item>> lists_;
  const std::set<std::uint64_t>* wanted_ = nullptr;  // of the launch that runs; nullptr: none
  std::vector<StepList::Item>* items_ = nullptr;
  std::unordered_map<std::uint64_t, Lanes> masks_;  // of a warp's last step that was kept
};

}  // namespace redflag::gpu
