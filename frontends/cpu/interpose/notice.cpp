#include "frontends/cpu/interpose/notice.h"

#include "frontends/cpu/interpose/parts.h"

namespace redflag::interpose {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRest = 8192;  // notices that rest before the first of them is used again

// Those given back, oldest first.
class Pool {
 public:
  SpinLock lock;

  // The first of all for which is_it(notice). Without the lock: pages are never given back.
  template <class IsIt>
  Notice* find(const IsIt& is_it) const {
    for (Page* page = __atomic_load_n(&pages_, __ATOMIC_ACQUIRE); page != nullptr;
         page = page->next) {
      for (Notice& one : page->notices) {
        if (is_it(one)) return &one;
      }
    }
    return nullptr;
  }

  Notice* take() {
    const SpinGuard guard(lock);
    const bool rested = resting_ > kRest;
    if (!rested && fresh_ == nullptr) refill();
    Notice*& from = rested ? first_ : fresh_;
    Notice* const n = from;
    if (n == nullptr) return nullptr;
    from = n->next;
    resting_ -= rested ? 1 : 0;
    return n;
  }

  void give(Notice* n) {
    const SpinGuard guard(lock);
    n->next = nullptr;
    (resting_ == 0 ? first_ : last_->next) = n;
    last_ = n;
    ++resting_;
  }

 private:
  struct Page {
    Page* next;
    Notice notices[(kPage - sizeof(Page*)) / sizeof(Notice)];
  };
  static_assert(sizeof(Page) <= kPage);

  void refill() {
    auto* const page = static_cast<Page*>(map_pages(kPage));
    if (page == nullptr) return;
    for (Notice& one : page->notices) {
      one.next = fresh_;
      fresh_ = &one;
    }
    page->next = pages_;
    __atomic_store_n(&pages_, page, __ATOMIC_RELEASE);
  }

  Page* pages_ = nullptr;
  Notice* fresh_ = nullptr;
  Notice* first_ = nullptr;
  Notice* last_ = nullptr;
  std::size_t resting_ = 0;
};
Pool pool;
bool (*is_under_way)(const void*) = nullptr;

// In libc's thread. The callback may end the thread, so nothing here is left to be done after it.
void notified(sigval value) {
  auto* const notice = static_cast<Notice*>(value.sival_ptr);
  if (rt::self() == nullptr) {
    thread_found(notice->stack, notice->thread, __builtin_frame_address(0));
  }
  if (rt::Thread* const t = rt::self()) {
    rt::acquire(*t, key_of(notice));
    const rt::SyncKey* const keys = notice->more != nullptr ? notice->more : notice->also;
    for (std::uint32_t i = 0; i < notice->also_count; ++i) rt::acquire(*t, keys[i]);
  }
  if (notice->inside != nullptr && is_under_way(notice->name)) {
    take_outside(*notice->inside, *notice);
  }
  const auto function = notice->function;
  const sigval its_value = notice->value;
  if (notice->once) give_back(notice);
  function(its_value);
}

}  // namespace

Notice* make_notice(const rt::LibraryCall& call, const sigevent* event, bool once) {
  if (!call || event == nullptr || event->sigev_notify != SIGEV_THREAD) return nullptr;
  if (event->sigev_notify_function == nullptr) return nullptr;
  Notice* const n = pool.take();
  if (n == nullptr) return nullptr;
  *n = {};
  n->function = event->sigev_notify_function;
  n->value = event->sigev_value;
  if (n->function == &notified) {
    // The event is used again, and still has what we put there (aio.cpp), perhaps with a new value.
    const Notice* const before = notice_of(*event);
    const Notice* const last =
        before != nullptr ? before
                          : pool.find([&](const Notice& one) { return one.inside == event; });
    if (last == nullptr) {
      pool.give(n);
      return nullptr;
    }
    n->function = last->function;
    if (before != nullptr) n->value = before->value;
  }
  n->stack = rt::where(*call.thread);
  n->thread = rt::number(*call.thread);
  n->once = once;
  rt::source_needed(*call.thread);
  return n;
}

sigevent with_notice(const sigevent& event, Notice* notice) {
  sigevent changed = event;
  changed.sigev_notify_function = &notified;
  changed.sigev_value.sival_ptr = notice;
  return changed;
}

Notice* notice_of(const sigevent& event) {
  if (event.sigev_notify != SIGEV_THREAD || event.sigev_notify_function != &notified) {
    return nullptr;
  }
  // The program may have put a value of its own there since.
  return pool.find([&](const Notice& one) { return &one == event.sigev_value.sival_ptr; });
}

void put_inside(sigevent& event, Notice* notice) {
  notice->inside = &event;
  event = with_notice(event, notice);
}

void take_outside(sigevent& event, const Notice& notice) {
  if (notice_of(event) != &notice) return;
  event.sigev_notify_function = notice.function;
  event.sigev_value = notice.value;
}

void on_callback(bool (*ask)(const void*)) {
  is_under_way = ask;
}

void lock_notices() {
  pool.lock.lock();
}
void unlock_notices() {
  pool.lock.unlock();
}

void give_back(Notice* notice) {
  if (notice == nullptr) return;
  if (notice->more != nullptr) plain_free(notice->more);
  notice->more = nullptr;
  notice->also_count = 0;
  pool.give(notice);
}

void acquire_also(Notice& notice, rt::SyncKey key) {
  constexpr std::uint32_t kFew = sizeof(notice.also) / sizeof(notice.also[0]);
  const std::uint32_t n = notice.also_count;
  if (n < kFew) {
    notice.also[notice.also_count++] = key;
    return;
  }
  // Room for a power of two.
  if (n == kFew || (n >= 8 && (n & (n - 1)) == 0)) {
    std::uint32_t room = 8;
    while (room <= n) room *= 2;
    auto* const wider = static_cast<rt::SyncKey*>(plain_malloc(room * sizeof(rt::SyncKey)));
    if (wider == nullptr) return;
    copy_bytes(wider, notice.more != nullptr ? notice.more : notice.also, n * sizeof(rt::SyncKey));
    if (notice.more != nullptr) plain_free(notice.more);
    notice.more = wider;
  }
  notice.more[notice.also_count++] = key;
}

void asked(const rt::LibraryCall& call, Notice* notice) {
  if (call && notice != nullptr) rt::release(*call.thread, key_of(notice));
}

}  // namespace redflag::interpose
