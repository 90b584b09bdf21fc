// What steps in the common recording refer to: calling contexts, and where this process's code is.
//
// A context is numbered in the common recording when the first step there needs it, its callers before
// it, so that the recording can be read whenever the process ends, and however.
#include <fcntl.h>
#include <sys/syscall.h>

#include "frontends/cpu/rt/between.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::rt {
namespace {

constexpr std::uint32_t kContextsPerChunk = kBetweenRoom / sizeof(wire::RecordedContext);

// This process's contexts by their numbers in the common recording, 0: not recorded yet; and the chunk
// that takes the next. Written under the lock; a number that is read without it is there to stay.
struct Translation {
  live::SpinLock lock;
  std::atomic<std::uint32_t>* number = nullptr;
  wire::ChunkHeader* chunk = nullptr;
};
Translation g_contexts;

}  // namespace

wire::ChunkHeader* new_common_chunk(wire::ChunkKind kind, std::uint32_t owner) {
  wire::BetweenHeader& common = *g_runtime.between;
  const std::uint32_t i = common.chunks.fetch_add(1, std::memory_order_relaxed);
  if (i >= wire::kBetweenChunks) {
    between_stop(
        "1 GiB of steps of processes that share memory is recorded, and that is the limit");
    return nullptr;
  }
  auto* const header = reinterpret_cast<wire::ChunkHeader*>(
      reinterpret_cast<char*>(g_runtime.between) + wire::kBetweenHeaderBytes +
      i * wire::kBetweenChunkBytes);
  header->kind = kind;
  header->thread = owner;
  header->magic = wire::kChunkMagic;
  return header;
}

void count_up(wire::ChunkHeader& header, std::uint32_t n) {
  std::atomic_signal_fence(std::memory_order_release);
  *static_cast<volatile std::uint32_t*>(&header.count) = header.count + n;
}

// The context's number in the common recording, its callers' first.
std::uint32_t common_context(std::uint32_t id) {
  constexpr std::uint32_t kDeepest = 256;  // callers beyond are left out
  if (g_contexts.number != nullptr) {
    const std::uint32_t known = g_contexts.number[id].load(std::memory_order_acquire);
    if (known != 0 || id == live::Contexts::kRoot) return known;
  }
  live::Detector& d = g_runtime.detector;
  const live::Guard guard(g_contexts.lock);
  if (g_contexts.number == nullptr) {
    g_contexts.number = static_cast<std::atomic<std::uint32_t>*>(
        live::os_map(live::Contexts::kMost * sizeof(std::uint32_t)));
  }
  std::uint32_t path[kDeepest];
  std::uint32_t n = 0;
  for (; id != live::Contexts::kRoot && n < kDeepest; id = d.contexts.node(id).parent) {
    if (id >= live::Contexts::kMost || g_contexts.number[id].load(std::memory_order_relaxed) != 0)
      break;
    path[n++] = id;
  }
  std::uint32_t parent = id < live::Contexts::kMost ? g_contexts.number[id].load() : 0;
  while (n > 0) {
    const std::uint32_t one = path[--n];
    wire::ChunkHeader*& chunk = g_contexts.chunk;
    if (chunk == nullptr || chunk->count == kContextsPerChunk) {
      chunk = new_common_chunk(wire::ChunkKind::kContexts, g_between.process);
      if (chunk == nullptr) return 0;
    }
    const std::uint32_t made =
        g_runtime.between->contexts.fetch_add(1, std::memory_order_relaxed) + 1;
    reinterpret_cast<wire::RecordedContext*>(chunk + 1)[chunk->count] = {made, parent,
                                                                         d.contexts.node(one).pc};
    count_up(*chunk, 1);
    g_contexts.number[one].store(made, std::memory_order_release);
    parent = made;
  }
  return parent;
}

void contexts_forked() {
  if (g_contexts.number != nullptr) {
    live::os_discard(g_contexts.number, live::Contexts::kMost * sizeof(std::uint32_t));
  }
  g_contexts.chunk = nullptr;
}

void record_modules() {
  const std::intptr_t maps = live::os_syscall(
      SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  for (std::intptr_t got = 1; got > 0;) {
    wire::ChunkHeader* const chunk = new_common_chunk(wire::ChunkKind::kModules, g_between.process);
    if (chunk == nullptr) break;
    auto* const text = reinterpret_cast<char*>(chunk + 1);
    std::uint32_t n = 0;
    while (n < kBetweenRoom &&
           (got = live::os_syscall(SYS_read, maps, reinterpret_cast<long>(text + n),
                                   static_cast<long>(kBetweenRoom - n))) > 0) {
      n += static_cast<std::uint32_t>(got);
    }
    count_up(*chunk, n);
  }
  live::os_syscall(SYS_close, maps);
}

}  // namespace redflag::rt
