#include "core/report/sample_report.h"

#include <utility>

namespace redflag::sample {
namespace {

Access access(EventKind kind, std::uint32_t thread, std::uint64_t addr, std::uint32_t size,
              std::uint64_t index, Order order = Order::kPlain) {
  return {.addr = Addr{addr},
          .index = EventIndex{index},
          .clock = index / 2 + 1,
          .thread = ThreadId{thread},
          .size = size,
          .source = SourceId{thread + 10},
          .kind = kind,
          .order = order};
}

Frame frame(std::string function, std::string file, std::uint32_t line, std::uint32_t column = 0) {
  return {std::move(function), std::move(file), line, column};
}

CodeFrame code(std::string function, std::string file, std::uint32_t line, std::uint32_t column,
               std::uint64_t offset, std::string module = "/home/user/bank") {
  CodeFrame one(std::move(function), std::move(file), line, column);
  one.module = std::move(module);
  one.offset = offset;
  return one;
}

// The library function that was called: a name and a place in a binary, no source.
CodeFrame entry(std::string function, std::uint64_t offset) {
  CodeFrame one = code(std::move(function), "", 0, 0, offset, "/usr/lib/libredflag.so.0");
  one.line_state = LineState::kCalled;
  return one;
}

}  // namespace

Step step(std::uint64_t index, std::uint32_t thread, std::string what, Frame at, Step::Role role) {
  return {EventIndex{index}, ThreadId{thread}, role, std::move(what), std::move(at)};
}

std::vector<ThreadOrigin> main_and_teller() {
  ThreadOrigin main;
  main.name = "main";
  main.system_id = 4100;
  main.state = ThreadOrigin::State::kRunning;
  ThreadOrigin teller;
  teller.thread = ThreadId{1};
  teller.name = "teller";
  teller.system_id = 4101;
  teller.state = ThreadOrigin::State::kFinished;
  teller.parent = kMainThread;
  teller.parent_name = "main";
  teller.created = {entry("pthread_create", 0x51000), code("main", "bank.cpp", 30, 15, 0x1250)};
  return {main, teller};
}

Finding write_write() {
  Finding f;
  f.rule = Rule::kWriteWrite;
  f.addr = Addr{0x55d0c1a040};
  f.size = 8;
  f.memory = {Addr{0x55d0c1a040}, 8, RegionKind::kGlobal, "balance", SourceId{3}};
  f.memory_stack = {frame("", "bank.cpp", 7, 6)};
  f.first = {access(EventKind::kWrite, 1, 0x55d0c1a040, 8, 12),
             "teller",
             {frame("deposit(long)", "bank.cpp", 12, 11), frame("teller(int)", "bank.cpp", 26, 39),
              frame("std::thread::_Invoker<std::tuple<void (*)(int), int> >::operator()()",
                    "/opt/toolchain/include/bits/std_thread.h", 253),
              frame("start_thread", "", 0)},
             {{"accounts", false}}};
  f.second = {access(EventKind::kWrite, 0, 0x55d0c1a040, 8, 17),
              "main",
              {frame("reset()", "bank.cpp", 21, 11), frame("main", "bank.cpp", 32, 3)},
              {}};
  f.missing = Missing::kLockOnOneSide;
  f.missing_text = "T1 (teller) held the lock accounts, T0 (main) held none.";
  f.advice = "Take accounts in reset() as well, or call reset() before the threads start.";
  f.steps = {
      step(3, 0, "fork T1", frame("main", "bank.cpp", 30, 15)),
      step(4, 1, "begin"),
      step(6, 0, "fork T2", frame("main", "bank.cpp", 31, 15)),
      step(7, 2, "begin"),
      step(10, 1, "acquire accounts", frame("deposit(long)", "bank.cpp", 11, 19)),
      step(12, 1, "write 8 bytes", frame("deposit(long)", "bank.cpp", 12, 11), Step::Role::kFirst),
      step(13, 1, "release accounts", frame("deposit(long)", "bank.cpp", 13, 1)),
      step(17, 0, "write 8 bytes", frame("reset()", "bank.cpp", 21, 11), Step::Role::kSecond)};
  f.arrows = {{0, 1}, {2, 3}};
  f.count = 12;
  return f;
}

Finding write_read() {
  Finding f;
  f.rule = Rule::kWriteRead;
  f.addr = Addr{0x602000000030};
  f.size = 4;
  f.memory = {Addr{0x602000000010}, 40, RegionKind::kHeap, "Entry", SourceId{4}};
  f.memory_stack = {frame("operator new(unsigned long)", "", 0),
                    frame("refresh()", "cache.cpp", 15, 18)};
  f.first = {access(EventKind::kWrite, 1, 0x602000000030, 4, 40),
             "refresher",
             {frame("Entry::Entry(char const*, int)", "cache.cpp", 8, 2),
              frame("refresh()", "cache.cpp", 15, 22)},
             {}};
  f.second = {access(EventKind::kRead, 2, 0x602000000030, 4, 44),
              "T2",
              {frame("lookup()", "cache.cpp", 21, 23)},
              {}};
  f.missing = Missing::kReleaseOrder;
  f.missing_text = "T2 read ready as T1 (refresher) stored it, but the store was relaxed.";
  f.advice = "Store ready with memory_order_release in refresh().";
  f.steps = {
      step(40, 1, "write 4 bytes", frame("refresh()", "cache.cpp", 15, 22), Step::Role::kFirst),
      step(41, 1, "atomic-store ready relaxed", frame("refresh()", "cache.cpp", 16, 9)),
      step(43, 2, "atomic-load ready acquire", frame("lookup()", "cache.cpp", 20, 17)),
      step(44, 2, "read 4 bytes", frame("lookup()", "cache.cpp", 21, 23), Step::Role::kSecond)};
  return f;
}

Finding read_write() {
  Finding f;
  f.rule = Rule::kReadWrite;
  f.addr = Addr{0x55d0c1a044};
  f.size = 4;
  f.memory = {Addr{0x55d0c1a040}, 8, RegionKind::kGlobal, "balance", SourceId{3}};
  f.first = {access(EventKind::kRead, 2, 0x55d0c1a040, 8, 20), "auditor", {}, {{"journal", true}}};
  f.second = {access(EventKind::kWrite, 1, 0x55d0c1a044, 4, 25),
              "teller",
              {frame("memcpy", "", 0), frame("deposit(long)", "bank.cpp", 12, 11)},
              {{"accounts", false}}};
  f.missing = Missing::kCommonLock;
  f.missing_text = "T2 (auditor) held journal, T1 (teller) held accounts: no lock in common.";
  f.advice = "Hold accounts in audit() too.";
  f.count = 2;
  return f;
}

Finding atomic_plain() {
  Finding f;
  f.rule = Rule::kAtomicPlain;
  f.addr = Addr{0x55d0c1b000};
  f.size = 1;
  f.memory = {Addr{0x55d0c1b000}, 1, RegionKind::kGlobal, "ready", SourceId{5}};
  f.first = {access(EventKind::kAtomicStore, 1, 0x55d0c1b000, 1, 50, Order::kRelaxed),
             "refresher",
             {frame("refresh()", "cache.cpp", 16, 9)},
             {}};
  f.second = {access(EventKind::kRead, 3, 0x55d0c1b000, 1, 55),
              "T3",
              {frame("lookup()", "cache.cpp", 20, 17)},
              {}};
  f.second.access.is_volatile = true;
  f.missing = Missing::kAtomicAccess;
  f.missing_text = "T1 (refresher) stores ready atomically, T3 reads it plainly.";
  f.steps = {step(48, 1, "release journal"), step(49, 3, "acquire journal"),
             step(50, 1, "atomic-store 1 byte relaxed", {}, Step::Role::kFirst),
             step(55, 3, "read 1 byte", {}, Step::Role::kSecond)};
  f.arrows = {{0, 1}};
  return f;
}

Finding use_after_free() {
  Finding f;
  f.rule = Rule::kFree;
  f.addr = Addr{0x602000000010};
  f.size = 40;
  f.memory = {Addr{0x602000000010}, 40, RegionKind::kHeap, "", SourceId{4}};
  f.first = {access(EventKind::kRead, 2, 0x602000000030, 4, 60),
             "T2",
             {frame("lookup()", "cache.cpp", 21, 23)},
             {}};
  f.second = {access(EventKind::kFree, 1, 0x602000000010, 40, 64),
              "refresher",
              {frame("operator delete(void*)", "", 0), frame("evict()", "cache.cpp", 25, 3)},
              {}};
  f.missing = Missing::kJoinBeforeReuse;
  f.missing_text = "T1 (refresher) frees the block without waiting for T2.";
  f.advice = "Join T2 before evict(), or hold the entry in a std::shared_ptr.";
  f.steps = {
      step(60, 2, "read 4 bytes", frame("lookup()", "cache.cpp", 21, 23), Step::Role::kFirst),
      step(64, 1, "free 40 bytes", frame("evict()", "cache.cpp", 25, 3), Step::Role::kSecond)};
  return f;
}

Finding lockset() {
  Finding f;
  f.rule = Rule::kLockset;
  f.addr = Addr{0x55d0c1a048};
  f.size = 8;
  f.memory = {Addr{0x55d0c1a048}, 8, RegionKind::kGlobal, "transfers", SourceId{6}};
  f.first = {access(EventKind::kWrite, 2, 0x55d0c1a048, 8, 70),
             "auditor",
             {frame("audit()", "bank.cpp", 17, 30)},
             {{"journal", false}}};
  f.second = {access(EventKind::kWrite, 0, 0x55d0c1a048, 8, 75),
              "main",
              {frame("reset()", "bank.cpp", 22, 13), frame("main", "bank.cpp", 32, 3)},
              {}};
  f.missing = Missing::kLockOnOneSide;
  f.missing_text = "No lock was held at every access of transfers.";
  return f;
}

Finding bare() {
  Finding f;
  f.rule = Rule::kWriteWrite;
  f.addr = Addr{0x1000};
  f.size = 4;
  f.first = {access(EventKind::kWrite, 4, 0x1000, 0, 80), "T4", {}, {}};
  f.first.access.index = kNoIndex;
  f.second = {access(EventKind::kWrite, 5, 0x1000, 4, 81), "T5", {}, {}};
  f.missing_text = "No synchronisation joins T4 and T5.";
  return f;
}

Finding live() {
  Finding f = write_write();
  f.memory_stack = {code("", "bank.cpp", 7, 6, 0, "")};
  f.first.stack = {code("deposit(long)", "bank.cpp", 12, 11, 0x1180),
                   code("teller(int)", "bank.cpp", 26, 39, 0x11c0)};
  f.second.stack = {code("reset()", "bank.cpp", 21, 11, 0x1200),
                    code("main", "bank.cpp", 32, 3, 0x1290)};
  for (Side* side : {&f.first, &f.second}) side->access.index = kNoIndex;
  f.steps.clear();
  f.arrows.clear();
  f.threads = main_and_teller();
  LockOrigin accounts;
  accounts.id = 1;
  accounts.name = "accounts";
  accounts.addr = Addr{0x55d0c1a080};
  accounts.created = {entry("pthread_mutex_lock", 0x52000),
                      code("deposit(long)", "bank.cpp", 11, 19, 0x1150)};
  f.locks = {accounts};
  f.first.locks = {{"accounts", false, 1, accounts.created}};
  f.first.more_locks = 2;
  f.origin.module = "/home/user/bank";
  f.origin.offset = 0x4040;
  return f;
}

Finding live_freed() {
  Finding f = use_after_free();
  f.rule = Rule::kUseAfterFree;
  std::swap(f.first, f.second);
  f.steps.clear();
  f.first.stack.clear();
  f.first.thread_name = "teller";
  f.second.access.thread = kMainThread;
  f.second.thread_name = "main";
  f.second.is_vptr = true;
  f.second.stack = {entry("memcpy", 0x53000), code("lookup()", "cache.cpp", 21, 23, 0x1300)};
  f.memory_stack = {entry("operator new(unsigned long)", 0x50000),
                    code("refresh()", "cache.cpp", 15, 18, 0x1340)};
  f.threads = main_and_teller();
  f.origin.thread = kMainThread;
  f.origin.freed = true;
  f.origin.freed_by = ThreadId{1};
  f.origin.freed_at = {entry("operator delete(void*)", 0x50100),
                       code("evict()", "cache.cpp", 25, 3, 0x1380)};
  f.missing_text = "main uses the memory after teller has given it back.";
  return f;
}

Finding destroy_locked() {
  Finding f;
  f.rule = Rule::kDestroyLocked;
  f.addr = Addr{0x55d0c1a080};
  f.threads = main_and_teller();
  f.locks = live().locks;
  f.first = {access(EventKind::kWrite, 1, 0x55d0c1a080, 0, 0), "teller", f.locks[0].created, {}};
  f.second = {access(EventKind::kWrite, 0, 0x55d0c1a080, 0, 0),
              "main",
              {entry("pthread_mutex_destroy", 0x52100), code("main", "bank.cpp", 33, 3, 0x12a0)},
              {}};
  f.first.access.index = f.second.access.index = kNoIndex;
  f.memory = {Addr{0x55d0c1a080}, 40, RegionKind::kGlobal, "accounts", kNoSource};
  f.origin.module = "/home/user/bank";
  f.origin.offset = 0x4080;
  f.missing = Missing::kCorrectUse;
  return f;
}

Finding thread_leak() {
  Finding f;
  f.rule = Rule::kThreadLeak;
  f.size = 3;
  f.has_first = false;
  f.threads = main_and_teller();
  f.second = {access(EventKind::kRead, 1, 0, 0, 0), "teller", {}, {}};
  f.second.access.index = kNoIndex;
  f.missing = Missing::kCorrectUse;
  return f;
}

Finding signal_unsafe() {
  Finding f;
  f.rule = Rule::kSignalUnsafe;
  f.has_first = false;
  f.threads = main_and_teller();
  f.second = {access(EventKind::kRead, 0, 0, 0, 0),
              "main",
              {entry("malloc", 0x50200), code("on_signal(int)", "bank.cpp", 40, 3, 0x1400)},
              {}};
  f.second.access.index = kNoIndex;
  f.missing = Missing::kCorrectUse;
  return f;
}

Finding in_library() {
  Finding f = live();
  const std::string bits = "/usr/include/c++/12/bits/";
  const std::string text =
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  const std::string vector = "std::vector<" + text + ", std::allocator<" + text + " > >";
  f.memory.name = "names";
  f.origin.member = ".first[3]";
  f.first.stack = {
      code("void std::_Construct<" + text + ">(" + text + "*)", bits + "stl_construct.h", 119, 7,
           0x2100),
      code(vector + "::push_back(" + text + " const&)", bits + "stl_vector.h", 1281, 30, 0x2110),
      code("add_name(" + text + ")", "names.cpp", 9, 9, 0x2200),
      code("main::{lambda()#1}::operator()() const", "names.cpp", 20, 30, 0x2300),
      code("void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other, "
           "main::{lambda()#1}&&)",
           bits + "invoke.h", 61, 36, 0x2400),
      code("std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > "
           ">::_M_run()",
           bits + "std_thread.h", 211, 20, 0x2410),
      code("", "", 0, 0, 0xd44a2, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30")};
  f.first.stack.back().line_state = LineState::kSystemLibrary;
  f.second.stack = {code(vector + "::size() const", bits + "stl_vector.h", 988, 40, 0x2500),
                    code("main", "names.cpp", 24, 17, 0x2600)};
  return f;
}

std::vector<Finding> hard_to_name() {
  const auto at = [](const char* first, const char* second) {
    Finding f = live();
    f.first.stack[0].function = first;
    f.second.stack[0].function = second;
    return f;
  };
  std::vector<Finding> all{
      in_library(),
      at("Matrix operator*(Matrix const&, double)", "Matrix operator+(Matrix const&, double)"),
      at("Matrix operator+(Matrix const&, double)", "operator new(unsigned long)"),
      at("deposit(Account*)", "deposit(Account, Journal)"),
      at("deposit(Account, Journal)", "deposit(Account&)"),
      at("void Queue<int>::push(int)", "max_of<int>(int, int)"),
      at("void Queue<Job>::push(Job)", "max_of<Job>(Job, Job)"),
      at("deposit(long)", "deposit(long) [clone .part.0]"),
  };
  std::string long_name = "bank::accounts::transfer_between(";
  for (int i = 0; i < 40; ++i) long_name += "bank::accounts::Account const*, ";
  all.push_back(at((long_name + "int)").c_str(), "main"));
  all.push_back(at(("bank::accounts::Ledger<" + std::string(400, 'x') + ">::add(int)").c_str(),
                   "bank::accounts::audit_everything_between(int)"));
  // Nothing with a name but the variable, and not even that.
  Finding stripped = live();
  for (Side* side : {&stripped.first, &stripped.second}) {
    for (CodeFrame& one : side->stack) one = code("", "", 0, 0, one.offset, one.module);
  }
  all.push_back(stripped);
  stripped.memory = {};
  stripped.addr = Addr{0x7f0000001000};
  all.push_back(stripped);
  return all;
}

}  // namespace redflag::sample
