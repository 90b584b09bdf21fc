// StepList: steps of kernels in memory, to be told again as often as somebody asks.
//
// For the judge (judge.h), which reads causes off a program and takes accesses out of it, and for
// tests, whose random programs are such lists. About a kilobyte for each step: for excerpts of a
// program, not for whole ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/model/event.h"
#include "core/model/gpu.h"

namespace redflag::gpu {

class StepList {
 public:
  enum class What { kBegin, kStep, kEnd, kHost };
  using Addresses = std::array<std::uint64_t, kWarp>;
  struct Item {
    What what = What::kStep;
    Step step;  // its pointers are the arrays below, when it is told
    Addresses address{}, source{}, value{};
    bool has_source = true, has_value = true;
    Launch launch;
    HostStep host;
  };

  // Memory of a lane of an item that no program has: where accesses are put that must not count.
  static constexpr std::uint64_t nowhere(std::size_t index, unsigned lane) {
    return (std::uint64_t{1} << 56) + 0x1000 * std::uint64_t{index} + std::uint64_t{64} * lane;
  }

  StepList() = default;
  explicit StepList(std::vector<Item> items) : items_(std::move(items)) {}

  const std::vector<Item>& items() const { return items_; }

  template <typename Sink, typename F>
  void run(Sink& sink, F at) const {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      at(i);
      const Item& item = items_[i];
      Step step = item.step;
      step.address = item.address.data();
      step.source = item.has_source ? item.source.data() : nullptr;
      step.value = item.has_value ? item.value.data() : nullptr;
      switch (item.what) {
        case What::kBegin:
          sink.launch_begins(item.launch);
          break;
        case What::kStep:
          sink.step(step);
          break;
        case What::kEnd:
          sink.launch_ends(item.launch.id);
          break;
        case What::kHost:
          sink.host(item.host);
          break;
      }
    }
  }

  std::string text() const {
    std::ostringstream out;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Item& item = items_[i];
      out << i << " ";
      if (item.what == What::kBegin) {
        out << "launch " << item.launch.grid.x << "x" << item.launch.block.x << " cluster "
            << item.launch.cluster.x << " stream " << raw(item.launch.stream);
      } else if (item.what == What::kStep) {
        const Step& s = item.step;
        out << "kind " << static_cast<int>(s.kind) << " block " << s.block << " warp " << s.warp
            << " lanes " << std::hex << s.lanes << " at " << item.address[0] << std::dec << " size "
            << int{s.size} << " " << name(s.order) << " " << name(s.scope) << " object " << s.object
            << " round " << s.round << (s.is_volatile ? " volatile" : "");
      } else if (item.what == What::kHost) {
        out << "host " << static_cast<int>(item.host.kind) << " stream " << raw(item.host.stream);
      } else {
        out << "end";
      }
      out << "\n";
    }
    return out.str();
  }

 protected:
  std::vector<Item> items_;
};

}  // namespace redflag::gpu
