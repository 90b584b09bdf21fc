// Windows: memory of this rank that others reach, and memory of others that this one reaches directly.
//
// Translation both ways: from (window, displacement, bytes) as operations name it to addresses of the
// owner, and from addresses of this process to their owner: a shared-memory window's segments are
// mapped by all its ranks, and belong to one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace redflag::pgas {

struct Segment {
  std::uint64_t window = 0;
  std::uint32_t owner = 0;  // rank of the job
  std::uint64_t begin = 0;  // in this process
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of begin in the owner's part of the window
};

struct Window {
  std::uint64_t number = 0;  // of the whole job
  std::string name;          // for reports
  std::uint64_t base = 0;    // of the own part
  std::uint64_t size = 0;
  std::uint64_t unit = 1;
  bool is_dynamic = false;  // displacements are addresses; what is attached is not known by size
};

class Windows {
 public:
  explicit Windows(std::uint32_t rank) : rank_(rank) {}

  void add(Window window);
  // Memory of this rank (own windows may overlap), or of another one, as it is mapped here.
  void add_segment(const Segment& segment);
  void remove_segment(std::uint64_t window, std::uint64_t begin);
  // No address leads to it any more; records that are under way still find it.
  void free(std::uint64_t number);

  const Window* find(std::uint64_t number) const;
  // The address of a byte of the own part; nothing: outside, or no such window.
  std::optional<std::uint64_t> address(std::uint64_t number, std::int64_t displacement,
                                       std::uint64_t offset, std::uint64_t size) const;
  // Another rank's segment that has this address, or the first behind it.
  const Segment* foreign_at_or_behind(std::uint64_t address) const;
  // The own window that has this address (0: none), whether one has or had it, and up to where that is so.
  struct Stretch {
    std::uint64_t object = 0;
    bool is_common = false;
    std::uint64_t end = 0;
  };
  Stretch own_at(std::uint64_t address) const;
  // Nothing of what happened to windows that were freed is left.
  void forget_freed();
  bool is_empty() const { return windows_.empty(); }  // there never was one
  std::uint64_t own_bytes() const;  // of own segments; those of several count for each
  // All that is to be watched.
  std::vector<Segment> segments() const;

 private:
  void add_own(const Segment& segment);

  std::uint32_t rank_;
  std::map<std::uint64_t, Window> windows_;
  std::vector<Segment> own_;
  std::map<std::uint64_t, std::uint64_t>
      common_;  // from, to: of those, and of such that were freed
  bool has_freed_ = false;
  std::map<std::uint64_t, Segment> foreign_;  // by begin, apart from each other
};

}  // namespace redflag::pgas
