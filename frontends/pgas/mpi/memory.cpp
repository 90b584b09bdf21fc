#include "frontends/pgas/mpi/memory.h"

#include <array>
#include <cstring>
#include <map>
#include <span>

#include "frontends/pgas/exchange/shared_atomics.h"
#include "frontends/pgas/mpi/misuse.h"

namespace redflag::pgas::mpi {
namespace {

// The window's, not the program's wish: what the library made of it.
bool allows_any_operation(MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int is_set = 0;
  PMPI_Info_get(info, "accumulate_ops", MPI_MAX_INFO_VAL, value.data(), &is_set);
  if (is_set == 0) return false;
  return std::strcmp(value.data(), "same_op") != 0 &&
         std::strcmp(value.data(), "same_op_no_op") != 0;
}

int attribute(MPI_Win win, int key) {
  int* value = nullptr;
  int is_set = 0;
  PMPI_Win_get_attr(win, key, static_cast<void*>(&value), &is_set);
  return is_set == 0 ? 0 : *value;
}

// Of a shared-memory window: the other ranks' parts, as they are mapped here.
std::vector<Segment> others(const Win& win, MPI_Win handle) {
  std::vector<Segment> made;
  int self = 0;
  PMPI_Comm_rank(win.comm.shadow, &self);
  for (std::size_t r = 0; r < win.comm.ranks.size(); ++r) {
    if (r == static_cast<std::size_t>(self)) continue;
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    PMPI_Win_shared_query(handle, static_cast<int>(r), &size, &unit, static_cast<void*>(&base));
    if (size == 0) continue;
    made.push_back({win.number, win.comm.ranks[r], reinterpret_cast<std::uint64_t>(base),
                    static_cast<std::uint64_t>(size), 0});
  }
  return made;
}

// Where all ranks have their parts, for those who compare memory while the job runs.
void tell_holder(const Win& win, const Window& window, std::span<const Segment> shared) {
  hold::Holder* const holding = hold::holder();
  if (holding == nullptr) return;
  const hold::Part mine{holding->board().process(), window.base, window.unit};
  std::vector<hold::Part> all(win.comm.ranks.size());
  PMPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE,
                 win.comm.shadow);
  std::map<std::uint32_t, hold::Part> parts;
  for (std::size_t i = 0; i < all.size(); ++i) parts[win.comm.ranks[i]] = all[i];
  for (const Segment& each : shared) holding->mapped(each.begin, each.size, parts[each.owner]);
  holding->window_made(win.number, std::move(parts));
}

}  // namespace

void window_made(const LibraryCall& call, MPI_Win handle, MPI_Comm comm, void* base, MPI_Aint size,
                 int unit, MPI_Info info) {
  State* const s = state();
  if (s == nullptr) return;
  Win& win = s->win_made(handle, comm);
  Window window;
  window.number = win.number;
  window.name = "window " + std::to_string(win.number & 0xffffffffU);
  window.base = reinterpret_cast<std::uint64_t>(base);
  window.size = static_cast<std::uint64_t>(size);
  window.unit = static_cast<std::uint64_t>(unit);
  const int flavour = attribute(handle, MPI_WIN_CREATE_FLAVOR);
  window.is_dynamic = flavour == MPI_WIN_FLAVOR_DYNAMIC;
  win.any_operation = allows_any_operation(info);
  if (window.is_dynamic) win.attachments = std::make_unique<Attachments>(win.comm.shadow);
  const std::vector<Segment> shared =
      flavour == MPI_WIN_FLAVOR_SHARED ? others(win, handle) : std::vector<Segment>();
  tell_holder(win, window, shared);
  parts_told(win, window.size, window.unit, window.is_dynamic);
  if (flavour == MPI_WIN_FLAVOR_SHARED) {
    win.clocks = std::make_shared<SharedClocks>(win.comm.shadow, s->transport.size());
    share(s->job, {win.number, s->transport.rank(), window.base, window.size, 0}, win.clocks);
    for (const Segment& each : shared) share(s->job, each, win.clocks);
  }
  s->job.window_made(call, std::move(window), shared);
  // All ranks have come this far: nobody uses the window before all have it.
  ordered(call, *s, win.comm, [] { return MPI_SUCCESS; });
}

void before_free(const LibraryCall& call, MPI_Win handle) {
  State* const s = state();
  const Win& win = *s->win(handle);
  if (hold::Holder* const holding = hold::holder()) {
    holding->complete(Completes::kRemotely, win.number, {});
    holding->window_freed(win.number);
  }
  s->job.complete(call, Completes::kRemotely, win.number, {});
  ordered(call, *s, win.comm, [] { return MPI_SUCCESS; });
  parts_forgotten(win);
  unshare(win.number);
  s->job.window_freed(call, win.number);
  s->win_freed(handle);
}

void attached(const LibraryCall& call, MPI_Win handle, void* base, MPI_Aint size) {
  State* const s = state();
  Win* const win = s == nullptr ? nullptr : s->win(handle);
  if (win == nullptr || size == 0) return;
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  const auto bytes = static_cast<std::uint64_t>(size);
  if (win->attachments != nullptr) win->attachments->attach(begin, bytes);
  s->job.attached(call, {win->number, s->transport.rank(), begin, bytes, 0});
}

void detached(const LibraryCall& call, MPI_Win handle, const void* base) {
  State* const s = state();
  Win* const win = s == nullptr ? nullptr : s->win(handle);
  if (win == nullptr) return;
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  if (win->attachments != nullptr) win->attachments->detach(begin);
  s->job.detached(call, win->number, begin);
}

}  // namespace redflag::pgas::mpi
