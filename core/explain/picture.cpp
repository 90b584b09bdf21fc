// The picture of a finding: the synchronisation steps around the two accesses, and the arrows
// between them.
//
// Shown are a few steps of both threads before the first access and between the two, and the steps
// of other threads that these obtained from. Fewer is clearer: the picture must show why nothing
// orders the two.
#include <algorithm>
#include <map>
#include <string>

#include "core/explain/explainer.h"

namespace redflag {
namespace {

std::string bytes_label(std::uint32_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

std::string object_label(const Event& e, const Sources& sources) {
  switch (info(e.kind).operand) {
    case Operand::kLock:
      return " " + lock_label(e.lock(), sources);
    case Operand::kBarrier:
      return " " + hex(e.object);
    case Operand::kThread:
      return " " + thread_label(e.other(), sources);
    case Operand::kMemory: {
      const Region* region = sources.region_of(e.addr());
      return " " + (region != nullptr && !region->name.empty() ? region->name : hex(e.object));
    }
    case Operand::kCount:
    case Operand::kNone:
      return "";
  }
  return "";
}

std::string step_label(const Event& e, bool starts, const Sources& sources) {
  if (starts) return "starts";
  std::string text = std::string(name(e.kind)) + object_label(e, sources);
  if (info(e.kind).has_order) text += " (" + std::string(name(e.order)) + ")";
  return text;
}

}  // namespace

std::string thread_label(ThreadId thread, const Sources& sources) {
  const std::string given = sources.thread_name(thread);
  return given.empty() ? "T" + std::to_string(raw(thread)) : given;
}

std::string lock_label(LockId lock, const Sources& sources) {
  const std::string given = sources.lock_name(lock);
  return given.empty() ? "lock " + hex(raw(lock)) : given;
}

std::string access_label(const Access& a) {
  std::string text;
  switch (a.kind) {
    case EventKind::kAtomicLoad:
      text = "atomic load of ";
      break;
    case EventKind::kAtomicStore:
      text = "atomic store of ";
      break;
    case EventKind::kAtomicRmw:
      text = "atomic update of ";
      break;
    case EventKind::kFree:
      text = "free of ";
      break;
    default:
      text = writes(a.kind) ? "write of " : "read of ";
  }
  if (a.is_volatile) text = "volatile " + text;
  text += bytes_label(a.size);
  if (info(a.kind).has_order) text += " (" + std::string(name(a.order)) + ")";
  return text;
}

void Explainer::draw(Finding& f, const FirstSide& first, const Sources& sources) {
  constexpr std::size_t kBefore = 2;   // of each thread, before the first access
  constexpr std::size_t kBetween = 6;  // of each thread, between the two
  const EventIndex from = f.first.access.index;
  const EventIndex to = f.second.access.index;
  struct Shown {
    Step step;
    ThreadId from_thread;
    EventIndex from;
  };
  // By trace position; a fork and the start it causes share an index and differ by thread.
  std::map<std::pair<EventIndex, ThreadId>, Shown> shown;
  const auto show = [&](const SyncStep& s) {
    Step step{s.index, s.event.thread, Step::Role::kSync, step_label(s.event, s.starts, sources),
              Frame{}};
    if (const Sources::Node* node = sources.node(s.event.source); node != nullptr && !s.starts) {
      step.at = node->frame;
    }
    shown.emplace(std::pair(s.index, s.event.thread), Shown{step, s.from_thread, s.from});
  };
  const auto show_last = [&](const auto& steps, std::size_t most, auto wanted) {
    std::size_t n = 0;
    for (auto it = steps.rbegin(); it != steps.rend() && n < most; ++it) {
      if (!wanted(*it)) continue;
      show(*it);
      ++n;
    }
  };
  const auto between = [&](const SyncStep& s) { return s.index > from && s.index < to; };
  const auto before = [&](const SyncStep& s) { return s.index < from; };
  const ThreadInfo& one = thread(f.first.access.thread);
  const ThreadInfo& two = thread(f.second.access.thread);
  show_last(first.before, kBefore, before);
  show_last(one.recent, kBetween, between);
  show_last(two.recent, kBetween, between);
  show_last(two.recent, kBefore, before);
  // The other ends of arrows, where they are still remembered.
  std::vector<std::pair<ThreadId, EventIndex>> wanted;
  for (const auto& [key, s] : shown) {
    if (s.from != kNoIndex) wanted.emplace_back(s.from_thread, s.from);
  }
  for (const auto& [id, index] : wanted) {
    if (shown.contains({index, id})) continue;
    const auto it = threads_.find(id);
    if (it == threads_.end()) continue;
    for (const SyncStep& s : it->second.recent) {
      if (s.index == index && !s.starts) show(s);
    }
  }
  const auto mark = [&](const Side& side, Step::Role role) {
    Step step{side.access.index, side.access.thread, role, access_label(side.access), Frame{}};
    if (!side.stack.empty()) step.at = side.stack.front();
    shown[{side.access.index, side.access.thread}] = Shown{step, ThreadId{0}, kNoIndex};
  };
  mark(f.first, Step::Role::kFirst);
  mark(f.second, Step::Role::kSecond);

  std::map<std::pair<EventIndex, ThreadId>, std::uint32_t> position;
  for (const auto& [key, s] : shown) {
    position[key] = static_cast<std::uint32_t>(f.steps.size());
    f.steps.push_back(s.step);
  }
  for (const auto& [key, s] : shown) {
    if (s.from == kNoIndex) continue;
    const auto it = position.find({s.from, s.from_thread});
    if (it != position.end() && s.from_thread != key.second) {
      f.arrows.push_back({it->second, position[key]});
    }
  }
}

}  // namespace redflag
