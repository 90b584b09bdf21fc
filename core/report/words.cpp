#include "core/report/words.h"

#include <cstdio>
#include <limits>

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
    case RegionKind::kUnknown:
      break;
  }
  return "memory";
}

}  // namespace

std::string memory_label(const Finding& finding) {
  if (finding.memory.size == 0) return hex(raw(finding.addr));
  if (!finding.memory.name.empty()) return finding.memory.name + offset_text(finding);
  return std::string(region_noun(finding.memory.kind)) + offset_text(finding);
}

std::string memory_text(const Finding& finding) {
  std::string text;
  const Region& memory = finding.memory;
  if (finding.size > 0) text = bytes(finding.size) + " at ";
  text += hex(raw(finding.addr));
  if (memory.size == 0) return text;
  const std::uint64_t offset = finding.addr - memory.addr;
  if (offset > 0 && offset < memory.size) text += ", offset " + with_separators(offset);
  text += ", in a " + std::string(region_noun(memory.kind)) + " of " + bytes(memory.size);
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

std::string thread_text(const Side& side) {
  std::string number = "T" + std::to_string(raw(side.access.thread));
  if (side.thread_name.empty() || side.thread_name == number) return number;
  return number + " (" + side.thread_name + ")";
}

std::string lock_text(const HeldLock& lock) {
  return lock.shared ? lock.name + " (shared)" : lock.name;
}

std::string locks_text(const Side& side) {
  if (side.locks.empty()) return "none";
  std::string text;
  for (const HeldLock& lock : side.locks) text += (text.empty() ? "" : ", ") + lock_text(lock);
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
  return frame->function.empty() ? place_text(*frame) : frame->function;
}

std::string headline(const Finding& finding) {
  return std::string(info(finding.rule).title) + " on '" + memory_label(finding) + "'";
}

std::string both_functions(const Finding& finding) {
  const std::string first = top_function(finding.first);
  const std::string second = top_function(finding.second);
  return first == second ? "both in " + first : first + " and " + second;
}

std::string_view severity(Rule rule) {
  return rule == Rule::kLockset ? "note" : "error";
}

}  // namespace redflag
