#include "frontends/cuda/watch/keyed.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "frontends/cuda/watch/faults.h"

namespace redflag::watch {
namespace {

constexpr int kRights = PROT_READ | PROT_WRITE;
constexpr int kNoKey = 0;  // what all memory has that has no other
using Clock = std::chrono::steady_clock;
constexpr Clock::duration kFree = std::chrono::milliseconds(500);
constexpr int kPart = 5;  // of all the time
// The saved state of a thread in a handler's frame, as Intel's manual and Linux lay it out.
constexpr std::uint32_t kXstateMagic = 0x46505853;
constexpr std::size_t kMagicAt = 464;
constexpr std::size_t kSavedAt = 472;    // which parts there are
constexpr std::size_t kPresentAt = 512;  // which of them are not as they are at first
constexpr unsigned kPkruPart = 9;

int g_key = kNoKey;                   // written once, before memory is closed
std::atomic<bool> g_is_used = false;  // there is memory that may be closed
thread_local unsigned t_allowed = 0;

struct Mapping {
  std::uint64_t begin = 0, end = 0;
};

// The mapping that has the address, readable and writable; {0, 0}: none.
Mapping mapping_of(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Mapping found;
    char may[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &found.begin, &found.end, may) !=
        3)
      continue;
    if (address >= found.begin && address < found.end) {
      return may[0] == 'r' && may[1] == 'w' ? found : Mapping{};
    }
  }
  return {};
}

std::size_t pkru_offset() {
  unsigned size = 0, offset = 0, more = 0, unused = 0;
  if (__get_cpuid_count(0xd, kPkruPart, &size, &offset, &more, &unused) == 0) return 0;
  return size < sizeof(std::uint32_t) ? 0 : offset;
}

// The rights that the thread goes on with; nullptr: they are not in the frame.
std::byte* pkru_of(void* machine) {
  static const std::size_t offset = pkru_offset();
  auto* const state =
      reinterpret_cast<std::byte*>(static_cast<ucontext_t*>(machine)->uc_mcontext.fpregs);
  if (state == nullptr || offset == 0) return nullptr;
  std::uint32_t magic = 0;
  std::uint64_t saved = 0, present = 0;
  std::memcpy(&magic, state + kMagicAt, sizeof(magic));
  std::memcpy(&saved, state + kSavedAt, sizeof(saved));
  if (magic != kXstateMagic || (saved >> kPkruPart & 1) == 0) return nullptr;
  std::memcpy(&present, state + kPresentAt, sizeof(present));
  if ((present >> kPkruPart & 1) == 0) {
    // As at first: all is allowed.
    constexpr std::uint32_t kAll = 0;
    std::memcpy(state + offset, &kAll, sizeof(kAll));
    present |= std::uint64_t{1} << kPkruPart;
    std::memcpy(state + kPresentAt, &present, sizeof(present));
  }
  return state + offset;
}

// False: that cannot be said in the frame.
bool allow(void* machine, bool is_allowed) {
  std::byte* const place = pkru_of(machine);
  if (place == nullptr) return false;
  const std::uint32_t bits = std::uint32_t{PKEY_DISABLE_ACCESS} << (2 * g_key);
  std::uint32_t rights = 0;
  std::memcpy(&rights, place, sizeof(rights));
  rights = is_allowed ? rights & ~bits : rights | bits;
  std::memcpy(place, &rights, sizeof(rights));
  return true;
}

}  // namespace

struct Keyed::Impl final : Closed {
  struct Unit {
    std::uint64_t end = 0;
    std::uint32_t added = 0, closed = 0;
    std::uint32_t seen = 0;  // accesses
    bool is_closed() const { return closed != 0 && seen < kMost; }
  };

  Tell tell = nullptr;
  void* context = nullptr;
  mutable std::mutex mutex;
  std::map<std::uint64_t, Unit> units;  // by their beginnings
  const Clock::time_point begun = Clock::now();
  Clock::duration spent{};  // on keys

  std::map<std::uint64_t, Unit>::iterator find(std::uint64_t address) {
    const auto behind = units.upper_bound(address);
    if (behind == units.begin() || address >= std::prev(behind)->second.end) return units.end();
    return std::prev(behind);
  }
  void set_key(std::uint64_t begin, const Unit& unit) {
    const Clock::time_point before = Clock::now();
    (void)::pkey_mprotect(reinterpret_cast<void*>(begin), unit.end - begin, kRights,
                          unit.is_closed() ? g_key : kNoKey);
    spent += Clock::now() - before;
  }
  bool takes_too_long() const { return spent > kFree && spent > (Clock::now() - begun) / kPart; }

  bool open(const Fault& fault) override {
    if (!fault.by_key || fault.key != static_cast<std::uint32_t>(g_key)) return false;
    const bool steps = allow(fault.machine, true);
    {
      const std::lock_guard lock(mutex);
      const auto at = find(fault.address);
      if (at == units.end()) return steps;
      at->second.seen = steps ? at->second.seen + 1 : kMost;
      if (!at->second.is_closed()) set_key(at->first, at->second);
    }
    tell(context, fault.address, fault.wrote, fault.at);
    return true;
  }
  void close_again(void* machine) override {
    if (t_allowed == 0) (void)allow(machine, false);
  }
};

Keyed::Keyed() : impl_(std::make_unique<Impl>()) {}
Keyed::~Keyed() = default;

Keyed* Keyed::make(Tell tell, void* context) {
  static Keyed* const made = [] {
    // No thread may access what has the key: that is how they begin.
    const int key = ::pkey_alloc(0, PKEY_DISABLE_ACCESS);
    if (key < 0) return static_cast<Keyed*>(nullptr);
    g_key = key;
    return new Keyed;
  }();
  if (made == nullptr) return nullptr;
  made->impl_->tell = tell;
  made->impl_->context = context;
  return made;
}

void Keyed::add(std::uint64_t address) {
  const std::lock_guard lock(impl_->mutex);
  auto at = impl_->find(address);
  if (at == impl_->units.end()) {
    const Mapping found = mapping_of(address);
    if (found.end == 0) return;
    at = impl_->units.insert_or_assign(found.begin, Impl::Unit{.end = found.end}).first;
  }
  ++at->second.added;
  g_is_used.store(true, std::memory_order_release);
}

void Keyed::remove(std::uint64_t address) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->find(address);
  if (at == impl_->units.end() || --at->second.added != 0) return;
  const bool was_closed = at->second.is_closed();
  at->second.closed = 0;
  if (was_closed) impl_->set_key(at->first, at->second);
  impl_->units.erase(at);
}

bool Keyed::close(std::uint64_t address) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->find(address);
  if (at == impl_->units.end()) return false;
  const bool was_closed = at->second.is_closed();
  ++at->second.closed;
  if (!was_closed && impl_->takes_too_long()) at->second.seen = kMost;
  if (was_closed || !at->second.is_closed()) return true;
  catch_faults(*impl_);
  impl_->set_key(at->first, at->second);
  return true;
}

void Keyed::open(std::uint64_t address) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->find(address);
  if (at == impl_->units.end() || at->second.closed == 0) return;
  const bool was_closed = at->second.is_closed();
  --at->second.closed;
  if (was_closed && !at->second.is_closed()) impl_->set_key(at->first, at->second);
}

std::uint32_t Keyed::given_up() const {
  const std::lock_guard lock(impl_->mutex);
  std::uint32_t count = 0;
  for (const auto& [begin, unit] : impl_->units) count += unit.seen >= kMost ? 1 : 0;
  return count;
}

Allowed::Allowed() {
  if (!g_is_used.load(std::memory_order_acquire)) return;
  counts_ = true;
  if (t_allowed++ == 0) (void)::pkey_set(g_key, 0);
}

Allowed::~Allowed() {
  if (counts_ && --t_allowed == 0) (void)::pkey_set(g_key, PKEY_DISABLE_ACCESS);
}

}  // namespace redflag::watch

#else

namespace redflag::watch {
struct Keyed::Impl {};
Keyed::Keyed() = default;
Keyed::~Keyed() = default;
Keyed* Keyed::make(Tell, void*) {
  return nullptr;
}
void Keyed::add(std::uint64_t) {}
void Keyed::remove(std::uint64_t) {}
bool Keyed::close(std::uint64_t) {
  return false;
}
void Keyed::open(std::uint64_t) {}
std::uint32_t Keyed::given_up() const {
  return 0;
}
Allowed::Allowed() = default;
Allowed::~Allowed() = default;
}  // namespace redflag::watch

#endif
