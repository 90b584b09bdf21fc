// What the threads of a run did, by their hooks and by the emulator's own steps, in words that compare.
#pragma once

#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/cuda/emulate/code.h"
#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/rewrite/testing.h"
#include "frontends/cuda/texture/footprint.h"
#include "frontends/cuda/texture/surface.h"

namespace redflag::rewrite::testing {

using device::Deed;
using device::Hook;
using device::Memory;
using device::What;

struct Event {
  Event(std::string said) : text(std::move(said)) {}  // NOLINT(google-explicit-constructor)

  std::string text;
  // A weak read or write, which pruning may leave out if another one covers it.
  bool plain = false, writes = false, read_only = false;
  bool shared = false;
  std::uint64_t at = 0;
  std::uint32_t bytes = 0;

  bool covers(const Event& other) const {
    return plain && other.plain && shared == other.shared && at <= other.at &&
           other.at + other.bytes <= at + bytes && (writes || !other.writes);
  }
};
// Those of a thread, in order, must be the same from both.
using Thread = std::pair<std::uint64_t, std::uint32_t>;  // block, thread
using History = std::map<Thread, std::vector<Event>>;

struct Place {
  bool known = true;  // false: of the thread alone
  bool shared = false;
  std::uint64_t at = 0;
  std::string text() const { return (shared ? "shared+" : "") + std::to_string(at); }
};
inline Place place(std::uint64_t address, bool shared) {
  return {true, shared, shared ? gpu::shared_offset(address) : address};
}

inline std::string words(std::string_view name, std::string_view at, Order order, Scope scope,
                         unsigned bytes, std::uint32_t line) {
  return std::string(name) + " " + std::string(at) + " order " +
         std::to_string(static_cast<int>(order)) + " scope " +
         std::to_string(static_cast<int>(scope)) + " bytes " + std::to_string(bytes) + " line " +
         std::to_string(line);
}

// Generic addresses by their window.
inline Place place_of(std::uint64_t address, Memory memory) {
  if (memory == Memory::kShared || memory == Memory::kSharedCluster) return place(address, true);
  if (memory == Memory::kGeneric && address >= cuda::kLocalWindow &&
      address - cuda::kLocalWindow < cuda::kWindowBytes) {
    return {.known = false};
  }
  const bool shared = memory == Memory::kGeneric && address >= cuda::kSharedWindow &&
                      address - cuda::kSharedWindow < cuda::kWindowBytes;
  return place(address, shared);
}

inline void add(std::vector<Event>& list, std::string_view name, const Place& at, Order order,
                Scope scope, std::uint32_t bytes, std::uint32_t line, const std::string& more,
                bool read_only) {
  Event event(words(name, at.text(), order, scope, bytes, line) + more);
  event.writes = name == "write";
  event.plain = (event.writes || name == "read") && more.find("volatile") == std::string::npos;
  event.read_only = read_only;
  event.shared = at.shared;
  event.at = at.at;
  event.bytes = bytes;
  list.push_back(std::move(event));
}

inline std::uint32_t line_of(const std::vector<Frame>& frames) {
  return frames.empty() ? 0 : frames.back().line * 1000 + frames.front().line;
}

// Texels of a call, in the order in which they are accessed.
inline std::vector<std::pair<std::uint64_t, std::uint32_t>> texels(const Record& record,
                                                                   const cuda::Device& device) {
  const std::uint64_t* const a = record.arguments;
  const cuda::Texture* const object = device.find_texture(a[0]);
  const auto how = device::ImageHow::of(static_cast<std::uint32_t>(a[3]));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> out;
  EXPECT_NE(object, nullptr) << "handle " << a[0];
  if (object == nullptr) return out;
  if (record.which() == Hook::kSurface) {
    const cuda::SurfacePlace at = cuda::surface_place(
        object->image, how.is_formatted, how.boundary,
        What::of(static_cast<std::uint32_t>(a[2])).bytes, static_cast<std::int32_t>(a[4]),
        static_cast<std::int32_t>(a[5]), static_cast<std::int32_t>(a[6]));
    if (at.address != 0) out.emplace_back(at.address, at.bytes);
    return out;
  }
  cuda::Coordinates at;
  at.is_whole = how.is_whole;
  at.layer = static_cast<std::uint32_t>(a[7]);
  for (unsigned i = 0; i < 3; ++i) {
    at.at[i] = std::bit_cast<float>(static_cast<std::uint32_t>(a[4 + i]));
    at.whole[i] = static_cast<std::int32_t>(a[4 + i]);
  }
  const cuda::Footprint footprint =
      how.gathers ? cuda::gather_footprint(*object, at) : cuda::footprint(*object, at);
  for (unsigned i = 0; i < footprint.count; ++i) {
    const std::uint64_t address = footprint.taps[i].address;
    if (address != 0 && !footprint.is_repeated(i)) {
      out.emplace_back(address, object->image.element());
    }
  }
  return out;
}

inline void add(History& to, const Record& record, const std::vector<Site>& sites,
                const cuda::Device& device) {
  std::vector<Event>& list = to[{record.block, record.thread}];
  const std::uint64_t* const a = record.arguments;
  const auto line = [&](std::uint64_t site) { return line_of(sites.at(site).frames); };
  const auto memory = [&](std::string_view name, std::string_view more) {
    const What what = What::of(static_cast<std::uint32_t>(a[2]));
    const Place at = place_of(a[0], what.memory);
    if (!at.known) return;
    add(list, name, at, what.order, what.scope, what.bytes, line(a[1]),
        std::string(more) + (what.is_volatile ? " volatile" : ""), false);
  };
  const auto order = [&](std::string_view name, std::string_view more) {
    const What what = What::of(static_cast<std::uint32_t>(a[1]));
    list.push_back(words(name, more, what.order, what.scope, 0, line(a[0])));
  };
  const What access = What::of(static_cast<std::uint32_t>(a[2]));
  switch (record.which()) {
    case Hook::kEnter:
    case Hook::kMet:
      break;
    case Hook::kExit:
      list.push_back({"exit"});
      break;
    case Hook::kLoad:
      memory("read", "");
      break;
    case Hook::kStore:
      memory("write", access.bytes == 64 ? "" : " value " + std::to_string(a[3]));
      break;
    case Hook::kTexture:
    case Hook::kSurface:
      for (const auto& [at, bytes] : texels(record, device)) {
        const std::string name = access.deed == Deed::kRead    ? "read"
                                 : access.deed == Deed::kWrite ? "write"
                                                               : "rmw";
        add(list, name, place(at, false), access.order, access.scope, bytes, line(a[1]),
            name == "write" ? " value " + std::to_string(a[7])
            : name == "rmw" ? " op 0 wrote 1"
                            : "",
            false);
      }
      break;
    case Hook::kAtomicBegin:
      if (access.deed == Deed::kAtomicStore) memory("store", " value " + std::to_string(a[3]));
      if (access.deed == Deed::kWrite) memory("write", " value " + std::to_string(a[3]));
      break;
    case Hook::kAtomicEnd:
      if (access.deed == Deed::kAtomicLoad) memory("load", "");
      if (access.deed == Deed::kRead) memory("read", "");
      if (access.deed == Deed::kAtomicRmw) {
        memory("rmw", " op " + std::to_string(static_cast<int>(access.rmw)) + " wrote " +
                          std::to_string(a[3]));
      }
      break;
    case Hook::kMalloc:  // the emulator tells these as steps of the host
    case Hook::kFree:
      break;
    case Hook::kFence:
      order("fence", "");
      break;
    case Hook::kWarpSync:
      list.push_back({"warp sync"});
      break;
    case Hook::kBarrierArrive:
      order("arrive", std::to_string(a[2]) + " of " + std::to_string((a[3] + 31) / 32 * 32) +
                          (What::of(static_cast<std::uint32_t>(a[1])).aligned ? " aligned" : ""));
      break;
    case Hook::kBarrierPass:
      order("pass", std::to_string(a[2]));
      break;
    case Hook::kClusterArrive:
      order("cluster arrive", "");
      break;
    case Hook::kClusterPass:
      order("cluster pass", "");
      break;
    case Hook::kMbarrierInit:
      memory("init", "");
      break;
    case Hook::kMbarrierInval:
      memory("inval", "");
      break;
    case Hook::kMbarrierArrive:
      // The emulator counts bytes itself.
      if (a[3] != 0 || access.order == Order::kRelease) memory("gate arrive", "");
      break;
    case Hook::kMbarrierWait:
      if (a[3] != 0) memory("gate wait", "");
      break;
    case Hook::kAsyncCopy: {
      const What what = What::of(static_cast<std::uint32_t>(a[3]));
      for (std::uint64_t at = 0; at < a[4]; at += 128) {  // as the emulator tells bulk copies
        list.push_back("copy to " + place_of(a[0] + at, what.memory).text() + " from " +
                       place_of(a[1] + at, Memory::kGeneric).text() + " bytes " +
                       std::to_string(std::min<std::uint64_t>(a[4] - at, 128)) + " line " +
                       std::to_string(line(a[2])));
      }
      break;
    }
    case Hook::kAsyncCommit:
      list.push_back("commit line " + std::to_string(line(a[0])));
      break;
    case Hook::kAsyncWait:
      list.push_back("wait " + std::to_string(a[1]) + " line " + std::to_string(line(a[0])));
      break;
    case Hook::kAsyncArrive:
      list.push_back("copies arrive " + place_of(a[0], access.memory).text() + " line " +
                     std::to_string(line(a[1])));
      break;
  }
}

inline void add(History& to, const cuda::testing::KeptStep& step, const cuda::Device& device,
                const testing::Recorder& recorder) {
  using gpu::StepKind;
  const std::vector<Frame> frames = device.frames(step.site);
  const std::string text(device.instruction_text(step.site));
  if (text.starts_with("call")) return;
  const std::uint32_t line = line_of(frames);
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
    if ((step.lanes >> lane & 1) == 0) continue;
    if (!step.addresses.empty() && recorder.owns(step.addresses[lane])) continue;
    std::vector<Event>& list = to[{step.block, step.warp * gpu::kWarp + lane}];
    const auto value = [&] {
      return step.values.empty() || step.size == 64 ? " value 0"
                                                    : " value " + std::to_string(step.values[lane]);
    };
    const auto memory = [&](std::string_view name, std::string_view more) {
      const bool shared = gpu::is_shared(step.addresses[lane]);
      add(list, name, place(step.addresses[lane], shared), step.order, step.scope, step.size, line,
          std::string(more) + (step.is_volatile ? " volatile" : ""),
          text.find(".nc") != std::string::npos);
    };
    const auto order = [&](std::string_view name, std::string_view more) {
      list.push_back(words(name, more, step.order, step.scope, 0, line));
    };
    switch (step.kind) {
      case StepKind::kRead:
        memory("read", "");
        break;
      case StepKind::kWrite:
        memory("write", value());
        break;
      case StepKind::kAtomicLoad:
        memory("load", "");
        break;
      case StepKind::kAtomicStore:
        memory("store", value());
        break;
      case StepKind::kAtomicRmw:
        memory("rmw", " op " + std::to_string(static_cast<int>(step.op)) + " wrote " +
                          std::to_string(step.wrote >> lane & 1));
        break;
      case StepKind::kFence:
        order("fence", "");
        break;
      case StepKind::kWarpSync:  // lanes may meet from several places, and the step names one
        list.push_back({"warp sync"});
        break;
      case StepKind::kBarrierArrive:
        order("arrive", std::to_string(step.object) + " of " + std::to_string(step.expected) +
                            (step.aligned ? " aligned" : ""));
        break;
      case StepKind::kBarrierPass:
        order("pass", std::to_string(step.object));
        break;
      case StepKind::kClusterArrive:
        order("cluster arrive", "");
        break;
      case StepKind::kClusterPass:
        order("cluster pass", "");
        break;
      case StepKind::kMbarrierInit:
        memory("init", "");
        break;
      case StepKind::kMbarrierInval:
        memory("inval", "");
        break;
      case StepKind::kMbarrierArrive:
        memory("gate arrive", "");
        break;
      case StepKind::kMbarrierWait:
        memory("gate wait", "");
        break;
      case StepKind::kAsyncCopy:
        list.push_back(
            "copy to " + place(step.addresses[lane], gpu::is_shared(step.addresses[lane])).text() +
            " from " + place(step.sources[lane], gpu::is_shared(step.sources[lane])).text() +
            " bytes " + std::to_string(step.size) + " line " + std::to_string(line));
        break;
      case StepKind::kAsyncCommit:
        list.push_back("commit line " + std::to_string(line));
        break;
      case StepKind::kAsyncWait:
        list.push_back("wait " + std::to_string(step.object) + " line " + std::to_string(line));
        break;
      case StepKind::kAsyncArrive:
        list.push_back("copies arrive " + place(step.addresses[lane], true).text() + " line " +
                       std::to_string(line));
        break;
      case StepKind::kExit:
        list.push_back({"exit"});
        break;
      case StepKind::kBranch:
      case StepKind::kReconverge:
        break;
    }
  }
}

// How many events were compared.
inline std::size_t compare(const History& hooks, const History& steps, const std::string& name) {
  std::size_t compared = 0;
  EXPECT_EQ(hooks.size(), steps.size()) << name;
  for (const auto& [thread, told] : steps) {
    const auto at = hooks.find(thread);
    if (at == hooks.end()) {
      ADD_FAILURE() << name << ": thread " << thread.second << " tells nothing";
      return compared;
    }
    for (std::size_t i = 0; i < std::max(told.size(), at->second.size()); ++i) {
      ++compared;
      const std::string step = i < told.size() ? told[i].text : "none";
      const std::string hook = i < at->second.size() ? at->second[i].text : "none";
      EXPECT_EQ(hook, step) << name << ": block " << thread.first << ", thread " << thread.second
                            << ", event " << i;
      if (hook != step) return compared;
    }
  }
  return compared;
}

// With pruning: every step has its hook, or another hook of its thread covers it, with nothing but weak
// accesses between the two. How many have none.
inline std::size_t check_covered(const History& hooks, const History& steps,
                                 const std::string& name) {
  std::size_t left_out = 0;
  for (const auto& [thread, all] : steps) {
    const std::vector<Event>& told = hooks.at(thread);
    std::vector<bool> has_hook(all.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      has_hook[i] = next < told.size() && told[next].text == all[i].text;
      next += has_hook[i] ? 1 : 0;
    }
    EXPECT_EQ(next, told.size()) << name << ": thread " << thread.second
                                 << " tells what was not, or in another order: "
                                 << (next < told.size() ? told[next].text : "");
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (has_hook[i]) continue;
      ++left_out;
      std::size_t begin = i, end = i;
      while (begin > 0 && all[begin - 1].plain) --begin;
      while (end + 1 < all.size() && all[end + 1].plain) ++end;
      bool covered = all[i].read_only;
      for (std::size_t k = begin; k <= end; ++k) {
        covered = covered || (has_hook[k] && all[k].covers(all[i]));
      }
      EXPECT_TRUE(covered && all[i].plain) << name << ": block " << thread.first << ", thread "
                                           << thread.second << ": no hook for " << all[i].text;
    }
  }
  return left_out;
}

}  // namespace redflag::rewrite::testing
