#include "frontends/pgas/shmem/misuse.h"

#include <dlfcn.h>
#include <shmem.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "frontends/pgas/track/misuse.h"

extern "C" int pshmem_addr_accessible(const void* addr, int pe);

namespace redflag::pgas::shmem {
namespace {

struct Held {
  QuietLock lock;
  std::set<const volatile void*> locks;
};
Held& held() {
  static Held* const made = new Held;  // threads may outlive everything
  return *made;
}

// Open MPI can be told to let a PE set a lock again.
bool are_locks_recursive() {
  static const auto* const found =
      static_cast<const int*>(::dlsym(RTLD_DEFAULT, "oshmem_shmem_lock_recursive"));
  return found != nullptr && *found != 0;
}

std::string hex(const volatile void* address) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%p", const_cast<const void*>(address));
  return text.data();
}

MisuseLine line_of(AccessKind kind, int pe, std::string found) {
  MisuseLine line;
  line.side.kind = static_cast<std::uint32_t>(kind);
  line.target = static_cast<std::uint32_t>(std::max(pe, 0));
  line.found = std::move(found);
  return line;
}

void name(MisuseLine& line, const State& s, const Segment& object) {
  const Window* const window = s.job.window(object.window);
  if (window != nullptr) line.object = window->name;
  line.object_size = object.size;
}

bool is_running(const LibraryCall& call, AccessKind kind) {
  if (state() != nullptr) return true;
  tell_misuse(call, Misuse::kNotRunning,
              line_of(kind, 0,
                      has_ended() ? "shmem_finalize was already called."
                                  : "shmem_init has not been called yet."));
  return false;
}

bool is_there(const LibraryCall& call, const State& s, AccessKind kind, int pe) {
  const auto pes = static_cast<int>(s.transport.size());
  if (pe >= 0 && pe < pes) return true;
  tell_misuse(call, Misuse::kNoSuchRank,
              line_of(kind, pe,
                      "The target is PE " + std::to_string(pe) + " of a job of " +
                          std::to_string(pes) + (pes == 1 ? " PE." : " PEs.")));
  return false;
}

// Why an address is in no symmetric object; empty: the library can reach it all the same.
std::string why_unreachable(const State& s, const volatile void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  switch (s.absent(at)) {
    case Absent::kFreed:
      return "The memory at " + hex(address) + " was freed (shmem_free).";
    case Absent::kBetween:
      return "The memory at " + hex(address) +
             " is in the symmetric heap, but not in an allocation.";
    case Absent::kElsewhere:
      break;
  }
  const int self = static_cast<int>(s.transport.rank());
  if (pshmem_addr_accessible(const_cast<const void*>(address), self) != 0) return {};
  return "The memory at " + hex(address) +
         " is not symmetric: it is neither in the symmetric heap nor in a global variable of the "
         "program.";
}

}  // namespace

std::optional<Place> target_of(const LibraryCall& call, const Operation& operation) {
  if (!is_running(call, operation.kind)) return {};
  State& s = *state();
  if (operation.context != nullptr) look_at_context(call, operation.context);
  if (!is_there(call, s, operation.kind, operation.pe)) return {};
  if (operation.count == 0) return {};
  const Segment* const object = s.object_at(operation.remote);
  const auto last = static_cast<std::int64_t>((operation.count - 1) * operation.element) *
                    operation.remote_stride;
  const std::int64_t lowest = std::min<std::int64_t>(last, 0);
  const auto size =
      static_cast<std::uint64_t>(std::max<std::int64_t>(last, 0) - lowest) + operation.element;
  if (object == nullptr) {
    std::string why = why_unreachable(s, operation.remote);
    if (why.empty()) return {};
    MisuseLine line = line_of(operation.kind, operation.pe, std::move(why));
    line.side.begin = reinterpret_cast<std::uint64_t>(operation.remote);
    line.side.size = size;
    tell_misuse(call, Misuse::kUnreachable, std::move(line));
    return {};
  }
  const auto offset =
      static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(operation.remote) - object->begin);
  const std::int64_t begin = offset + lowest;
  const std::int64_t end = begin + static_cast<std::int64_t>(size);
  const Place place{object->window, static_cast<std::uint64_t>(offset)};
  if (begin >= 0 && end <= static_cast<std::int64_t>(object->size)) return place;
  MisuseLine line = line_of(operation.kind, operation.pe,
                            "Bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                                " of an object of " + std::to_string(object->size) + " bytes.");
  name(line, s, *object);
  line.side.begin = static_cast<std::uint64_t>(begin);
  line.side.size = size;
  tell_misuse(call, Misuse::kOutOfBounds, std::move(line));
  return place;
}

void look_at_context(const LibraryCall& call, Context context) {
  State* const s = state();
  if (s == nullptr || context == nullptr || s->has_context(context)) return;
  tell_misuse(call, Misuse::kBadHandle,
              line_of(AccessKind::kPut, static_cast<int>(s->transport.rank()),
                      "The context was destroyed or never created."));
}

void look_at_object(const LibraryCall& call, const volatile void* address) {
  if (!is_running(call, AccessKind::kLoad)) return;
  const State& s = *state();
  if (s.object_at(const_cast<const void*>(address)) != nullptr) return;
  std::string why = why_unreachable(s, address);
  if (why.empty()) return;
  tell_misuse(call, Misuse::kUnreachable,
              line_of(AccessKind::kLoad, static_cast<int>(s.transport.rank()), std::move(why)));
}

bool is_right(const LibraryCall& call, const ActiveSet& set, int root) {
  if (!is_running(call, AccessKind::kLoad)) return false;
  const State& s = *state();
  if (s.is_all(set) && root >= 0 && root < std::get<2>(set)) return true;
  const auto [first, log_stride, size] = set;
  const auto self = static_cast<std::int64_t>(s.transport.rank());
  const auto pes = static_cast<std::int64_t>(s.transport.size());
  constexpr int kMostShift = 31;
  const bool is_sound = first >= 0 && size > 0 && log_stride >= 0 && log_stride < kMostShift;
  const std::int64_t step = is_sound ? std::int64_t{1} << log_stride : 1;
  const std::int64_t last = first + (size - 1) * step;
  std::string found;
  if (!is_sound || last >= pes) {
    found = "The active set contains PEs that do not exist: it starts at PE " +
            std::to_string(first) + " and has " + std::to_string(size) + ", of a job of " +
            std::to_string(pes) + ".";
  } else if (self < first || self > last || (self - first) % step != 0) {
    found = "PE " + std::to_string(self) + " calls the collective, but is not in the active set.";
  } else if (root < 0 || root >= size) {
    found = "The root is PE number " + std::to_string(root) + " of an active set of " +
            std::to_string(size) + ".";
  } else {
    return true;
  }
  tell_misuse(call, Misuse::kNoSuchRank,
              line_of(AccessKind::kLoad, static_cast<int>(self), std::move(found)));
  return false;
}

void look_before_set(const LibraryCall& call, const volatile void* lock) {
  look_at_object(call, lock);
  {
    Held& all = held();
    const std::lock_guard guard(all.lock);
    if (!all.locks.contains(lock) || are_locks_recursive()) return;
  }
  tell_misuse(call, Misuse::kDoubleLock,
              line_of(AccessKind::kAccumulate, static_cast<int>(rank_by_launcher()),
                      "This PE holds the lock at " + hex(lock) + " already."));
}

void lock_taken(const volatile void* lock) {
  Held& all = held();
  const std::lock_guard guard(all.lock);
  all.locks.insert(lock);
}

void look_before_clear(const LibraryCall& call, const volatile void* lock) {
  look_at_object(call, lock);
  {
    Held& all = held();
    const std::lock_guard guard(all.lock);
    if (all.locks.erase(lock) != 0 || are_locks_recursive()) return;
  }
  tell_misuse(call, Misuse::kUnlockUnlocked,
              line_of(AccessKind::kAccumulate, static_cast<int>(rank_by_launcher()),
                      "This PE does not hold the lock at " + hex(lock) + "."));
}

void look_before_free(const LibraryCall& call, const void* p) {
  if (!is_running(call, AccessKind::kStore) || p == nullptr) return;
  const State& s = *state();
  const Segment* const object = s.object_at(p);
  if (object != nullptr && object->begin == reinterpret_cast<std::uint64_t>(p)) return;
  std::string why = object != nullptr
                        ? "The address " + hex(p) + " is not the beginning of an allocation."
                        : why_unreachable(s, p);
  if (why.empty()) return;
  tell_misuse(call, Misuse::kUnreachable,
              line_of(AccessKind::kStore, static_cast<int>(s.transport.rank()), std::move(why)));
}

}  // namespace redflag::pgas::shmem
