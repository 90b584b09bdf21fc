#include "frontends/cpu/rt/record.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/rt/text.h"
#include "frontends/cpu/wire/record.h"

namespace redflag::rt {

static_assert(offsetof(live::Hot, work) == abi::kHotWork);

namespace {

struct Recorder {
  live::SpinLock lock;  // of `fd` and `size`
  int fd = -1;
  std::uint64_t size = 0;  // chunks * kChunkBytes
  std::atomic<std::uint64_t> sequence{0};
  char prefix[3000] = {};
  bool failed = false;
};
Recorder g_recorder;

constexpr std::uint32_t kEventsPerChunk =
    (wire::kChunkBytes - sizeof(wire::ChunkHeader)) / sizeof(wire::RecordedEvent);

void give_up(const char* why) {
  if (g_recorder.failed) return;
  g_recorder.failed = true;
  g_runtime.recording = false;
  say(why);
}

wire::ChunkHeader* new_chunk(wire::ChunkKind kind, std::uint32_t thread) {
  const live::Guard guard(g_recorder.lock);
  if (g_recorder.fd < 0) return nullptr;
  const std::uint64_t at = g_recorder.size;
  if (live::os_syscall(SYS_ftruncate, g_recorder.fd, static_cast<long>(at + wire::kChunkBytes)) !=
      0) {
    give_up("the recording cannot grow (is the disk full?); what follows is not recorded");
    return nullptr;
  }
  const std::intptr_t p = live::os_syscall(SYS_mmap, 0, wire::kChunkBytes, PROT_READ | PROT_WRITE,
                                           MAP_SHARED, g_recorder.fd, static_cast<long>(at));
  if (p < 0 && p > -4096) {
    give_up("no memory for the recording; what follows is not recorded");
    return nullptr;
  }
  g_recorder.size = at + wire::kChunkBytes;
  auto* header = reinterpret_cast<wire::ChunkHeader*>(p);
  *header = wire::ChunkHeader{};
  header->kind = kind;
  header->thread = thread;
  return header;
}

void release_chunk(void* chunk) {
  if (chunk != nullptr) live::os_unmap(chunk, wire::kChunkBytes);
}

void open_file() {
  TextBuffer<3100> name;
  name.add(g_recorder.prefix)
      .add(".")
      .add_number(static_cast<std::uint64_t>(live::os_syscall(SYS_getpid)));
  g_recorder.fd =
      static_cast<int>(live::os_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(name.text()),
                                        O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  g_recorder.size = 0;
  if (g_recorder.fd < 0) give_up("cannot create the file to record into; nothing is recorded");
}

}  // namespace

void record_begin(const char* prefix) {
  std::size_t n = 0;
  for (; prefix[n] != 0 && n + 1 < sizeof(g_recorder.prefix); ++n) g_recorder.prefix[n] = prefix[n];
  g_runtime.recording = true;
  open_file();
}

void record_forked() {
  if (!g_runtime.recording) return;
  // The parent's chunks are mapped here too, and shared: let go of them without writing.
  for (Thread* t = g_runtime.threads; t != nullptr; t = t->next) {
    release_chunk(t->chunk);
    t->chunk = nullptr;
  }
  live::os_syscall(SYS_close, g_recorder.fd);
  open_file();
  g_hot.work = 0;  // the parent tells of it
}

namespace {

// `pc`: kNowhere: it has no place; 0: that of the present call.
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
void append(Thread& t, const Event& event, std::uint64_t pc) {
  live::Detector& d = g_runtime.detector;
  auto* header = static_cast<wire::ChunkHeader*>(t.chunk);
  if (header == nullptr || header->count == kEventsPerChunk) {
    release_chunk(header);
    t.chunk = header = new_chunk(wire::ChunkKind::kEvents, t.number);
    if (header == nullptr) return;
  }
  d.world.enter(*t.live);
  auto* entries = reinterpret_cast<wire::RecordedEvent*>(header + 1);
  wire::RecordedEvent& entry = entries[header->count];
  entry.event = event;
  entry.event.thread = ThreadId{t.number};
  if (t.live->frames != nullptr && pc != kNowhere) {
    entry.event.source =
        SourceId{pc == 0 ? d.contexts.number(d.arena, t.live->frames, t.live->hot->top)
                         : d.context(*t.live, pc)};
  }
  entry.sequence = g_recorder.sequence.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_signal_fence(std::memory_order_release);
  *static_cast<volatile std::uint32_t*>(&header->count) = header->count + 1;
  if (event.kind == EventKind::kThreadEnd) {
    release_chunk(t.chunk);
    t.chunk = nullptr;
  }
  d.world.leave(*t.live);
}

// What the thread counted since it was last asked.
void record_work(Thread& t) {
  Event e;
  e.kind = EventKind::kWork;
  e.object = t.live->hot->work;
  t.live->hot->work = 0;
  append(t, e, kNowhere);
}

}  // namespace

void record_event(Thread& t, const Event& event, std::uint64_t pc) {
  if (t.live->hot->work != 0) record_work(t);
  append(t, event, pc);
}

void record_end() {
  if (!g_runtime.recording || g_recorder.fd < 0) return;
  live::Detector& d = g_runtime.detector;
  // Of other threads that still run, what they did since their last event is not known.
  if (g_hot.thread != nullptr && g_hot.work != 0) record_work(of(*g_hot.thread));
  constexpr std::uint32_t kPerChunk =
      (wire::kChunkBytes - sizeof(wire::ChunkHeader)) / sizeof(wire::RecordedContext);
  const std::uint32_t count = d.contexts.end();
  for (std::uint32_t id = 1; id < count;) {
    wire::ChunkHeader* chunk = new_chunk(wire::ChunkKind::kContexts, 0);
    if (chunk == nullptr) return;
    auto* entries = reinterpret_cast<wire::RecordedContext*>(chunk + 1);
    std::uint32_t n = 0;
    for (; n < kPerChunk && id < count; ++id) {
      const live::Contexts::Node& node = d.contexts.node(id);
      entries[n++] = {id, node.parent, node.pc};
    }
    chunk->count = n;
    release_chunk(chunk);
  }
  const auto maps = static_cast<int>(live::os_syscall(
      SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY | O_CLOEXEC));
  if (maps < 0) return;
  for (;;) {
    wire::ChunkHeader* chunk = new_chunk(wire::ChunkKind::kModules, 0);
    if (chunk == nullptr) break;
    auto* text = reinterpret_cast<char*>(chunk + 1);
    std::uint32_t n = 0;
    std::intptr_t got = 0;
    while (n < wire::kChunkBytes - sizeof(wire::ChunkHeader) &&
           (got = live::os_syscall(
                SYS_read, maps, reinterpret_cast<long>(text + n),
                static_cast<long>(wire::kChunkBytes - sizeof(wire::ChunkHeader) - n))) > 0) {
      n += static_cast<std::uint32_t>(got);
    }
    chunk->count = n;
    release_chunk(chunk);
    if (got <= 0) break;
  }
  live::os_syscall(SYS_close, maps);
}

}  // namespace redflag::rt
