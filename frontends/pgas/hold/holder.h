// Holder: one-sided operations of this rank that `redflag confirm` is interested in, from issue to completion.
//
// An operation at one of the statements in question is put on the board (board.h) when it is issued, with the
// target's memory and its own buffers, and taken off before the call that completes it. Just before that call the
// rank waits for a bounded time: whoever comes to the other statement then finds the operation
// pending, as the standards allow it to be. In some runs the library is not called before that moment either
// (defer()), or for several that wait, in the other order: what the standards leave open, the libraries of
// one machine rarely do by themselves.
//
// What is deferred is not left undone: any other call of the library that may wait for somebody
// does it first (run_deferred()). A program that waits without calling the library, for another rank to see what
// was deferred, waits for ever; `redflag confirm` ends such a run, and defers no more.
//
// Nothing here decides what is a race.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frontends/pgas/hold/board.h"
#include "frontends/pgas/track/job.h"

namespace redflag::pgas::hold {

// A rank's part of a window, or its copy of a symmetric object.
struct Part {
  std::uint64_t process = 0;
  std::uint64_t base = 0;
  std::uint64_t unit = 1;
};

class Holder {
 public:
  Holder(std::unique_ptr<Board> board, std::uint32_t rank);

  Board& board() { return *board_; }

  // --- Memory. By ranks of the job; of dynamic windows the base is 0.
  void window_made(std::uint64_t number, std::map<std::uint32_t, Part> parts);
  void window_freed(std::uint64_t number);
  // Memory of another rank that is mapped here.
  void mapped(std::uint64_t begin, std::uint64_t size, const Part& owner);
  // For libredflag (abi/hold.h).
  static void name_owner(std::uint64_t* process, std::uint64_t* address);

  // --- Operations, by their numbers in the job.
  void issue(const LibraryCall& call, std::uint64_t operation,
             std::span<const OriginBuffer> buffers, const TargetAccess* target, bool local_is_all);
  // Waits before the real call that may complete these; then what was deferred is done.
  void hold(std::span<const std::uint64_t> operations);
  // Before the real call that completes those of a group; `target` nothing: all.
  void complete(Completes how, std::uint64_t group, std::optional<std::uint32_t> target);
  void complete_operation(Completes how, std::uint64_t operation);

  // Whether the library is to be called later for it.
  bool defers(std::uint64_t operation) const;
  // `keeps_order`: the standard has it done before later ones of its kind (accumulates of one origin).
  void defer(std::uint64_t operation, std::function<void()> real, bool keeps_order);
  void run_deferred();

 private:
  struct Memory {
    Board::Slot* slot = nullptr;
    bool is_origin = false;
  };
  struct Operation {
    std::uint64_t number = 0;
    std::uint64_t group = 0;
    std::uint32_t target = 0;
    bool has_target = false;
    bool local_is_all = false;
    bool wants_hold = false;
    Sides sides = 0;
    std::vector<Memory> memory;
  };
  struct Deferred {
    std::function<void()> real;
    bool keeps_order = false;
    bool reverses = false;
  };

  void wait_for(const std::function<bool(const Operation&)>& concerned);
  void end(Completes how, Operation& operation);
  template <typename Concerned>
  void end_those(Completes how, Concerned concerned);

  std::unique_ptr<Board> board_;
  mutable QuietLock lock_;
  Code code_;
  std::map<std::uint64_t, std::map<std::uint32_t, Part>> windows_;
  std::array<std::uint32_t, wire::kHoldSides> arrivals_{};
  std::vector<Operation> operations_;
  std::vector<Deferred> deferred_;
};

// While it lasts, the calling thread is not held by libredflag at what the layer tells it of the call's buffers.
class Pause {
 public:
  explicit Pause(const LibraryCall& call);
  ~Pause();
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  void* thread_;  // nullptr: there is nothing to pause
};

// For this process, once start_holding() was called; nullptr: not under `redflag confirm`.
Holder* holder();
// What a rank that waits here does for the others meanwhile: their calls may need its library.
struct Progress {
  std::function<void()> make;
  // Whether the calling thread, which is in no call of the library, may make one now.
  std::function<bool()> is_allowed;
};
// In a rank of a job; `is_everywhere`: collective, whether all ranks answer alike.
void start_holding(std::uint32_t rank, const std::function<bool(bool mine)>& is_everywhere,
                   Progress progress);

}  // namespace redflag::pgas::hold
