// Managed memory, as the checker tells it: the host's own loads and stores while a kernel may use what they touch.
//
// Memory that a kernel is given a pointer to is closed (frontends/cuda/watch) from its launch until the program
// has waited for it. What the driver touches, and callbacks that it calls in the order of a stream, are
// not told. Host threads count as one from the first managed memory on: what they tell each other is not seen here.
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <cstring>

#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"
#include "frontends/cuda/inject/symbols.h"
#include "frontends/cuda/report/caller.h"

namespace redflag::inject {
namespace {

constexpr int kPointerIsManaged = 8;

struct Library {
  std::uintptr_t inside = 0;  // any address of it
  std::uintptr_t begin = 0, end = 0;
};

int find_bounds(dl_phdr_info* info, std::size_t, void* argument) {
  auto* const library = static_cast<Library*>(argument);
  Library found = *library;
  bool has_it = false;
  found.begin = ~std::uintptr_t{0};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    found.begin = std::min(found.begin, begin);
    found.end = std::max(found.end, begin + part.p_memsz);
    has_it = has_it || (found.inside >= begin && found.inside < begin + part.p_memsz);
  }
  if (has_it) *library = found;
  return has_it ? 1 : 0;
}

const Library& driver() {
  static const Library library = [] {
    Library made{.inside = reinterpret_cast<std::uintptr_t>(real_address(Fn::k_cuInit))};
    (void)::dl_iterate_phdr(&find_bounds, &made);
    return made;
  }();
  return library;
}

_Unwind_Reason_Code look_for_driver(_Unwind_Context* frame, void* found) {
  const std::uintptr_t at = _Unwind_GetIP(frame);
  if (at < driver().begin || at >= driver().end) return _URC_NO_REASON;
  *static_cast<bool*>(found) = true;
  return _URC_END_OF_STACK;
}

// The driver does it, or has called whoever does.
bool is_below_driver() {
  bool found = false;
  _Unwind_Backtrace(&look_for_driver, &found);
  return found;
}

void on_host_access(void*, std::uint64_t address, bool wrote, const void* at) {
  if (is_below_driver()) return;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.host_access(address, wrote, at);
}

bool is_managed(CUdeviceptr address) {
  unsigned answer = 0;
  return real(Fn::k_cuPointerGetAttribute, static_cast<void*>(&answer), kPointerIsManaged,
              address) == kSuccess &&
         answer != 0;
}

// A kernel that may tell the host of what it has done before it ends.
bool may_signal(const gpu::SyncOps& sync) {
  return !sync.known || sync.has(gpu::SyncOp::kFence) || sync.has(gpu::SyncOp::kOrderedAtomic);
}

}  // namespace

void Checker::managed_begins(std::uint64_t address) {
  has_managed_ = true;
  if (keyed_ == nullptr) {
    (void)driver();  // not for the first time in a handler of signals
    keyed_ = watch::Keyed::make(on_host_access, nullptr);
    if (keyed_ == nullptr) return;
  }
  managed_.insert(address);
  keyed_->add(address);
}

void Checker::managed_ends(std::uint64_t address) {
  if (managed_.erase(address) != 0) keyed_->remove(address);
}

void Checker::find_managed(Module& module) {
  for (const std::uint64_t address : module.variables) {
    if (is_managed(address)) managed_begins(address);
  }
}

bool Checker::close_for(const gpu::Launch& launch, const Kernel& kernel, const Arguments& given) {
  if (managed_.empty() || may_signal(kernel.code->sync)) return false;
  std::vector<std::uint64_t> used;
  const auto use = [&](std::uint64_t address) {
    if (keyed_->close(address)) used.push_back(address);
  };
  const std::optional<std::vector<std::byte>> block = block_of(*kernel.code, given);
  std::uint64_t word = 0;
  for (std::size_t at = 0; block && at + sizeof(word) <= block->size(); at += sizeof(word)) {
    std::memcpy(&word, block->data() + at, sizeof(word));
    use(word);
  }
  for (const std::uint64_t address : kernel.module->variables) {
    if (managed_.contains(address)) use(address);
  }
  if (used.empty()) return false;
  closed_.emplace(launch.id, std::move(used));
  told_accesses_.clear();
  return touched_by_host_ || told_in_full_.insert(kernel.code).second;
}

void Checker::open_after(gpu::LaunchId launch) {
  const auto at = closed_.find(launch);
  if (at == closed_.end()) return;
  for (const std::uint64_t address : at->second) keyed_->open(address);
  closed_.erase(at);
}

void Checker::host_access(std::uint64_t address, bool wrote, const void* at) {
  if (over_ || !told_accesses_.emplace(address, wrote).second) return;
  touched_by_host_ = true;
  cuda_report::set_caller(at, false);
  tell({.kind = wrote ? gpu::HostKind::kHostWrite : gpu::HostKind::kHostRead,
        .site = cuda_report::call_site(),
        .address = address,
        .size = 1});
}

void Checker::tell_of_managed() {
  if (has_managed_ && keyed_ == nullptr) {
    outlet_.note(
        "accesses of the host to managed memory while kernels ran were not checked: this machine "
        "has no protection keys (flags pku and ospke in /proc/cpuinfo)");
  } else if (keyed_ != nullptr && keyed_->given_up() != 0) {
    outlet_.note(
        "later accesses of the host to some managed memory were not checked: it had accessed that "
        "memory very often while kernels ran, or protecting it again took too much time");
  }
}

}  // namespace redflag::inject
