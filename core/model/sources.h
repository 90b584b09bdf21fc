// Names for the numbers in events: where in the source, which thread, which lock, whose memory.
//
// A SourceId is a node of a calling-context tree: its frame, and its caller's node. So an event
// needs four bytes to carry a whole stack, and equal stacks are stored once. Names are optional
// everywhere: a trace without any is legal, and reports then show numbers.
//
// Filled by trace readers and frontends (one thread), read by explain/ and report/ afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace redflag {

struct Frame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
  std::uint32_t column = 0;

  friend bool operator==(const Frame&, const Frame&) = default;
};

enum class RegionKind : std::uint8_t {
  kUnknown,
  kGlobal,
  kHeap,
  kStack,
  kThreadLocal,
  kShared,  // by processes
  kDevice,  // of a GPU
  kWindow,  // of a one-sided program
};
inline constexpr int kRegionKindCount = 8;

// A named piece of the program's memory: a variable, a heap block.
struct Region {
  Addr addr{0};
  std::uint64_t size = 0;
  RegionKind kind = RegionKind::kUnknown;
  std::string name;             // variable or type; may be empty for heap blocks
  SourceId source = kNoSource;  // where it was allocated or declared

  friend bool operator==(const Region&, const Region&) = default;
};

class Sources {
 public:
  struct Node {
    Frame frame;
    SourceId caller = kNoSource;
    friend bool operator==(const Node&, const Node&) = default;
  };

  // Defines a node; a second definition of the same id replaces the first. A caller must have a
  // smaller id and have been defined before, which keeps the tree free of cycles; returns false
  // (and changes nothing) otherwise, or when the id is 0.
  bool define(SourceId id, Frame frame, SourceId caller = kNoSource);
  void name_thread(ThreadId thread, std::string name);
  void name_lock(LockId lock, std::string name);
  void add_region(Region region);  // a later region replaces an earlier one at the same address

  const Node* node(SourceId id) const;             // nullptr: unknown
  std::vector<Frame> stack(SourceId id) const;     // innermost first; empty: unknown
  const Region* region_of(Addr addr) const;        // nullptr: unnamed
  std::string thread_name(ThreadId thread) const;  // empty: unnamed
  std::string lock_name(LockId lock) const;        // empty: unnamed

  // In ascending order of id or address, for writers.
  const std::map<SourceId, Node>& nodes() const { return nodes_; }
  const std::map<ThreadId, std::string>& threads() const { return threads_; }
  const std::map<LockId, std::string>& locks() const { return locks_; }
  const std::map<Addr, Region>& regions() const { return regions_; }

 private:
  std::map<SourceId, Node> nodes_;
  std::map<ThreadId, std::string> threads_;
  std::map<LockId, std::string> locks_;
  std::map<Addr, Region> regions_;
};

}  // namespace redflag
