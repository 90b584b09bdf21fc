// Names of one function: what a name means at a place, with nested scopes.
//
// One hash table of all names; each has a chain of meanings, innermost scope first. Closing a scope
// takes its meanings off, so a lookup is one probe however deep the scopes are nested. A register
// range (%r<100>) is a meaning of its prefix; its members get a meaning, and a number, at their first
// use, which makes registers dense and costs nothing for those that are declared in vain.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/cuda/ptx/type.h"

namespace redflag::ptx {

enum class NameKind : std::uint8_t { kNone, kRegister, kVariable, kRange };

struct Meaning {
  NameKind kind = NameKind::kNone;
  std::uint8_t vector = 1;  // of a range
  Type type = Type::kNone;  // of a range
  std::uint32_t index = 0;  // register or variable
  std::uint64_t count = 0;  // of a range
  std::uint32_t depth = 0;
  std::uint32_t outer = 0;  // the meaning that this one hides, + 1
};

class Names {
 public:
  Names();
  void clear();
  void open();
  void close();
  std::uint32_t depth() const { return depth_; }

  // False: the name has a meaning in this very scope already.
  bool declare(std::string_view name, const Meaning& meaning);
  // The meaning of a whole name, or nullptr. A member of a range that was never used has none yet.
  const Meaning* find(std::string_view name);
  // The range that `name` is a member of, or nullptr.
  const Meaning* find_range(std::string_view name);
  // Gives a member of a range its own meaning, in the scope of the range.
  void declare_member(std::string_view name, const Meaning& range, std::uint32_t reg);

 private:
  struct Entry {
    std::string_view name;
    std::uint64_t hash = 0;
    bool range = false;
    std::uint32_t top = 0;  // meaning + 1; 0: none now
  };

  Entry& entry(std::string_view name, bool range);
  const Meaning* top(std::string_view name, bool range);
  void grow();
  void push(std::uint32_t entry, const Meaning& meaning);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> table_;  // entry + 1; a power of two
  std::vector<Meaning> meanings_;
  std::vector<std::vector<std::uint32_t>> log_;  // per depth: entries to take off
  std::uint32_t depth_ = 0;
  std::uint32_t deepest_range_ = 0;  // no scope below this one declares ranges
};

}  // namespace redflag::ptx
