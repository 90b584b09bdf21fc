#include "frontends/pgas/mpi/misuse.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "frontends/pgas/track/counts.h"
#include "frontends/pgas/track/misuse.h"

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

void tell(const LibraryCall& call, const Win& win, const Target& target, Misuse what,
          MisuseLine line) {
  line.target = static_cast<std::uint32_t>(target.rank);
  line.object = "window " + std::to_string(win.number & 0xffffffffU);
  line.side.kind = static_cast<std::uint32_t>(target.kind);
  tell_misuse(call, what, std::move(line));
}

std::string hex(std::uint64_t address) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(address));
  return text.data();
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

// All but what is attached; false: something is wrong.
bool look_at_call(const LibraryCall& call, State& s, const Win& win, const Target& target) {
  const std::lock_guard guard(uses().lock);
  const Use* const use = use_of(win);
  if (use == nullptr || target.rank == MPI_PROC_NULL) return false;
  const auto ranks = static_cast<int>(use->parts.size());
  if (target.rank < 0 || target.rank >= ranks) {
    MisuseLine line;
    line.found = "The target is rank " + std::to_string(target.rank) + " of a window of " +
                 std::to_string(ranks) + (ranks == 1 ? " rank." : " ranks.");
    tell(call, win, target, Misuse::kNoSuchRank, std::move(line));
    return false;
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
  if (has_epoch && !is_beyond) return true;
  MisuseLine line;
  line.side.size = size;
  if (!use->is_dynamic) {
    line.object_size = part.size;
    line.side.begin = static_cast<std::uint64_t>(span.begin);
  }
  if (!has_epoch) {
    line.found = "No access epoch of the window is open for rank " + std::to_string(target.rank) +
                 ": no fence, start or lock opened one.";
    tell(call, win, target, Misuse::kNoEpoch, std::move(line));
    return false;
  }
  line.found = "Bytes " + std::to_string(span.begin) + " to " + std::to_string(span.end) +
               " of a window part of " + std::to_string(part.size) + " bytes.";
  tell(call, win, target, Misuse::kOutOfBounds, std::move(line));
  return false;
}

// The bytes of a dynamic window that an operation touches are attached at the target.
void look_at_attached(const LibraryCall& call, State& s, Win& win, const Target& target) {
  thread_local std::vector<Piece> pieces;
  s.types.pieces(target.type, target.count, pieces);
  for (const Piece& piece : pieces) {
    if (piece.size == 0) continue;
    const std::uint64_t begin = static_cast<std::uint64_t>(target.displacement) + piece.offset;
    const Reach reach = win.attachments->reach(target.rank, begin, begin + piece.size);
    if (reach == Reach::kUnknown) return;
    if (reach == Reach::kAttached) continue;
    MisuseLine line;
    line.side.begin = begin;
    line.side.size = piece.size;
    line.found = "Rank " + std::to_string(target.rank) + " has ";
    if (reach == Reach::kBeyond) {
      line.found += "attached memory at " + hex(begin) + ", but less than the " +
                    std::to_string(piece.size) + " bytes from there.";
    } else {
      line.found +=
          reach == Reach::kDetached ? "detached the memory at " : "never attached memory at ";
      line.found += hex(begin) + (reach == Reach::kDetached ? " before." : ".");
    }
    return tell(call, win, target,
                reach == Reach::kBeyond ? Misuse::kOutOfBounds : Misuse::kUnreachable,
                std::move(line));
  }
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

void look(const LibraryCall& call, State& s, Win& win, const Target& target) {
  count(counts().operations);
  if (look_at_call(call, s, win, target) && win.attachments != nullptr) {
    look_at_attached(call, s, win, target);
  }
}

void look_without_window(const LibraryCall& call, const Target& target) {
  int is_started = 0;
  int is_ended = 0;
  PMPI_Initialized(&is_started);
  PMPI_Finalized(&is_ended);
  MisuseLine line;
  line.side.kind = static_cast<std::uint32_t>(target.kind);
  if (is_started == 0 || is_ended != 0) {
    line.found =
        is_started == 0 ? "MPI_Init has not been called yet." : "MPI_Finalize was already called.";
    return tell_misuse(call, Misuse::kNotRunning, std::move(line));
  }
  if (state() == nullptr) return;  // started by a call that is not followed
  line.found = "The handle refers to no window: it is MPI_WIN_NULL, or its window was freed.";
  tell_misuse(call, Misuse::kBadHandle, std::move(line));
}

}  // namespace redflag::pgas::mpi
