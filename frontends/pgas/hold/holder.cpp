#include "frontends/pgas/hold/holder.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "frontends/cpu/abi/hold.h"
#include "frontends/pgas/hold/combs.h"
#include "frontends/pgas/track/layer.h"

namespace redflag::pgas::hold {
namespace {

Holder* g_holder = nullptr;
const abi::HoldTable* g_runtime = nullptr;  // of libredflag, if the program has it

// Memory of other ranks, as it is mapped here. Only appended to, since other threads read it at any time.
struct Mapped {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  Part owner;
};
constexpr std::uint32_t kMostMapped = 4096;
std::array<Mapped, kMostMapped> g_mapped;
std::atomic<std::uint32_t> g_mapped_count{0};

// For libredflag (abi/hold.h): of a thread that is about to load or store. The library may have called the
// program back, and may not be called then.
Progress g_progress;
void help_others() {
  if (Outermost::is_any() || !g_progress.is_allowed()) return;
  const int kept = errno;
  g_progress.make();
  errno = kept;
}

}  // namespace

Holder::Holder(std::unique_ptr<Board> board, std::uint32_t rank)
    : board_(std::move(board)), code_(board_->shared()) {
  board_->set_rank(rank);
}

// --- Memory -------------------------------------------------------------------------------------------

void Holder::window_made(std::uint64_t number, std::map<std::uint32_t, Part> parts) {
  const std::lock_guard guard(lock_);
  windows_[number] = std::move(parts);
}

void Holder::window_freed(std::uint64_t number) {
  const std::lock_guard guard(lock_);
  windows_.erase(number);
}

void Holder::mapped(std::uint64_t begin, std::uint64_t size, const Part& owner) {
  const std::lock_guard guard(lock_);
  const std::uint32_t n = g_mapped_count.load(std::memory_order_relaxed);
  if (n == kMostMapped) return;
  g_mapped[n] = {begin, size, owner};
  g_mapped_count.store(n + 1, std::memory_order_release);
}

// The newest first: memory may have been given back and mapped again.
void Holder::name_owner(std::uint64_t* process, std::uint64_t* address) {
  for (std::uint32_t i = g_mapped_count.load(std::memory_order_acquire); i > 0; --i) {
    const Mapped& one = g_mapped[i - 1];
    if (*address - one.begin >= one.size) continue;
    *process = one.owner.process;
    *address = one.owner.base + (*address - one.begin);
    return;
  }
}

// --- Operations ---------------------------------------------------------------------------------------

void Holder::issue(const LibraryCall& call, std::uint64_t number,
                   std::span<const OriginBuffer> buffers, const TargetAccess* target,
                   bool local_is_all) {
  const std::lock_guard guard(lock_);
  Coming coming;
  coming.sides = code_.sides_of_call(call.caller);
  if (coming.sides == 0 || number == 0) return;
  Operation made;
  made.number = number;
  made.sides = coming.sides;
  made.local_is_all = local_is_all;
  for (std::uint32_t i = 0; i < wire::kHoldSides; ++i) {
    if ((coming.sides >> i & 1) != 0) coming.arrival[i] = ++arrivals_[i];
  }
  std::vector<Touched> touched;
  for (const OriginBuffer& buffer : buffers) {
    for (const wire::HoldMemory& each : combs(buffer.address, buffer.pieces)) {
      touched.push_back({board_->process(), each, buffer.kind == AccessKind::kOriginWrite});
    }
  }
  const std::size_t origins = touched.size();
  if (target != nullptr) {
    made.group = target->group;
    made.target = target->rank;
    made.has_target = true;
    const auto window = windows_.find(target->window);
    if (window != windows_.end() && window->second.contains(target->rank)) {
      const Part& part = window->second.at(target->rank);
      const std::uint64_t base =
          part.base + static_cast<std::uint64_t>(target->displacement) * part.unit;
      for (const wire::HoldMemory& each : combs(base, target->pieces)) {
        touched.push_back({part.process, each, info(target->kind).writes});
      }
    }
  }
  board_->meet(coming, touched);
  const Board::Worth worth = board_->arrive(coming, touched);
  made.wants_hold = worth.held;
  for (std::size_t i = 0; i < touched.size() && worth.posted; ++i) {
    made.memory.push_back({board_->post(coming, touched[i]), i < origins});
  }
  operations_.push_back(std::move(made));
}

void Holder::wait_for(const std::function<bool(const Operation&)>& concerned) {
  std::vector<Board::Slot*> slots;
  Sides sides = 0;
  {
    const std::lock_guard guard(lock_);
    for (const Operation& each : operations_) {
      if (!each.wants_hold || !concerned(each)) continue;
      sides |= each.sides;
      for (const Memory& memory : each.memory) {
        if (memory.slot != nullptr) slots.push_back(memory.slot);
      }
    }
  }
  if (!slots.empty()) board_->wait(slots, sides);
}

void Holder::end(Completes how, Operation& operation) {
  const bool all = how == Completes::kRemotely || operation.local_is_all || !operation.has_target;
  std::erase_if(operation.memory, [&](const Memory& memory) {
    if (!memory.is_origin && !all) return false;
    if (memory.slot != nullptr) board_->take_back(memory.slot);
    return true;
  });
  operation.wants_hold = operation.wants_hold && !all;
  if (all) operation.number = 0;
}

template <typename Concerned>
void Holder::end_those(Completes how, Concerned concerned) {
  const std::lock_guard guard(lock_);
  for (Operation& each : operations_) {
    if (concerned(each)) end(how, each);
  }
  std::erase_if(operations_, [](const Operation& each) { return each.number == 0; });
}

void Holder::hold(std::span<const std::uint64_t> operations) {
  wait_for([&](const Operation& each) {
    return std::find(operations.begin(), operations.end(), each.number) != operations.end();
  });
  run_deferred();
}

void Holder::complete(Completes how, std::uint64_t group, std::optional<std::uint32_t> target) {
  const auto concerned = [&](const Operation& each) {
    return each.has_target && each.group == group && (!target || each.target == *target);
  };
  wait_for(concerned);
  run_deferred();
  end_those(how, concerned);
}

void Holder::complete_operation(Completes how, std::uint64_t operation) {
  end_those(how, [&](const Operation& each) { return each.number == operation; });
}

// --- Deferring ----------------------------------------------------------------------------------------

bool Holder::defers(std::uint64_t operation) const {
  const std::lock_guard guard(lock_);
  return std::any_of(operations_.begin(), operations_.end(), [&](const Operation& each) {
    return each.number == operation && board_->defer(each.sides) != wire::kHoldAtOnce;
  });
}

void Holder::defer(std::uint64_t operation, std::function<void()> real, bool keeps_order) {
  const std::lock_guard guard(lock_);
  Deferred made;
  made.real = std::move(real);
  made.keeps_order = keeps_order;
  for (const Operation& each : operations_) {
    made.reverses |= each.number == operation && board_->defer(each.sides) == wire::kHoldReversed;
  }
  deferred_.push_back(std::move(made));
}

// Those that may be reversed change places among themselves; the others stay where they are.
void Holder::run_deferred() {
  std::vector<Deferred> now;
  {
    const std::lock_guard guard(lock_);
    now.swap(deferred_);
  }
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].reverses && !now[i].keeps_order) free.push_back(i);
  }
  for (std::size_t i = 0; i < free.size() / 2; ++i) {
    std::swap(now[free[i]].real, now[free[free.size() - 1 - i]].real);
  }
  for (const Deferred& each : now) each.real();
}

// --- This process -------------------------------------------------------------------------------------

Holder* holder() {
  return g_holder;
}

void start_holding(std::uint32_t rank, const std::function<bool(bool mine)>& is_everywhere,
                   Progress progress) {
  const char* const path = std::getenv(wire::kHoldVariable);
  std::unique_ptr<Board> board = Board::open(path);
  const bool mine = board != nullptr;
  if (!is_everywhere(mine)) {
    if (mine) {
      std::fputs(
          "redflag: needed: all ranks on one machine, for 'redflag confirm'\nfound: a rank that "
          "cannot open the shared file which 'redflag confirm' uses; no rank is held\nto mend it: "
          "start "
          "the job on this machine alone (mpirun --host localhost:4 -n 4 ...)\n",
          stderr);
    }
    return;
  }
  if (!mine) return;
  board->set_progress(progress.make);
  g_progress = std::move(progress);
  g_holder =
      new Holder(std::move(board), rank);  // never given back: threads may be in it at the end
  using Find = const abi::HoldTable* (*)();
  const auto find = reinterpret_cast<Find>(::dlsym(RTLD_DEFAULT, abi::kHoldName));
  if (find == nullptr || find()->version != abi::kHoldVersion) return;
  g_runtime = find();
  g_runtime->join(rank, &Holder::name_owner, &help_others);
}

Pause::Pause(const LibraryCall& call) : thread_(g_runtime == nullptr ? nullptr : call.thread) {
  if (thread_ != nullptr) g_runtime->pause(thread_, true);
}

Pause::~Pause() {
  if (thread_ != nullptr) g_runtime->pause(thread_, false);
}

}  // namespace redflag::pgas::hold
