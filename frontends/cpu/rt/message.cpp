#include "frontends/cpu/rt/message.h"

#include "core/model/sources.h"
#include "frontends/cpu/rt/reporter.h"

namespace redflag::rt {

live::SpinLock g_report_lock;

namespace {

constexpr std::uint32_t kMostThreads = 16;
constexpr std::uint32_t kMostLocks = 40;
constexpr std::uint32_t kMostWords = 8192;
constexpr std::uint32_t kMostFrames = 256;

struct Message {
  wire::Race race;
  wire::ThreadRecord threads[kMostThreads];
  wire::LockRecord locks[kMostLocks];
  wire::HeldRecord helds[kMostLocks];
  std::uint64_t words[kMostWords];
};

Message g_message;
char g_bytes[sizeof(Message)];

}  // namespace

MessageView last_message() {
  return {g_message.race, g_message.threads, g_message.locks, g_message.words};
}

MessageBuilder::MessageBuilder() {
  g_message.race = wire::Race{};
}

wire::Race& MessageBuilder::race() {
  return g_message.race;
}

wire::StackRef MessageBuilder::stack(std::uint32_t context) {
  wire::StackRef ref;
  ref.first = g_message.race.words;
  if (context == 0 || g_message.race.words + kMostFrames > kMostWords) return ref;
  ref.count = g_runtime.detector.contexts.stack(context, g_message.words + g_message.race.words,
                                                kMostFrames);
  g_message.race.words += ref.count;
  return ref;
}

void MessageBuilder::thread(std::uint32_t number) {
  while (number != wire::kNoThread && g_message.race.threads < kMostThreads) {
    for (std::uint32_t i = 0; i < g_message.race.threads; ++i) {
      if (g_message.threads[i].number == number) return;
    }
    const Thread* t = find_thread(number);
    wire::ThreadRecord& r = g_message.threads[g_message.race.threads++];
    r = wire::ThreadRecord{};
    r.number = number;
    if (t == nullptr) return;
    r.tid = t->tid;
    r.running = t->running ? 1 : 0;
    r.is_fiber = t->is_fiber ? 1 : 0;
    r.parent = number == 0 ? wire::kNoThread : t->parent;
    r.created = stack(t->created);
    live::os_copy(r.name, t->name, sizeof(r.name));
    number = r.parent;
  }
}

void MessageBuilder::held(wire::AccessRecord& a, std::uint32_t lockset) {
  std::uint64_t locks[kMostLocks];
  const std::uint32_t n =
      g_runtime.detector.locksets.stack(lockset, locks, kMostLocks);  // innermost first
  a.first_held = g_message.race.helds;
  for (std::uint32_t i = n; i > 0 && g_message.race.helds < kMostLocks; --i) {
    const std::uint64_t id = locks[i - 1] >> 25;
    wire::HeldRecord& h = g_message.helds[g_message.race.helds];
    h = wire::HeldRecord{};
    if (!lock(id, h.lock)) continue;
    h.shared = locks[i - 1] & 1;
    h.acquired = stack(static_cast<std::uint32_t>(locks[i - 1] >> 1) & 0xffffff);
    ++g_message.race.helds;
    ++a.held;
  }
}

bool MessageBuilder::lock(std::uint64_t id, std::uint32_t& index) {
  for (index = 0; index < g_message.race.locks; ++index) {
    if (g_message.locks[index].id == id) return true;
  }
  const live::LockInfo* info = g_runtime.detector.lock_info(id);
  if (info == nullptr || index == kMostLocks) return false;
  wire::LockRecord& r = g_message.locks[g_message.race.locks++];
  r = wire::LockRecord{};
  r.id = id;
  r.addr = info->addr;
  r.destroyed = info->destroyed ? 1 : 0;
  r.read_write = (info->traits & kLockReadWrite) != 0 ? 1 : 0;
  r.created = stack(info->created);
  if (HeapBlock block; find_heap_block(r.addr, block) && !block.freed) {
    r.block = block.begin;
    r.block_size = block.size;
    r.allocated = stack(block.stack);
  }
  return true;
}

void MessageBuilder::memory(std::uint64_t addr) {
  wire::MemoryRecord& m = g_message.race.memory;
  HeapBlock block;
  if (find_heap_block(addr, block)) {
    m.kind = static_cast<std::uint8_t>(RegionKind::kHeap);
    m.addr = block.begin;
    m.size = block.size;
    m.thread = block.thread;
    m.allocated = stack(block.stack);
    m.freed = block.freed ? 1 : 0;
    if (block.freed) {
      m.freed_at = stack(block.free_stack);
      m.freed_by = block.free_thread;
      thread(block.free_thread);
    }
    thread(block.thread);
    return;
  }
  if (Descriptor descriptor; find_descriptor(addr, descriptor)) {
    m.is_fd = 1;
    m.addr = static_cast<std::uint64_t>(descriptor.fd);
    m.size = 1;
    m.thread = descriptor.thread;
    m.freed = descriptor.closed ? 1 : 0;
    m.allocated = stack(descriptor.stack);
    thread(descriptor.thread);
    return;
  }
  for (const Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    const bool tls = addr >= t->tls_low && addr < t->tls_high;
    if (!tls && (addr < t->stack_low || addr >= t->stack_high)) continue;
    m.kind = static_cast<std::uint8_t>(tls ? RegionKind::kThreadLocal : RegionKind::kStack);
    m.addr = tls ? t->tls_low : t->stack_low;
    m.size = (tls ? t->tls_high : t->stack_high) - m.addr;
    m.thread = t->number;
    thread(t->number);
    return;
  }
}

wire::Reply MessageBuilder::send(wire::Kind kind) {
  char* p = g_bytes;
  const auto put = [&](const void* from, std::size_t n) {
    live::os_copy(p, from, n);
    p += n;
  };
  put(&g_message.race, sizeof(g_message.race));
  put(g_message.threads, g_message.race.threads * sizeof(g_message.threads[0]));
  put(g_message.locks, g_message.race.locks * sizeof(g_message.locks[0]));
  put(g_message.helds, g_message.race.helds * sizeof(g_message.helds[0]));
  put(g_message.words, g_message.race.words * sizeof(g_message.words[0]));
  return send_race(g_bytes, static_cast<std::uint32_t>(p - g_bytes), kind);
}

}  // namespace redflag::rt
