#include "frontends/cpu/interpose/testing.h"

namespace redflag::rt {

struct Thread {
  unsigned number;
  std::size_t depth;
};

namespace {

struct Event {
  const char* word;
  std::uintptr_t object;
  std::size_t size;  // of memory; others 0
  unsigned thread;
};
constexpr std::size_t kRoom = 1 << 16;
Event events[kRoom];
std::size_t used = 0;
bool recording = false;

Thread threads[4096];
unsigned thread_count = 0;
thread_local Thread* mine = nullptr;
thread_local int inside = 0;
thread_local bool delivery_wanted = false;
void (*deliver)() = nullptr;
int lock_depth = 1;

void put(const char* word, const Thread* t, std::uintptr_t object, std::size_t size = 0) {
  if (!__atomic_load_n(&recording, __ATOMIC_RELAXED)) return;
  const std::size_t i = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
  if (i < kRoom) events[i] = {word, object, size, t == nullptr ? 0 : t->number};
}
void put(const char* word, const Thread* t, const volatile void* object, std::size_t size = 0) {
  put(word, t, reinterpret_cast<std::uintptr_t>(object), size);
}

Thread* make() {
  const unsigned n = __atomic_fetch_add(&thread_count, 1, __ATOMIC_RELAXED);
  threads[n] = {n, 0};
  return &threads[n];
}

__attribute__((constructor(101))) void start() {
  mine = make();
}

bool same(const char* a, const char* b) {
  return std::string(a) == b;
}

}  // namespace

Thread* self() {
  return inside > 0 ? nullptr : mine;
}

bool read_by(const void*, const void*, const volatile void*, std::size_t) {
  return false;
}
bool write_by(const void*, const void*, volatile void*, std::size_t) {
  return false;
}

LibraryCall::LibraryCall(const void* function, const void*, Kind) : thread(self()) {
  outer_ = function;
  frame_ = thread;
  if (thread != nullptr) ++thread->depth;
}
LibraryCall::~LibraryCall() {
  if (frame_ != nullptr) --thread->depth;
}

void read(Thread& t, const volatile void* p, std::size_t n) {
  put("read", &t, p, n);
}
void write(Thread& t, volatile void* p, std::size_t n) {
  put("write", &t, p, n);
}
void memory_allocated(Thread& t, void* p, std::size_t n) {
  put("allocated", &t, p, n);
}
void memory_freed(Thread& t, void* p, std::size_t n) {
  put("freed", &t, p, n);
}
void memory_replaced(volatile void* p, std::size_t n) {
  put("replaced", mine, p, n);
}
void memory_remapped(volatile void* p, std::size_t n) {
  put("replaced", mine, p, n);
}
void memory_is_file(void* p, std::size_t n, int, std::uint64_t, bool) {
  put("is-file", mine, p, n);
}
void memory_is_named_file(void* p, std::size_t n, const char*) {
  put("is-file", mine, p, n);
}
void memory_is_shared(void* p, std::size_t n) {
  put("is-shared", mine, p, n);
}
void memory_is_segment(void* p, std::size_t n, int) {
  put("is-segment", mine, p, n);
}
void memory_moved(void* from, std::size_t old_size, void* to, std::size_t size) {
  put("moved-from", mine, from, old_size);
  put("moved-to", mine, to, size);
}
std::uint32_t where(Thread& t) {
  return 1000 + static_cast<std::uint32_t>(t.depth);
}
std::uint32_t number(const Thread& t) {
  return t.number;
}
void lock_created(Thread& t, void* l, std::uint32_t traits) {
  put((traits & kLockReentrant) != 0   ? "created-reentrant"
      : (traits & kLockReadWrite) != 0 ? "created-rw"
                                       : "created",
      &t, l);
}
void lock_destroyed(Thread& t, void* l) {
  put("destroyed", &t, l);
}
void lock_acquired(Thread& t, void* l, LockMode mode, int depth) {
  put(mode == LockMode::kShared ? "lock-shared" : depth > 1 ? "lock-deep" : "lock", &t, l);
}
void lock_released(Thread& t, void* l, LockMode) {
  put("unlock", &t, l);
}
void lock_released_any(Thread& t, void* l) {
  put("unlock-any", &t, l);
}
int lock_released_fully(Thread& t, void* l) {
  put("unlock-fully", &t, l);
  return lock_depth;
}
void lock_inherited(Thread& t, void* l) {
  put("inherited", &t, l);
}
void acquire(Thread& t, SyncKey key) {
  put("acquire", &t, key);
}
void release(Thread& t, SyncKey key) {
  put("release", &t, key);
}
void release_store(Thread& t, SyncKey key) {
  put("release-store", &t, key);
}
bool watches_processes() {
  return false;
}
void acquire_named(Thread&, std::uint64_t) {}
void release_named(Thread&, std::uint64_t) {}
std::uint32_t io_sync() {
  return 1;
}
void libraries_changed() {}
void process_waited(Thread& t, int pid) {
  put("waited", &t, static_cast<std::uintptr_t>(pid));
}
void barrier_enter(Thread& t, void* b) {
  put("enter", &t, b);
}
void barrier_exit(Thread& t, void* b) {
  put("exit", &t, b);
}
Thread* thread_created(Thread& parent, bool detached) {
  Thread* const child = make();
  put(detached ? "thread-detached" : "thread", &parent, child->number);
  return child;
}
void thread_not_started(Thread& t, Thread* child) {
  put("not-started", &t, child->number);
}
void leave_alone(std::uintptr_t, std::uintptr_t) {}
void source_needed(Thread&) {}
Thread* thread_appeared(std::uint32_t, std::uint32_t) {
  Thread* const child = make();
  put("appeared", child, child->number);
  return child;
}
Thread* fiber_created(Thread& t) {
  Thread* const fiber = make();
  put("fiber", &t, fiber->number);
  return fiber;
}
void fiber_destroyed(Thread&, Thread* fiber) {
  put("fiber-gone", fiber, fiber->number);
}
void fiber_switched(Thread&, Thread* fiber, bool) {
  mine = fiber;
}
void thread_begin(Thread* child, const void*) {
  mine = child;
  put("begin", child, child->number);
}
void thread_end(Thread* child) {
  put("end", child, child->number);
  mine = nullptr;
}
void handlers_installed() {}
void thread_joining(Thread&, Thread*) {}
void thread_joined(Thread& t, Thread* child) {
  put("joined", &t, child->number);
}
void thread_detached(Thread& t, Thread* child) {
  put("detached", &t, child->number);
}
void thread_named(Thread& t, const char*) {
  put("named", &t, t.number);
}
std::size_t call_depth(Thread& t) {
  return t.depth;
}
void unwind_to(Thread& t, std::size_t depth) {
  put("unwind", &t, std::uintptr_t{0});
  t.depth = depth;
}
bool busy() {
  return inside > 0;
}
void on_leaving(void (*f)()) {
  deliver = f;
}
void want_delivery() {
  delivery_wanted = true;
}
void fork_before() {
  put("fork-before", mine, std::uintptr_t{0});
}
void fork_after_in_parent() {
  put("fork-parent", mine, std::uintptr_t{0});
}
void fork_after_in_child() {
  put("fork-child", mine, std::uintptr_t{0});
}
int finish(int status) {
  put("finish", mine, static_cast<std::uintptr_t>(status));
  return status;
}
void say(const char*) {}
Ignoring handler_begins(Thread&) {
  return {};
}
void handler_ended(Thread&, const Ignoring&) {}
void push_earlier(Thread&, std::uint32_t, const void*) {}
void insert_callers(Thread&, const std::uint64_t*, std::size_t) {}
void misused(Thread& t, Misuse what, const void*, std::uint32_t) {
  put(what == Misuse::kSignalUnsafe ? "signal-unsafe" : "errno-in-signal", &t, std::uintptr_t{0});
}

}  // namespace redflag::rt

namespace redflag::interpose::testing {

Recording::Recording() {
  rt::used = 0;
  __atomic_store_n(&rt::recording, true, __ATOMIC_RELEASE);
}
Recording::~Recording() {
  __atomic_store_n(&rt::recording, false, __ATOMIC_RELEASE);
}

namespace {

// Events made while the answer is put together are not part of it.
template <class Wanted>
std::string words(const Wanted& wanted, bool sizes) {
  const std::size_t count = rt::used;
  std::string text;
  for (std::size_t i = 0; i < count && i < rt::kRoom; ++i) {
    const rt::Event e = rt::events[i];
    if (!wanted(e)) continue;
    if (!text.empty()) text += ' ';
    text += e.word;
    if (sizes && e.size != 0) text += ':' + std::to_string(e.size);
  }
  return text;
}

}  // namespace

std::string Recording::about(std::uintptr_t object) const {
  return words([&](const rt::Event& e) { return e.object == object; }, true);
}
std::string Recording::about(const void* object) const {
  return about(reinterpret_cast<std::uintptr_t>(object));
}
std::string Recording::order() const {
  return words([](const rt::Event& e) { return e.size == 0; }, false);
}
int Recording::count(const char* word) const {
  const std::size_t last = rt::used;
  int n = 0;
  for (std::size_t i = 0; i < last && i < rt::kRoom; ++i) n += rt::same(rt::events[i].word, word);
  return n;
}

void set_busy(bool busy) {
  rt::inside += busy ? 1 : -1;
  if (rt::inside == 0 && rt::delivery_wanted) {
    rt::delivery_wanted = false;
    rt::deliver();
  }
}
std::size_t depth() {
  return rt::mine->depth;
}
void set_lock_depth(int depth) {
  rt::lock_depth = depth;
}

}  // namespace redflag::interpose::testing
