#include "frontends/cuda/ptx/scope.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace redflag::ptx {
namespace {

constexpr std::size_t kFirstTable = 1024;

std::uint64_t hash_of(std::string_view name, bool range) {
  return std::hash<std::string_view>{}(name) + (range ? 0x9e3779b97f4a7c15U : 0);
}

}  // namespace

Names::Names() : table_(kFirstTable), log_(1) {}

void Names::clear() {
  entries_.clear();
  meanings_.clear();
  table_.assign(kFirstTable, 0);  // small again: many functions are
  log_.assign(1, {});
  depth_ = 0;
  deepest_range_ = 0;
}

void Names::open() {
  ++depth_;
  if (log_.size() <= depth_) log_.emplace_back();
}

void Names::close() {
  for (const std::uint32_t each : log_[depth_]) {
    entries_[each].top = meanings_[entries_[each].top - 1].outer;
  }
  log_[depth_].clear();
  --depth_;
  deepest_range_ = std::min(deepest_range_, depth_);
}

void Names::grow() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t at = entries_[i].hash & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

const Meaning* Names::top(std::string_view name, bool range) {
  const std::uint64_t hash = hash_of(name, range);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask; table_[at] != 0; at = (at + 1) & mask) {
    const Entry& e = entries_[table_[at] - 1];
    if (e.hash == hash && e.range == range && e.name == name) {
      return e.top == 0 ? nullptr : &meanings_[e.top - 1];
    }
  }
  return nullptr;
}

Names::Entry& Names::entry(std::string_view name, bool range) {
  if (entries_.size() * 2 >= table_.size()) grow();
  const std::uint64_t hash = hash_of(name, range);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    Entry& e = entries_[table_[at] - 1];
    if (e.hash == hash && e.range == range && e.name == name) return e;
  }
  entries_.push_back({name, hash, range, 0});
  table_[at] = static_cast<std::uint32_t>(entries_.size());
  return entries_.back();
}

void Names::push(std::uint32_t entry, const Meaning& meaning) {
  Meaning made = meaning;
  made.outer = entries_[entry].top;
  meanings_.push_back(made);
  entries_[entry].top = static_cast<std::uint32_t>(meanings_.size());
  log_[made.depth].push_back(entry);
}

bool Names::declare(std::string_view name, const Meaning& meaning) {
  const bool range = meaning.kind == NameKind::kRange;
  Entry& e = entry(name, range);
  if (e.top != 0 && meanings_[e.top - 1].depth == depth_) return false;
  Meaning made = meaning;
  made.depth = depth_;
  push(static_cast<std::uint32_t>(&e - entries_.data()), made);
  if (range) deepest_range_ = std::max(deepest_range_, depth_);
  return true;
}

const Meaning* Names::find(std::string_view name) {
  const Meaning* found = top(name, false);
  if (found == nullptr || found->depth >= deepest_range_) return found;
  // A range of an inner scope may hide it.
  const Meaning* range = find_range(name);
  return range != nullptr && range->depth > found->depth ? nullptr : found;
}

const Meaning* Names::find_range(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  // %r<10> has %r0 to %r9; %r01 is no member. A prefix may end in digits itself: %p1<4> has %p12.
  for (std::size_t at = digits; at < name.size(); ++at) {
    if (name[at] == '0' && at + 1 < name.size()) continue;
    const Meaning* range = top(name.substr(0, at), true);
    std::uint64_t number = 0;
    const auto [rest, fault] = std::from_chars(name.data() + at, name.data() + name.size(), number);
    if (range != nullptr && fault == std::errc{} && number < range->count) return range;
    if (name.size() - at > 32) break;  // no number has as many digits
  }
  return nullptr;
}

void Names::declare_member(std::string_view name, const Meaning& range, std::uint32_t reg) {
  Meaning member;
  member.kind = NameKind::kRegister;
  member.index = reg;
  member.depth = range.depth;
  Entry& e = entry(name, false);
  push(static_cast<std::uint32_t>(&e - entries_.data()), member);
}

}  // namespace redflag::ptx
