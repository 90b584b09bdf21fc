#include "core/report/words.h"

#include <cstdio>
#include <limits>

#include "core/base/cxx_name.h"
#include "core/report/own_code.h"

namespace redflag {

std::string hex(std::uint64_t value) {
  char buffer[24];
  std::snprintf(buffer, sizeof(buffer), "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return a > most - b ? most : a + b;
}

std::string bytes(std::uint64_t count) {
  return plural(count, "byte", "bytes");
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return with_separators(count) + " " + std::string(count == 1 ? one : many);
}

namespace {

std::string offset_text(const Finding& finding) {
  const std::uint64_t offset = finding.addr - finding.memory.addr;
  const bool inside = raw(finding.addr) >= raw(finding.memory.addr) && offset < finding.memory.size;
  return inside && offset > 0 ? "+" + std::to_string(offset) : "";
}

std::string_view region_noun(RegionKind kind) {
  switch (kind) {
    case RegionKind::kGlobal:
      return "global variable";
    case RegionKind::kHeap:
      return "heap block";
    case RegionKind::kStack:
      return "stack variable";
    case RegionKind::kThreadLocal:
      return "thread-local variable";
    case RegionKind::kShared:
      return "shared mapping";
    case RegionKind::kDevice:
      return "device allocation";
    case RegionKind::kWindow:
      return "window";
    case RegionKind::kUnknown:
      break;
  }
  return "memory";
}

// A live run knows whose stack it is, but not which variable.
bool is_of_a_thread(const Finding& finding) {
  const RegionKind kind = finding.memory.kind;
  return finding.memory.name.empty() && finding.origin.thread != kUnknownThread &&
         (kind == RegionKind::kStack || kind == RegionKind::kThreadLocal);
}

std::string owner_text(const Finding& finding) {
  const bool stack = finding.memory.kind == RegionKind::kStack;
  return (stack ? "stack of " : "thread-local memory of ") +
         thread_text(finding, finding.origin.thread);
}

std::string number_and_name(ThreadId thread, const std::string& name) {
  if (thread == kUnknownThread) return name.empty() ? "an unknown thread" : name;
  std::string number = "T" + std::to_string(raw(thread));
  if (name.empty() || name == number) return number;
  return number + " (" + name + ")";
}

}  // namespace

bool is_declaration(const Stack& stack) {
  return stack.size() == 1 && stack.front().function.empty() && !stack.front().file.empty();
}

std::string memory_label(const Finding& finding) {
  if (finding.origin.descriptor >= 0) {
    return "file descriptor " + std::to_string(finding.origin.descriptor);
  }
  if (finding.memory.size == 0) return hex(raw(finding.addr));
  if (!finding.memory.name.empty()) {
    const std::string& member = finding.origin.member;
    return short_name(finding.memory.name) + (member.empty() ? offset_text(finding) : member);
  }
  if (is_of_a_thread(finding)) return owner_text(finding);
  return std::string(region_noun(finding.memory.kind)) + offset_text(finding);
}

std::string memory_text(const Finding& finding) {
  std::string text;
  const Region& memory = finding.memory;
  if (finding.origin.descriptor >= 0) {
    text = memory_label(finding);
    if (finding.origin.thread != kUnknownThread) {
      text += ", opened by " + thread_text(finding, finding.origin.thread);
    }
    return text;
  }
  if (finding.size > 0) text = bytes(finding.size) + " at ";
  text += hex(raw(finding.addr));
  if (memory.size == 0) return text;
  if (is_of_a_thread(finding)) return text + ", on the " + owner_text(finding);
  const std::uint64_t offset = finding.addr - memory.addr;
  if (offset > 0 && offset < memory.size) text += ", offset " + with_separators(offset);
  text += ", in a " + std::string(region_noun(memory.kind)) + " of " + bytes(memory.size);
  if (finding.origin.thread != kUnknownThread) {
    text += ", allocated by " + thread_text(finding, finding.origin.thread);
  }
  if (is_declaration(finding.memory_stack)) {
    text += ", declared at " + place_text(finding.memory_stack.front());
  }
  return text;
}

std::string access_verb(const Access& access) {
  std::string verb = access.is_volatile ? "volatile " : "";
  switch (access.kind) {
    case EventKind::kAtomicLoad:
      return verb + "atomic load";
    case EventKind::kAtomicStore:
      return verb + "atomic store";
    case EventKind::kAtomicRmw:
      return verb + "atomic read-modify-write";
    default:
      return verb + std::string(name(access.kind));
  }
}

std::string access_text(const Access& access) {
  std::string text = access_verb(access);
  if (access.size > 0) text += " of " + bytes(access.size);
  if (access.order != Order::kPlain) text += " (" + std::string(name(access.order)) + ")";
  return text;
}

std::string access_text(const Side& side) {
  if (side.rma) {
    std::string text = side.rma->operation;
    if (side.access.size > 0) text += " of " + bytes(side.access.size);
    return side.rma->pending ? text + " (never completed)" : text;
  }
  if (!side.gpu) return access_text(side.access);
  std::string text = access_verb(side.access);
  if (side.gpu->is_async) text = "asynchronous " + text;
  if (side.access.size > 0) text += " of " + bytes(side.access.size);
  if (is_atomic(side.access.kind)) {
    text += " (" + std::string(name(side.access.order)) + ", " +
            std::string(name(side.gpu->scope)) + " scope)";
  }
  return text;
}

std::string thread_text(const Side& side) {
  return number_and_name(side.access.thread, side.thread_name);
}

std::string thread_text(const Finding& finding, ThreadId thread) {
  for (const ThreadOrigin& one : finding.threads) {
    if (one.thread == thread) return number_and_name(thread, one.name);
  }
  for (const Side* side : {&finding.first, &finding.second}) {
    if (side->access.thread == thread) return thread_text(*side);
  }
  return number_and_name(thread, "");
}

std::string lock_text(const HeldLock& lock) {
  return lock.shared ? lock.name + " (shared)" : lock.name;
}

std::string locks_text(const Side& side) {
  if (side.locks.empty()) return "none";
  std::string text;
  for (const HeldLock& lock : side.locks) text += (text.empty() ? "" : ", ") + lock_text(lock);
  if (side.more_locks > 0) text += ", and " + with_separators(side.more_locks) + " more";
  return text;
}

std::string place_text(const Frame& frame) {
  std::string text = frame.file;
  if (frame.file.empty() || frame.line == 0) return text;
  text += ":" + std::to_string(frame.line);
  if (frame.column != 0) text += ":" + std::to_string(frame.column);
  return text;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_known(const Frame& frame) {
  return !frame.function.empty() || !frame.file.empty();
}

const Frame* top_frame(const Side& side) {
  return !side.stack.empty() && is_known(side.stack.front()) ? &side.stack.front() : nullptr;
}

std::string top_function(const Side& side) {
  const Frame* frame = top_frame(side);
  if (frame == nullptr) return std::string(kUnknownFunction);
  return frame->function.empty() ? place_text(*frame) : short_function(frame->function);
}

std::string function_text(const CodeFrame& frame) {
  if (!frame.function.empty()) return short_function(frame.function);
  if (!frame.file.empty()) return {};
  if (frame.module.empty()) return std::string(kUnknownFunction);
  return std::string(base_name(frame.module)) + "+" + hex(frame.offset);
}

// Where the compiler's headers are is of no interest: "c++/12/bits/stl_vector.h:1294".
std::string short_place(const CodeFrame& frame) {
  constexpr std::string_view kFolder = "/include/";
  std::string place = place_text(frame);
  const std::size_t at = place.rfind(kFolder);
  if (at != std::string::npos && !library_of(frame).empty()) place.erase(0, at + kFolder.size());
  return place;
}

std::string where_text(const CodeFrame& frame) {
  std::string place = short_place(frame);
  switch (frame.line_state) {
    case LineState::kNearest:
      return "near " + place;
    case LineState::kNoDebugInfo:
      return "(no debug info: compile with -g)";
    case LineState::kStripped:
      return "(stripped: link without -s)";
    case LineState::kSystemLibrary:
      return frame.function.empty()
                 ? "(system library)"
                 : "(system library " + std::string(base_name(frame.module)) + ")";
    case LineState::kAsGiven:
    case LineState::kCalled:
      break;
  }
  return place;
}

std::string frame_text(const CodeFrame& frame) {
  std::string text = function_text(frame);
  const std::string where = where_text(frame);
  if (!where.empty()) text += (text.empty() ? "" : " ") + where;
  return text;
}

bool has_access(const Finding& finding, const Side& side) {
  if (is_race(finding.rule)) return true;
  // A kernel that ended at an access, an operation; a kernel that stopped or is stuck has none.
  const RuleGroup group = info(finding.rule).group;
  return (group == RuleGroup::kKernel || group == RuleGroup::kOperation) && side.access.size > 0;
}

std::string side_text(const Finding& finding, const Side& side) {
  if (has_access(finding, side)) return access_text(side) + " by " + thread_text(side);
  if (info(finding.rule).group == RuleGroup::kBarrier) {
    return (&side == &finding.first ? "reached by " : "not reached by ") + thread_text(side);
  }
  return (&side == &finding.first ? "held by " : "by ") + thread_text(side);
}

namespace {

std::string origin_text(const Finding& finding, const ThreadOrigin& thread) {
  std::string text = thread_text(finding, thread.thread);
  if (thread.is_fiber) text += ", a fiber";
  if (thread.state != ThreadOrigin::State::kUnknown) {
    (text += ", ") += kThreadStateNames[static_cast<std::size_t>(thread.state)];
  }
  if (thread.system_id != 0) text += " (system " + std::to_string(thread.system_id) + ")";
  if (thread.parent != kUnknownThread) {
    text += ", created by " + number_and_name(thread.parent, thread.parent_name);
  }
  return text;
}

constexpr std::size_t kMostNames = 4;

struct UncheckedWords {
  Unchecked::Kind kind;
  std::string_view one;
  std::string_view many;
  std::string_view what;
};
constexpr std::array<UncheckedWords, kUncheckedKindCount> kUncheckedWords{{
    {Unchecked::Kind::kLibrary, "library", "libraries", "without instrumentation"},
    {Unchecked::Kind::kThread, "thread", "threads", "that the C library started"},
    {Unchecked::Kind::kKernel, "kernel", "kernels", "without PTX"},
    {Unchecked::Kind::kUnsupportedKernel, "kernel", "kernels", "that could not be checked"},
}};

std::string in_frame(const Stack& stack) {
  const CodeFrame* own = own_frame(stack);
  return " in " + frame_text(own == nullptr ? stack.front() : *own);
}

std::string origin_text(const Finding& finding, const LockOrigin& lock) {
  std::string text = lock.name + (lock.read_write ? ", a read-write lock" : ", a mutex") + " at " +
                     hex(raw(lock.addr));
  if (!lock.allocated.empty()) text += ", allocated" + in_frame(lock.allocated);
  if (!lock.created.empty()) text += ", created" + in_frame(lock.created);
  if (lock.destroyed) text += ", destroyed since";
  for (const Side* side : {&finding.first, &finding.second}) {
    for (const HeldLock& held : side->locks) {
      if (held.id != lock.id || held.acquired.empty()) continue;
      text += ", taken by " + thread_text(*side) + in_frame(held.acquired);
    }
  }
  return text;
}

}  // namespace

std::vector<Note> notes(const Finding& finding) {
  std::vector<Note> all;
  if (finding.origin.freed) {
    const ThreadId by = finding.origin.freed_by;
    all.push_back({"freed", by == kUnknownThread ? "before" : "by " + thread_text(finding, by),
                   &finding.origin.freed_at});
  }
  for (const ThreadOrigin& thread : finding.threads) {
    // Of the thread the program begins with there is nothing to tell.
    if (thread.parent == kUnknownThread && thread.created.empty()) continue;
    all.push_back({"thread", origin_text(finding, thread), &thread.created});
  }
  for (const LockOrigin& lock : finding.locks) {
    all.push_back({"lock", origin_text(finding, lock), &lock.created});
  }
  const auto launched = [](const Side& side) {
    return side.gpu && !side.gpu->launched.empty() ? &*side.gpu : nullptr;
  };
  const GpuPlace* const first = launched(finding.first);
  const GpuPlace* const second = launched(finding.second);
  const bool is_one = first != nullptr && second != nullptr && first->launched == second->launched;
  if (first != nullptr) {
    all.push_back({"launched", first->kernel + (is_one ? "" : ", the first"), &first->launched});
  }
  if (second != nullptr && !is_one) {
    all.push_back({"launched", second->kernel + ", the second", &second->launched});
  }
  if (finding.confirmation) {
    static const Stack kNone;
    const Confirmation& tried = *finding.confirmation;
    all.push_back({"verdict", confirmation_text(tried), &kNone});
    if (!tried.schedule.empty()) all.push_back({"schedule", tried.schedule, &kNone});
    for (const std::optional<Side>* met : {&tried.first, &tried.second}) {
      if (*met) all.push_back({"met", side_text(finding, **met), &(*met)->stack});
    }
  }
  return all;
}

std::string unchecked_text(const Report& report) {
  std::string text;
  for (const UncheckedWords& words : kUncheckedWords) {
    std::uint64_t count = 0;
    std::vector<std::string> names;
    for (const Unchecked& one : report.unchecked) {
      if (one.kind != words.kind) continue;
      count = add_saturating(count, one.count);
      if (!one.name.empty()) names.emplace_back(base_name(one.name));
    }
    if (count == 0) continue;
    text += text.empty() ? "not looked at: " : ", ";
    text += plural(count, words.one, words.many) + " " + std::string(words.what);
    for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) {
      text += (i == 0 ? " (" : ", ") + short_name(names[i]);
    }
    if (names.size() > kMostNames) {
      text += " and " + with_separators(names.size() - kMostNames) + " more";
    }
    if (!names.empty()) text += ")";
  }
  return text;
}

std::string subject(const Finding& finding) {
  switch (info(finding.rule).group) {
    case RuleGroup::kLock:
      return finding.locks.empty() ? memory_label(finding) : finding.locks.front().name;
    case RuleGroup::kThread:
      return thread_text(finding.second);
    case RuleGroup::kSignal:
      return top_function(finding.second);
    case RuleGroup::kBarrier:
      return "barrier " + std::to_string(raw(finding.addr));
    case RuleGroup::kKernel:
      return finding.second.gpu ? short_function(finding.second.gpu->kernel)
                                : top_function(finding.second);
    case RuleGroup::kOperation:
    case RuleGroup::kRace:
    case RuleGroup::kPrediction:
      break;
  }
  return memory_label(finding);
}

std::string confirmation_text(const Confirmation& confirmation) {
  switch (confirmation.verdict) {
    case Verdict::kConfirmed:
      return "confirmed in run " + std::to_string(confirmation.run) + " of " +
             std::to_string(confirmation.runs) +
             (confirmation.weak_order
                  ? ": nothing orders the two accesses, since the atomic operations between them "
                    "are too weak to; if they were not, they would be in order"
              : confirmation.first && confirmation.first->rma
                  ? ": both were pending at the same time on the same bytes, and nothing orders "
                    "them"
                  : ": two threads were about to make the two accesses at the same time");
    case Verdict::kNotReproduced:
      return "not reproduced in " + plural(confirmation.runs, "run", "runs");
    case Verdict::kNotTried:
      break;
  }
  return "not tried: " + confirmation.why;
}

std::string headline(const Finding& finding) {
  return std::string(info(finding.rule).title) + (is_race(finding.rule) ? " on '" : ": '") +
         subject(finding) + "'";
}

std::string own_function_text(const Side& side) {
  const CodeFrame* own = own_function(side.stack);
  return own == nullptr ? top_function(side) : short_function(own->function);
}

std::string both_functions(const Finding& finding) {
  if (!finding.has_first) return "in " + own_function_text(finding.second);
  const std::string first = own_function_text(finding.first);
  const std::string second = own_function_text(finding.second);
  return first == second ? "both in " + first : first + " and " + second;
}

std::string_view severity(Rule rule) {
  if (rule == Rule::kThreadLeak) return "warning";
  return info(rule).group == RuleGroup::kPrediction ? "note" : "error";
}

}  // namespace redflag
