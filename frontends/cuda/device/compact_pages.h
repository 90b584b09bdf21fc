// compact on the host: which lines the pages of the program's memory have.
//
// Each page of 2 MiB in which the program has memory has 512 KiB of lines, 25% of it, as long as there
// is room. When there is none, pages share lines, as locations share the entries of ScoRD's metadata
// cache (Kamath et al., ISCA 2020, section IV-B): direct mapped, 2 to 16 pages for each line, 12.5% to
// 1.6%, and a tag of 1 to 4 bits that says whose it is. What a line says of one page is forgotten when
// another is accessed at the same place: races are missed, none is invented. The tag is the first bits
// of the launch's number in an owner (core/detect/gpu/compact/line.h), so that fewer launches fit
// before lines have to be cleared.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontends/cuda/device/compact_state.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device::compact {

inline constexpr unsigned kMostTagBits = 4;

class CompactPages {
 public:
  explicit CompactPages(DeviceMemory& memory) : memory_(memory) {}
  ~CompactPages();
  CompactPages(const CompactPages&) = delete;
  CompactPages& operator=(const CompactPages&) = delete;

  // Where State is, and its table of regions. Before anything else.
  void begin(std::uint64_t state, std::uint64_t regions);
  void use(std::uint64_t page);    // the program has memory there; counted
  void leave(std::uint64_t page);  //
  void clear();                    // all lines

  // Some pages have no lines; share() gives them some, when nothing runs, and forgets everything.
  bool are_missing() const { return missing_ != 0 && !is_last_resort_; }
  void share();

  // Lines of the page alone; 0: it has none, or shares them.
  std::uint64_t lines_of(std::uint64_t page) const;
  unsigned tag_bits() const { return tag_bits_; }
  std::uint64_t bytes() const { return made_ * kSpareBytes; }
  std::uint64_t missing() const { return missing_; }  // pages without lines
  // Slots of tables that point to [from, end) are emptied.
  void forget(std::uint64_t from, std::uint64_t end);

 private:
  struct Page {
    std::uint64_t lines = 0;  // with its tag; 0: none
    std::uint32_t users = 0;
  };

  std::uint64_t slot_of(std::uint64_t page);  // address of what points to its lines; 0: none
  void point(std::uint64_t slot, std::uint64_t to);
  std::uint64_t lines_for();  // for one more page; 0: no room
  void give_back(std::uint64_t lines);

  DeviceMemory& memory_;
  std::uint64_t state_ = 0, regions_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> tables_;  // by region
  std::map<std::uint64_t, Page> pages_;                      // by first address
  unsigned tag_bits_ = 0;                                    // 0: no page shares lines
  bool is_last_resort_ = false;                              // there is no way to make more room
  std::uint64_t made_ = 0;                                   // times kSpareBytes
  std::uint64_t missing_ = 0;
  std::vector<std::uint64_t> shared_;  // allocations of lines that pages share
  std::vector<std::uint64_t> free_;    // lines with tags that no page has
};

}  // namespace redflag::device::compact
