#include "frontends/cuda/cudart/watch.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>

#include "frontends/cuda/watch/faults.h"

namespace redflag::cudart {

#if defined(__x86_64__) && defined(__linux__)

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kMost = 20000;  // accesses that are seen on one page
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

// The page that this thread opened for one instruction.
thread_local std::uint64_t t_open_page = kNoPage;

void protect(std::uint64_t page, int rights) {
  ::mprotect(reinterpret_cast<void*>(page), kPage, rights);
}

}  // namespace

struct Watch::Impl final : watch::Closed {
  struct Page {
    bool wrote = false;  // by the device; else it only read, and the host may read too
    bool mixed = false;  // more than one stream used it
    gpu::StreamId stream{0};
  };

  Tell tell;
  void* context;
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> ranges;          // begin to end, in whole pages
  std::unordered_map<std::uint64_t, Page> pages;          // used since the host last waited
  std::unordered_map<std::uint64_t, std::uint32_t> seen;  // host accesses, by page
  int opened = 0;                                         // how often
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  // What was last noted, since neighbouring lanes touch the same page.
  std::uint64_t last_page = kNoPage;
  bool last_wrote = false;
  gpu::StreamId last_stream{0};

  bool in_range(std::uint64_t address) const {
    const auto after = ranges.upper_bound(address);
    return after != ranges.begin() && address < std::prev(after)->second;
  }
  int closed_rights(std::uint64_t page) const {
    const auto at = pages.find(page);
    if (at == pages.end() || opened > 0) return PROT_READ | PROT_WRITE;
    const auto count = seen.find(page);
    if (count != seen.end() && count->second >= kMost) return PROT_READ | PROT_WRITE;
    return at->second.wrote ? PROT_NONE : PROT_READ;
  }
  void apply() {
    for (const auto& [page, state] : pages) protect(page, closed_rights(page));
  }

  bool open_page(std::uint64_t address) {
    const std::lock_guard lock(mutex);
    if (!in_range(address)) return false;
    t_open_page = address / kPage * kPage;
    ++seen[t_open_page];
    protect(t_open_page, PROT_READ | PROT_WRITE);
    return true;
  }
  bool open(const watch::Fault& fault) override {
    if (!open_page(fault.address)) return false;
    tell(context, fault.address, fault.wrote, fault.at);
    return true;
  }
  void close_again(void*) override {
    const std::lock_guard lock(mutex);
    if (t_open_page != kNoPage) protect(t_open_page, closed_rights(t_open_page));
    t_open_page = kNoPage;
  }
};

Watch::Watch(Tell tell, void* context) : impl_(std::make_unique<Impl>()) {
  impl_->tell = tell;
  impl_->context = context;
}

Watch::~Watch() {
  forget();
  watch::leave_faults(*impl_);
}

void Watch::add(std::uint64_t address, std::uint64_t size) {
  const std::lock_guard lock(impl_->mutex);
  const std::uint64_t end = address + (size + kPage - 1) / kPage * kPage;
  impl_->ranges.emplace(address, end);
  impl_->lowest = std::min(impl_->lowest, address);
  impl_->highest = std::max(impl_->highest, end);
  watch::catch_faults(*impl_);
}

void Watch::remove(std::uint64_t address) {
  const std::lock_guard lock(impl_->mutex);
  const auto at = impl_->ranges.find(address);
  if (at == impl_->ranges.end()) return;
  for (std::uint64_t page = at->first; page < at->second; page += kPage) {
    impl_->seen.erase(page);
    if (impl_->pages.erase(page) != 0) protect(page, PROT_READ | PROT_WRITE);
  }
  impl_->last_page = kNoPage;
  impl_->ranges.erase(at);
}

bool Watch::empty() const {
  return impl_->ranges.empty();
}

bool Watch::covers(std::uint64_t address) const {
  return address >= impl_->lowest && address < impl_->highest && impl_->in_range(address);
}

void Watch::used(std::uint64_t address, std::uint64_t size, bool wrote, gpu::StreamId stream) {
  for (std::uint64_t page = address / kPage * kPage; page < address + size; page += kPage) {
    if (page == impl_->last_page && stream == impl_->last_stream && (!wrote || impl_->last_wrote)) {
      continue;
    }
    const std::lock_guard lock(impl_->mutex);
    if (!impl_->in_range(page)) continue;
    const auto [at, is_new] = impl_->pages.try_emplace(page, Impl::Page{wrote, false, stream});
    at->second.mixed |= at->second.stream != stream;
    at->second.wrote |= wrote;
    impl_->last_page = page;
    impl_->last_wrote = at->second.wrote;
    impl_->last_stream = stream;
  }
}

void Watch::forget(gpu::StreamId stream) {
  const std::lock_guard lock(impl_->mutex);
  impl_->last_page = kNoPage;
  std::erase_if(impl_->pages, [stream](const auto& row) {
    if (row.second.mixed || row.second.stream != stream) return false;
    protect(row.first, PROT_READ | PROT_WRITE);
    return true;
  });
}

void Watch::forget() {
  const std::lock_guard lock(impl_->mutex);
  impl_->last_page = kNoPage;
  for (const auto& [page, state] : impl_->pages) protect(page, PROT_READ | PROT_WRITE);
  impl_->pages.clear();
}

void Watch::open() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->opened++ == 0) impl_->apply();
}

void Watch::close() {
  const std::lock_guard lock(impl_->mutex);
  if (--impl_->opened == 0) impl_->apply();
}

#else

struct Watch::Impl {};
Watch::Watch(Tell, void*) {}
Watch::~Watch() = default;
void Watch::add(std::uint64_t, std::uint64_t) {}
void Watch::remove(std::uint64_t) {}
bool Watch::empty() const {
  return true;
}
bool Watch::covers(std::uint64_t) const {
  return false;
}
void Watch::used(std::uint64_t, std::uint64_t, bool, gpu::StreamId) {}
void Watch::forget(gpu::StreamId) {}
void Watch::forget() {}
void Watch::open() {}
void Watch::close() {}

#endif

}  // namespace redflag::cudart
