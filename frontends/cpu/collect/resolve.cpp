#include "frontends/cpu/collect/resolve.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "core/explain/advice.h"

namespace redflag::collect {
namespace {

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Functions of libredflag, linked either way.
constexpr std::array<std::string_view, 6> kRuntimeNames{
    "redflag::rt::",     "redflag::live::", "redflag::interpose::",
    "redflag::openmp::", "__tsan_",         "redflag_call_routine"};

bool is_runtime(const CodeFrame& frame) {
  return file_name(frame.module).starts_with("libredflag") ||
         std::any_of(kRuntimeNames.begin(), kRuntimeNames.end(),
                     [&](std::string_view name) { return frame.function.starts_with(name); });
}

// What calls main, constructors of globals and threads' first functions.
constexpr std::array<std::string_view, 12> kStarters{
    "_start",   "__libc_start_main",     "__libc_start_call_main", "__libc_csu_init", "call_init",
    "_dl_init", "__do_global_ctors_aux", "start_thread",           "clone",           "clone3",
    "__clone",  "__libc_start_main_impl"};
constexpr std::array<std::string_view, 5> kStarterFiles{"libc.so", "libc-", "ld-linux",
                                                        "libpthread", "ld-musl"};

bool is_starter(const CodeFrame& frame) {
  const std::string_view file = file_name(frame.module);
  return std::find(kStarters.begin(), kStarters.end(), frame.function) != kStarters.end() ||
         std::any_of(kStarterFiles.begin(), kStarterFiles.end(),
                     [file](std::string_view name) { return file.starts_with(name); });
}

// Of a thread that ended long ago not even the number may be known.
std::string thread_name(const wire::ThreadRecord* record) {
  if (record == nullptr) return "a thread no longer known";
  const wire::ThreadRecord& thread = *record;
  const std::string_view name = wire::name_of(thread);
  if (!name.empty()) return std::string(name);
  return thread.number == 0 ? "main" : "T" + std::to_string(thread.number);
}

class Resolver {
 public:
  Resolver(const wire::RaceMessage& message, const symbolize::ProcessMap& map,
           symbolize::Symbolizer& symbolizer)
      : message_(message), map_(map), symbolizer_(symbolizer) {}

  Finding run() {
    const wire::Race& race = message_.race;
    finding_.rule = static_cast<Rule>(race.rule);
    finding_.addr = Addr{race.addr};
    finding_.size = race.size;
    threads();
    locks();
    finding_.has_first = race.has_first != 0;
    if (finding_.has_first) finding_.first = side(race.first);
    finding_.second = side(race.second);
    specialise();
    const RuleGroup group = info(finding_.rule).group;
    if (group != RuleGroup::kThread && group != RuleGroup::kSignal) memory();
    if (group == RuleGroup::kLock) finding_.size = 0;  // the address alone means something
    if (finding_.rule == Rule::kDestroyLocked) holder();
    if (finding_.rule == Rule::kErrnoInSignal) handler();
    order_locks();
    advise_by_sides(finding_);
    if (race.in_signal_handler != 0) {
      finding_.missing_text += " " + finding_.second.thread_name + " was in a signal handler.";
    }
    return std::move(finding_);
  }

 private:
  Stack stack(const wire::StackRef& ref) {
    std::vector<RawFrame> frames;
    for (const std::uint64_t pc : message_.stack(ref)) {
      if ((pc & wire::kExactPc) != 0) {
        frames.push_back({symbolizer_.function(map_, pc & ~wire::kExactPc), true});
        continue;
      }
      if (pc == 0) continue;
      for (CodeFrame& frame : symbolizer_.frames(map_, pc - 1)) {
        frames.push_back({std::move(frame), false});
      }
    }
    return cut(std::move(frames));
  }

  void threads() {
    for (const wire::ThreadRecord& record : message_.threads) {
      ThreadOrigin one;
      one.thread = ThreadId{record.number};
      one.name = thread_name(&record);
      one.system_id = record.tid;
      one.state =
          record.running != 0 ? ThreadOrigin::State::kRunning : ThreadOrigin::State::kFinished;
      one.is_fiber = record.is_fiber != 0;
      if (record.parent != wire::kNoThread) {
        one.parent = ThreadId{record.parent};
        const wire::ThreadRecord* parent = message_.thread(record.parent);
        if (parent != nullptr) one.parent_name = thread_name(parent);
        if (parent == nullptr && record.parent == 0) one.parent_name = "main";
      }
      one.created = stack(record.created);
      finding_.threads.push_back(std::move(one));
    }
  }

  void locks() {
    for (const wire::LockRecord& record : message_.locks) {
      LockOrigin one;
      one.id = record.id;
      one.addr = Addr{record.addr};
      one.read_write = record.read_write != 0;
      one.destroyed = record.destroyed != 0;
      one.created = stack(record.created);
      one.allocated = stack(record.allocated);
      one.name = lock_name(record);
      finding_.locks.push_back(std::move(one));
    }
  }

  // As the program calls it where that is known. Of a lock on the heap the number tells it from
  // others.
  std::string lock_name(const wire::LockRecord& record) {
    if (const auto variable = symbolizer_.variable(map_, record.addr)) {
      const std::uint64_t offset = record.addr - variable->address;
      if (offset == 0 || !variable->member.empty()) return variable->name + variable->member;
      return "mutex at offset " + std::to_string(offset) + " of '" + variable->name + "'";
    }
    std::string number = "M" + std::to_string(record.id);
    if (record.block == 0 || record.addr < record.block) return number;
    const wire::MemoryRecord& raced = message_.race.memory;
    const bool same =
        raced.addr == record.block && raced.kind == static_cast<std::uint8_t>(RegionKind::kHeap);
    return number + " (offset " + std::to_string(record.addr - record.block) +
           (same ? " of the same heap block)" : " of a heap block)");
  }

  Side side(const wire::AccessRecord& record) {
    Side side;
    side.access = {.addr = Addr{record.addr},
                   .clock = record.clock,
                   .thread = ThreadId{record.thread},
                   .size = record.size,
                   .kind = static_cast<EventKind>(record.kind),
                   .order = static_cast<Order>(record.order),
                   .is_volatile = record.is_volatile != 0};
    side.thread_name = thread_name(message_.thread(record.thread));
    side.stack = stack(record.stack);
    side.more_locks = record.more_held;
    side.is_vptr = record.is_vptr != 0;
    for (const wire::HeldRecord& held : message_.held(record)) {
      const LockOrigin& lock = finding_.locks[held.lock];
      side.locks.push_back({lock.name, held.shared != 0, lock.id, stack(held.acquired)});
    }
    return side;
  }

  void memory() {
    const wire::MemoryRecord& record = message_.race.memory;
    MemoryOrigin& origin = finding_.origin;
    if (record.thread != wire::kNoThread) origin.thread = ThreadId{record.thread};
    finding_.memory_stack = stack(record.allocated);
    origin.freed = record.freed != 0;
    if (record.freed_by != wire::kNoThread) origin.freed_by = ThreadId{record.freed_by};
    origin.freed_at = stack(record.freed_at);
    if (record.is_fd != 0) {
      origin.descriptor = static_cast<std::int32_t>(record.addr);
      return;
    }
    const auto kind = static_cast<RegionKind>(record.kind);
    if (kind != RegionKind::kUnknown && kind != RegionKind::kGlobal) {
      // A region of no size would count as unknown; of a stack the size is often not known.
      finding_.memory = {.addr = Addr{record.addr != 0 ? record.addr : message_.race.addr},
                         .size = std::max<std::uint64_t>(record.size, 1),
                         .kind = kind,
                         .name = ""};
      return;
    }
    const auto variable = symbolizer_.variable(map_, message_.race.addr);
    if (!variable) return;
    finding_.memory = {.addr = Addr{variable->address},
                       .size = variable->size,
                       .kind = RegionKind::kGlobal,
                       .name = variable->name};
    origin.module = variable->module;
    origin.offset = variable->offset;
    origin.member = variable->member;
    if (!variable->declared.file.empty()) finding_.memory_stack = {variable->declared};
  }

  // The class from the two accesses: a runtime need not know all of them.
  void specialise() {
    if (info(finding_.rule).group != RuleGroup::kRace) return;
    const EventKind first = finding_.first.access.kind;
    const EventKind second = finding_.second.access.kind;
    finding_.rule = classify(first, second);
    if (first == EventKind::kFree) {
      finding_.rule = Rule::kUseAfterFree;
    } else if ((finding_.first.is_vptr || finding_.second.is_vptr) && second != EventKind::kFree) {
      finding_.rule = Rule::kVptr;
    }
  }

  // The handler has returned when its fault is found: the address of its function is what is left.
  void handler() {
    Stack frames = symbolizer_.frames(map_, message_.race.addr);
    if (frames.back().function.empty()) return;
    Stack& stack = finding_.second.stack;
    stack.insert(stack.begin(), std::make_move_iterator(frames.begin()),
                 std::make_move_iterator(frames.end()));
  }

  // Of a lock destroyed by the thread that holds it, the lock among those held tells since where.
  void holder() {
    if (finding_.has_first) return;
    for (const HeldLock& held : finding_.second.locks) {
      const auto lock = std::find_if(finding_.locks.begin(), finding_.locks.end(),
                                     [&](const LockOrigin& one) { return one.id == held.id; });
      if (lock == finding_.locks.end() || lock->addr != finding_.addr) continue;
      finding_.has_first = true;
      finding_.first.access.thread = finding_.second.access.thread;
      finding_.first.thread_name = finding_.second.thread_name;
      finding_.first.stack = held.acquired;
    }
  }

  // The lock it is about first, then those held, in the order in which they are spoken of.
  void order_locks() {
    std::vector<std::uint64_t> spoken;
    if (!is_race(finding_.rule)) {
      for (const LockOrigin& lock : finding_.locks) {
        if (lock.addr == finding_.addr) spoken.push_back(lock.id);
      }
    }
    for (const Side* side : {&finding_.second, &finding_.first}) {
      for (const HeldLock& held : side->locks) spoken.push_back(held.id);
    }
    const auto position = [&](const LockOrigin& lock) {
      return std::find(spoken.begin(), spoken.end(), lock.id) - spoken.begin();
    };
    std::sort(finding_.locks.begin(), finding_.locks.end(),
              [&](const LockOrigin& a, const LockOrigin& b) {
                const auto at_a = position(a);
                const auto at_b = position(b);
                return at_a != at_b ? at_a < at_b : a.id < b.id;
              });
  }

  const wire::RaceMessage& message_;
  const symbolize::ProcessMap& map_;
  symbolize::Symbolizer& symbolizer_;
  Finding finding_;
};

}  // namespace

Stack cut(std::vector<RawFrame> frames) {
  std::erase_if(frames, [](const RawFrame& one) { return !one.entry && is_runtime(one.frame); });
  const auto main = std::find_if(frames.rbegin(), frames.rend(), [](const RawFrame& one) {
    return !one.entry && one.frame.function == "main";
  });
  if (main != frames.rend()) frames.erase(main.base(), frames.end());
  while (!frames.empty() && !frames.back().entry && is_starter(frames.back().frame)) {
    frames.pop_back();
  }
  Stack stack;
  for (RawFrame& one : frames) stack.push_back(std::move(one.frame));
  return stack;
}

Finding resolve(const wire::RaceMessage& message, const symbolize::ProcessMap& map,
                symbolize::Symbolizer& symbolizer) {
  return Resolver(message, map, symbolizer).run();
}

}  // namespace redflag::collect
