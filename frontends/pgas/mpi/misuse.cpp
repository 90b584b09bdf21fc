#include "frontends/pgas/mpi/misuse.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "frontends/pgas/track/counts.h"
#include "frontends/pgas/track/layer.h"
#include "frontends/pgas/track/sources.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas::mpi {
namespace {

struct Part {
  std::uint64_t size = 0;
  std::uint64_t unit = 1;
};

struct Use {
  bool is_fenced = false;
  bool is_all_locked = false;
  std::set<int> locked;
  bool is_dynamic = false;
  std::vector<Part> parts;  // by rank in the window
};

// Threads of a rank use windows at the same time.
struct Uses {
  CallLock lock;
  std::map<std::uint64_t, Use> by_window;
  std::set<std::pair<SourceNumber, Misuse>> told;
};
Uses& uses() {
  static Uses* const made = new Uses;  // threads may outlive everything
  return *made;
}

// Of `count` elements: the bytes from the lowest to the highest, in relation to the displacement.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
Span span_of(const TypeMap& type, int count) {
  Span span;
  if (count <= 0 || type.pieces.empty()) return span;
  span.begin = std::numeric_limits<std::int64_t>::max();
  span.end = std::numeric_limits<std::int64_t>::min();
  const std::int64_t last = type.extent * (count - 1);
  for (const Piece& piece : type.pieces) {
    const auto begin = static_cast<std::int64_t>(piece.offset);
    const auto size = static_cast<std::int64_t>(piece.size);
    span.begin = std::min({span.begin, begin, begin + last});
    span.end = std::max({span.end, begin + size, begin + size + last});
  }
  return span;
}

bool is_open(const Use& use, const Win& win, int target) {
  return use.is_fenced || use.is_all_locked || use.locked.contains(target) ||
         std::find(win.started.begin(), win.started.end(), target) != win.started.end();
}

std::vector<LineFrame> frames_of(const CodeStack& stack) {
  std::vector<LineFrame> frames;
  for (const CodePlace& each : stack) frames.push_back({each.file, each.offset, each.is_entry});
  return frames;
}

void tell(const LibraryCall& call, const State& s, const Win& win, const Target& target,
          Misuse what, MisuseLine line) {
  static Sources* const places = new Sources(s.transport.rank(), runtime());
  const SourceNumber place = call.thread != nullptr
                                 ? places->of_context(runtime()->where(call.thread))
                                 : places->of_call(call.function, call.caller);
  if (!uses().told.emplace(place, what).second) return;
  line.misuse = static_cast<std::uint32_t>(what);
  line.target = static_cast<std::uint32_t>(target.rank);
  line.object = "window " + std::to_string(win.number & 0xffffffffU);
  line.side.kind = static_cast<std::uint32_t>(target.kind);
  line.side.rank = s.transport.rank();
  line.side.stack = frames_of(places->stack(place));
  report(write_line(line));
}

Use* use_of(const Win& win) {
  const auto at = uses().by_window.find(win.number);
  return at == uses().by_window.end() ? nullptr : &at->second;
}

template <typename Change>
void change(const Win& win, Change with) {
  const std::lock_guard guard(uses().lock);
  if (Use* const use = use_of(win)) with(*use);
}

}  // namespace

void fence_passed(const Win& win, int assertion) {
  change(win, [&](Use& use) { use.is_fenced = (assertion & MPI_MODE_NOSUCCEED) == 0; });
}
void target_locked(const Win& win, int target) {
  change(win, [&](Use& use) { use.locked.insert(target); });
}
void target_unlocked(const Win& win, int target) {
  change(win, [&](Use& use) { use.locked.erase(target); });
}
void all_locked(const Win& win) {
  change(win, [](Use& use) { use.is_all_locked = true; });
}
void all_unlocked(const Win& win) {
  change(win, [](Use& use) { use.is_all_locked = false; });
}

void parts_told(const Win& win, std::uint64_t size, std::uint64_t unit, bool is_dynamic) {
  const Part mine{size, unit};
  Use use;
  use.is_dynamic = is_dynamic;
  use.parts.resize(win.comm.ranks.size());
  PMPI_Allgather(&mine, sizeof(Part), MPI_BYTE, use.parts.data(), sizeof(Part), MPI_BYTE,
                 win.comm.shadow);
  const std::lock_guard guard(uses().lock);
  uses().by_window[win.number] = std::move(use);
}

void parts_forgotten(const Win& win) {
  const std::lock_guard guard(uses().lock);
  uses().by_window.erase(win.number);
}

std::optional<Displacements> within(State& s, const Win& win, const Target& target) {
  const std::lock_guard guard(uses().lock);
  const Use* const use = use_of(win);
  if (use == nullptr || use->is_dynamic || !is_open(*use, win, target.rank)) return {};
  const Part& part = use->parts[static_cast<std::size_t>(target.rank)];
  const Span span = span_of(s.types.of(target.type), target.count);
  const auto unit = static_cast<std::int64_t>(part.unit);
  const std::int64_t room = static_cast<std::int64_t>(part.size) - span.end;
  if (unit <= 0 || span.begin < 0 || room < 0) return {};
  return Displacements{0, room / unit};
}

void look(const LibraryCall& call, State& s, const Win& win, const Target& target) {
  count(counts().operations);
  const std::lock_guard guard(uses().lock);
  const Use* const use = use_of(win);
  if (use == nullptr || target.rank == MPI_PROC_NULL) return;
  const auto ranks = static_cast<int>(use->parts.size());
  if (target.rank < 0 || target.rank >= ranks) {
    MisuseLine line;
    line.found = "The target is rank " + std::to_string(target.rank) + " of a window of " +
                 std::to_string(ranks) + (ranks == 1 ? " rank." : " ranks.");
    return tell(call, s, win, target, Misuse::kNoSuchRank, std::move(line));
  }
  const std::uint32_t of_job = win.comm.ranks[static_cast<std::size_t>(target.rank)];
  if (of_job != s.transport.rank()) count(counts().remote);
  const Part& part = use->parts[static_cast<std::size_t>(target.rank)];
  Span span = span_of(s.types.of(target.type), target.count);
  const auto size = static_cast<std::uint64_t>(span.end - span.begin);
  if (!use->is_dynamic) {
    const std::int64_t at = target.displacement * static_cast<std::int64_t>(part.unit);
    span.begin += at;
    span.end += at;
  }
  const bool is_beyond = !use->is_dynamic && size != 0 &&
                         (span.begin < 0 || span.end > static_cast<std::int64_t>(part.size));
  const bool has_epoch = is_open(*use, win, target.rank);
  if (has_epoch && !is_beyond) return;
  MisuseLine line;
  line.side.size = size;
  if (!use->is_dynamic) {
    line.object_size = part.size;
    line.side.begin = static_cast<std::uint64_t>(span.begin);
  }
  if (!has_epoch) {
    line.found = "No epoch of the window is open towards rank " + std::to_string(target.rank) +
                 ": neither a fence, nor a start, nor a lock came before.";
    return tell(call, s, win, target, Misuse::kNoEpoch, std::move(line));
  }
  line.found = "Bytes " + std::to_string(span.begin) + " to " + std::to_string(span.end) +
               " of a part of " + std::to_string(part.size) + " bytes.";
  tell(call, s, win, target, Misuse::kOutOfBounds, std::move(line));
}

}  // namespace redflag::pgas::mpi
