// Sources: places in the program as numbers that mean the same on all ranks.
//
// A rank numbers its places as they come; with its own rank in the upper bits the number is one of the
// whole job. A place is told to another rank the first time that a record with it goes there: the
// files and the offsets in them, since ranks do not have their code at the same addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/pgas/track/bytes.h"
#include "frontends/pgas/track/runtime.h"

namespace redflag::pgas {

struct CodePlace {
  std::string file;
  std::uint64_t offset = 0;
  bool is_entry = false;  // the first byte of a library's function; else a return address

  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};
using CodeStack = std::vector<CodePlace>;  // innermost first

using SourceNumber = std::uint64_t;  // rank in the upper half; 0: unknown

class Sources {
 public:
  Sources(std::uint32_t rank, const abi::WatchTable* runtime) : rank_(rank), runtime_(runtime) {}

  // A stack of the runtime's.
  SourceNumber of_context(std::uint32_t context);
  // Without the runtime: the caller alone, and the library's function it calls.
  SourceNumber of_call(const void* function, const void* caller);

  // Tells of the place; false: that rank knows it.
  bool tell(std::uint32_t rank, SourceNumber source, Bytes& to);
  // What tell() wrote. False: no such thing.
  bool learn(Reader& from);

  const CodeStack& stack(SourceNumber source) const;

 private:
  SourceNumber number(CodeStack stack);
  CodePlace place(std::uint64_t pc) const;

  std::uint32_t rank_;
  const abi::WatchTable* runtime_;
  std::unordered_map<std::uint32_t, SourceNumber> by_context_;
  std::array<std::pair<std::uint32_t, SourceNumber>, 64> recent_contexts_{};
  std::map<std::pair<const void*, const void*>, SourceNumber> by_call_;
  // The calls of late, by caller: most programs have few.
  struct Recent {
    const void* function = nullptr;
    const void* caller = nullptr;
    SourceNumber source = 0;
  };
  std::array<Recent, 64> recent_{};
  std::vector<CodeStack> own_;
  std::map<SourceNumber, CodeStack> others_;
  std::set<std::pair<std::uint32_t, SourceNumber>> told_;
};

}  // namespace redflag::pgas
