#include "frontends/pgas/exchange/append_window.h"

#include <atomic>
#include <cstring>

#include "core/detect/pgas/knowledge.h"
#include "frontends/pgas/exchange/near_window.h"

namespace redflag::pgas::mpi {
namespace {

// In front of what was appended. The mark is put last.
struct Head {
  std::uint64_t mark;  // 0: not whole yet
  std::uint32_t from;
  std::uint32_t size;  // of the bytes
};
constexpr std::size_t kStep = sizeof(Head);  // entries begin at multiples of it
static_assert(kStep == 16 && AppendWindow::kRing % kStep == 0);

constexpr std::uint64_t kWhole = 1;
constexpr std::uint64_t kSkipped = 2;  // to the end of the ring
constexpr int kTries = 8;              // against others that append, or write their board

// Entries of knowledge: of each rank, of fences towards each, those that it is not good for; and threads.
constexpr std::size_t kEntriesPerRank = 3;
constexpr std::size_t kMoreEntries = 256;

constexpr std::size_t rounded(std::size_t size) {
  return (size + kStep - 1) / kStep * kStep;
}

}  // namespace

AppendWindow::AppendWindow(MPI_Comm comm) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  rank_ = static_cast<std::uint32_t>(rank);
  room_ =
      (static_cast<std::size_t>(ranks) * kEntriesPerRank + kMoreEntries) * sizeof(Knowledge::Known);
  own_ = static_cast<Area*>(make_window(comm, sizeof(Area) + room_, &window_));
  board_ = reinterpret_cast<std::byte*>(own_ + 1);
  PMPI_Win_lock_all(0, window_);
}

void AppendWindow::close() {
  PMPI_Win_unlock_all(window_);
  PMPI_Win_free(&window_);
}

void AppendWindow::get(std::uint32_t from, std::size_t at, void* to, std::size_t size) {
  const auto rank = static_cast<int>(from);
  PMPI_Get(to, static_cast<int>(size), MPI_BYTE, rank, static_cast<MPI_Aint>(at),
           static_cast<int>(size), MPI_BYTE, window_);
  PMPI_Win_flush(rank, window_);
}

void AppendWindow::put(std::uint32_t to, std::size_t at, const void* from, std::size_t size) {
  PMPI_Put(from, static_cast<int>(size), MPI_BYTE, static_cast<int>(to), static_cast<MPI_Aint>(at),
           static_cast<int>(size), MPI_BYTE, window_);
}

// A place that would go beyond the end of the ring begins at its beginning, behind a mark that says so.
std::optional<std::uint64_t> AppendWindow::reserve(std::uint32_t to, std::size_t size) {
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t words[2];  // reserved, taken
    get(to, offsetof(Area, reserved), words, sizeof(words));
    const std::uint64_t left = kRing - words[0] % kRing;
    const std::uint64_t skipped = left < size ? left : 0;
    const std::uint64_t after = words[0] + skipped + size;
    if (after - words[1] > kRing) return {};
    std::uint64_t before = 0;
    PMPI_Compare_and_swap(&after, &words[0], &before, MPI_UINT64_T, static_cast<int>(to),
                          static_cast<MPI_Aint>(offsetof(Area, reserved)), window_);
    PMPI_Win_flush(static_cast<int>(to), window_);
    if (before != words[0]) continue;
    if (skipped != 0) {
      put(to, offsetof(Area, ring) + before % kRing, &kSkipped, sizeof(kSkipped));
      PMPI_Win_flush(static_cast<int>(to), window_);
    }
    return (before + skipped) % kRing;
  }
  return {};
}

bool AppendWindow::append(std::uint32_t to, std::span<const std::byte> bytes) {
  const std::optional<std::uint64_t> at = reserve(to, rounded(sizeof(Head) + bytes.size()));
  if (!at) return false;
  const Head head{kWhole, rank_, static_cast<std::uint32_t>(bytes.size())};
  sent_.clear();
  Writer(sent_).put(head);
  sent_.insert(sent_.end(), bytes.begin(), bytes.end());
  const std::size_t place = offsetof(Area, ring) + *at;
  constexpr std::size_t kMark = sizeof(head.mark);
  put(to, place + kMark, sent_.data() + kMark, sent_.size() - kMark);
  PMPI_Win_flush(static_cast<int>(to), window_);
  put(to, place, &head.mark, kMark);
  PMPI_Win_flush(static_cast<int>(to), window_);
  return true;
}

std::optional<Transport::Arrived> AppendWindow::next() {
  for (;;) {
    std::byte* const place = own_->ring + own_->taken % kRing;
    Head head;
    auto& mark = *reinterpret_cast<std::uint64_t*>(place);
    head.mark = std::atomic_ref(mark).load(std::memory_order_acquire);
    if (head.mark == 0) return {};
    std::optional<Transport::Arrived> made;
    std::size_t size = kRing - own_->taken % kRing;
    if (head.mark == kWhole) {
      std::memcpy(&head, place, sizeof(head));
      const std::byte* const bytes = place + sizeof(head);
      made.emplace(Transport::Arrived{head.from, Bytes(bytes, bytes + head.size)});
      size = rounded(sizeof(head) + head.size);
    }
    std::memset(place, 0, size);
    std::atomic_ref(own_->taken).store(own_->taken + size, std::memory_order_release);
    if (made) return made;
  }
}

bool AppendWindow::publish(std::span<const std::byte> bytes) {
  if (bytes.size() > room_) return false;
  std::atomic_ref version(own_->version);
  const std::uint64_t before = version.load(std::memory_order_relaxed);
  version.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  own_->size = bytes.size();
  if (!bytes.empty()) std::memcpy(board_, bytes.data(), bytes.size());
  version.store(before + 2, std::memory_order_release);
  return true;
}

Bytes AppendWindow::published(std::uint32_t rank) {
  for (int i = 0; i < kTries; ++i) {
    std::uint64_t words[2];  // version, size
    get(rank, offsetof(Area, version), words, sizeof(words));
    if (words[0] == 0) return {};
    if (words[0] % 2 != 0 || words[1] > room_) continue;
    Bytes bytes(words[1]);
    if (!bytes.empty()) get(rank, sizeof(Area), bytes.data(), bytes.size());
    std::uint64_t version = 0;
    get(rank, offsetof(Area, version), &version, sizeof(version));
    if (version == words[0]) return bytes;
  }
  return {};
}

}  // namespace redflag::pgas::mpi
