#include "frontends/cuda/cudart/watch.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>

namespace redflag::cudart {

#if defined(__x86_64__) && defined(__linux__)

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kMost = 20000;  // accesses that are seen on one page
constexpr greg_t kTrapFlag = 0x100;     // EFLAGS: a trap after the next instruction
constexpr greg_t kWriteFault = 2;       // of the page fault's error code
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

// The page that this thread opened for one instruction.
thread_local std::uint64_t t_open_page = kNoPage;

Watch* g_watch = nullptr;  // the handlers'; there is one
struct sigaction g_before_fault;
struct sigaction g_before_trap;

void protect(std::uint64_t page, int rights) {
  ::mprotect(reinterpret_cast<void*>(page), kPage, rights);
}

}  // namespace

struct Watch::Impl {
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
  int open = 0;                                           // depth
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
    if (at == pages.end() || open > 0) return PROT_READ | PROT_WRITE;
    const auto count = seen.find(page);
    if (count != seen.end() && count->second >= kMost) return PROT_READ | PROT_WRITE;
    return at->second.wrote ? PROT_NONE : PROT_READ;
  }
  void apply() {
    for (const auto& [page, state] : pages) protect(page, closed_rights(page));
  }

  // True: the fault was ours, and the instruction is to be tried again.
  bool on_fault(std::uint64_t address, bool wrote, ucontext_t* machine) {
    const std::uint64_t page = address / kPage * kPage;
    {
      const std::lock_guard lock(mutex);
      if (!in_range(address)) return false;
      ++seen[page];
      protect(page, PROT_READ | PROT_WRITE);
    }
    machine->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
    t_open_page = page;
    tell(context, address, wrote,
         reinterpret_cast<const void*>(machine->uc_mcontext.gregs[REG_RIP]));
    return true;
  }
  bool on_trap(ucontext_t* machine) {
    if (t_open_page == kNoPage) return false;
    machine->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    const std::lock_guard lock(mutex);
    protect(t_open_page, closed_rights(t_open_page));
    t_open_page = kNoPage;
    return true;
  }
};

namespace {

void pass_on(int signal, siginfo_t* info, void* machine, const struct sigaction& before) {
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, machine);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    // The instruction is tried again, and ends the program as it would have.
    ::sigaction(signal, &before, nullptr);
  }
}

}  // namespace

struct WatchHandlers {
  static void on_fault(int signal, siginfo_t* info, void* machine) {
    auto* context = static_cast<ucontext_t*>(machine);
    const bool wrote = (context->uc_mcontext.gregs[REG_ERR] & kWriteFault) != 0;
    if (g_watch != nullptr &&
        g_watch->fault(reinterpret_cast<std::uint64_t>(info->si_addr), wrote, machine)) {
      return;
    }
    pass_on(signal, info, machine, g_before_fault);
  }
  static void on_trap(int signal, siginfo_t* info, void* machine) {
    if (g_watch != nullptr && g_watch->trap(machine)) return;
    pass_on(signal, info, machine, g_before_trap);
  }
};

namespace {

using Handler = void (*)(int, siginfo_t*, void*);

bool is_ours(const struct sigaction& action, Handler handler) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handler;
}

// `before` never becomes our own handler, which would then pass on to itself without end.
void take(int signal, Handler handler, struct sigaction& before) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  if (is_ours(now, handler)) return;
  before = now;
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  action.sa_sigaction = handler;
  ::sigaction(signal, &action, nullptr);
}

void give_back(int signal, Handler handler, const struct sigaction& before) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  if (is_ours(now, handler)) ::sigaction(signal, &before, nullptr);
}

}  // namespace

Watch::Watch(Tell tell, void* context) : impl_(std::make_unique<Impl>()) {
  impl_->tell = tell;
  impl_->context = context;
}

Watch::~Watch() {
  if (g_watch != this) return;
  forget();
  g_watch = nullptr;
  // Handlers of others that came after may call ours: those stay, and pass everything on.
  give_back(SIGSEGV, WatchHandlers::on_fault, g_before_fault);
  give_back(SIGTRAP, WatchHandlers::on_trap, g_before_trap);
}

bool Watch::fault(std::uint64_t address, bool wrote, void* machine) {
  return impl_->on_fault(address, wrote, static_cast<ucontext_t*>(machine));
}

bool Watch::trap(void* machine) {
  return impl_->on_trap(static_cast<ucontext_t*>(machine));
}

void Watch::add(std::uint64_t address, std::uint64_t size) {
  const std::lock_guard lock(impl_->mutex);
  const std::uint64_t end = address + (size + kPage - 1) / kPage * kPage;
  impl_->ranges.emplace(address, end);
  impl_->lowest = std::min(impl_->lowest, address);
  impl_->highest = std::max(impl_->highest, end);
  if (g_watch != nullptr) return;
  g_watch = this;
  take(SIGSEGV, WatchHandlers::on_fault, g_before_fault);
  take(SIGTRAP, WatchHandlers::on_trap, g_before_trap);
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
  if (impl_->open++ == 0) impl_->apply();
}

void Watch::close() {
  const std::lock_guard lock(impl_->mutex);
  if (--impl_->open == 0) impl_->apply();
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
bool Watch::fault(std::uint64_t, bool, void*) {
  return false;
}
bool Watch::trap(void*) {
  return false;
}

#endif

}  // namespace redflag::cudart
