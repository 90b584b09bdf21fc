// std::promise::set_value_at_thread_exit and its kin (packaged_task::make_ready_at_thread_exit).
//
// The value is set at once, in code that the compiler instruments; the shared state becomes ready
// when the thread ends, in libstdc++.so: a store, and a shared_ptr that is let go, both unseen. So
// the state would be read, and perhaps destroyed by its last owner, without order.
//
// The program's header calls _M_set for that. It is done here, in sight of the detector: an element
// of the C++ library's ABI (the next one, a callback, a weak_ptr to the state) waits in a list of
// the thread's, under a key whose destructor makes the states ready, as the library has it. The
// state's word is what waiting threads load with acquire; the counts of owners are what the header
// of shared_ptr changes, and the last one to let go knows what all others did.
//
// Not seen where the C++ library is linked statically into a program that is not -static.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "frontends/cpu/interpose/owners.h"

namespace redflag::interpose {

// operator delete, which may be the program's.
void delete_element(void* p, std::size_t n) __asm__("_ZdlPvm");

namespace {

// std::_Sp_counted_base. Its virtual functions: two destructors, _M_dispose, _M_destroy.
struct Counts {
  void (**functions)(Counts*);
  int owners;
  int observers;  // and one for all owners
};
constexpr int kDispose = 2;
constexpr int kDestroy = 3;

// std::__future_base::_State_baseV2
struct State {
  void* functions;
  void* result;
  std::uint32_t status;
};
constexpr std::uint32_t kReady = 1;
constexpr std::uint32_t kAwaited = 1U << 31;

// std::__future_base::_State_baseV2::_Make_ready
struct Element {
  Element* next;
  void (*callback)(void*);
  State* state;
  Counts* counts;
};

REDFLAG_REAL_SLOT(syscall, nullptr)

// weak_ptr::lock()
bool hold(Counts* counts) {
  if (counts == nullptr) return false;
  int owners = __atomic_load_n(&counts->owners, __ATOMIC_RELAXED);
  while (owners != 0) {
    if (__atomic_compare_exchange_n(&counts->owners, &owners, owners + 1, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

void let_go_observer(Counts* counts) {
  if (take_one(counts->observers)) counts->functions[kDestroy](counts);
}

void let_go_owner(Counts* counts) {
  if (!take_one(counts->owners)) return;
  counts->functions[kDispose](counts);
  let_go_observer(counts);
}

void make_ready(void* element) {
  auto* const e = static_cast<Element*>(element);
  if (hold(e->counts)) {
    std::uint32_t* const status = &e->state->status;
    if (rt::Thread* const t = rt::self()) rt::release(*t, key_of(status));
    if ((__atomic_exchange_n(status, kReady, __ATOMIC_ACQ_REL) & kAwaited) != 0) {
      reinterpret_cast<long (*)(long, ...)>(real_syscall.get())(SYS_futex, status, FUTEX_WAKE,
                                                                0x7fffffff, nullptr, nullptr, 0);
    }
    let_go_owner(e->counts);
  }
  if (e->counts != nullptr) let_go_observer(e->counts);
  delete_element(e, sizeof *e);
}

pthread_key_t elements;
bool at_exit_too = false;

void run_all(void* first) {
  for (auto* e = static_cast<Element*>(first); e != nullptr;) {
    Element* const next = e->next;
    e->callback(e);
    e = next;
  }
}

// Of the thread that calls exit, which has no other end.
void run_at_exit() {
  void* const first = pthread_getspecific(elements);
  pthread_setspecific(elements, nullptr);
  run_all(first);
}

}  // namespace

void start_futures() {
  pthread_key_create(&elements, &run_all);
}

REDFLAG_WRAP_NAME(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv);

// std::__future_base::_State_baseV2::_Make_ready::_M_set()
REDFLAG_EXPORT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, void* p) {
  if (!__atomic_exchange_n(&at_exit_too, true, __ATOMIC_RELAXED)) std::atexit(&run_at_exit);
  auto* const element = static_cast<Element*>(p);
  element->callback = &make_ready;
  element->next = static_cast<Element*>(pthread_getspecific(elements));
  pthread_setspecific(elements, element);
}

}  // namespace redflag::interpose
