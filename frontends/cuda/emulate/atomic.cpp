// atom, red, and fences.
//
// Lanes go one after the other, in their order. With several workers the operation is a loop around a
// compare-and-swap of the host; otherwise nobody can come in between.
#include <atomic>
#include <bit>
#include <cmath>

#include "frontends/cuda/emulate/half_bits.h"
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

using ptx::Operation;
using ptx::Type;

using Wide = unsigned __int128;

template <typename F>
F least(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b;
}
template <typename F>
F greatest(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b;
}
template <typename F>
F combine(Operation operation, F a, F b) {
  return operation == Operation::kMin   ? least(a, b)
         : operation == Operation::kMax ? greatest(a, b)
                                        : a + b;
}

std::uint16_t combine_half(Operation operation, Type type, std::uint16_t a, std::uint16_t b) {
  if (type == Type::kBf16 || type == Type::kBf16x2) {
    return float_to_bfloat(combine(operation, bfloat_to_float(a), bfloat_to_float(b)));
  }
  return float_to_half(combine(operation, half_to_float(a), half_to_float(b)));
}

// What memory holds after the operation; `second` is the new value of a compare-and-swap.
template <typename T>
T apply(const MemoryOp& how, T old, T operand, T second) {
  switch (how.operation) {
    case Operation::kExch:
      return operand;
    case Operation::kCas:
      return old == operand ? second : old;
    case Operation::kAnd:
      return old & operand;
    case Operation::kOr:
      return old | operand;
    case Operation::kXor:
      return old ^ operand;
    case Operation::kInc:
      return old >= operand ? T{0} : static_cast<T>(old + 1);
    case Operation::kDec:
      return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    if (how.type == Type::kF32) {
      return std::bit_cast<T>(
          combine(how.operation, std::bit_cast<float>(old), std::bit_cast<float>(operand)));
    }
    if (how.type == Type::kF16x2 || how.type == Type::kBf16x2) {
      const std::uint16_t low =
          combine_half(how.operation, how.type, static_cast<std::uint16_t>(old),
                       static_cast<std::uint16_t>(operand));
      const std::uint16_t high =
          combine_half(how.operation, how.type, static_cast<std::uint16_t>(old >> 16),
                       static_cast<std::uint16_t>(operand >> 16));
      return static_cast<T>(high) << 16 | low;
    }
  } else if constexpr (sizeof(T) == 8) {
    if (how.type == Type::kF64) {
      return std::bit_cast<T>(
          combine(how.operation, std::bit_cast<double>(old), std::bit_cast<double>(operand)));
    }
  } else if constexpr (sizeof(T) == 2) {
    if (how.type == Type::kF16 || how.type == Type::kBf16) {
      return combine_half(how.operation, how.type, old, operand);
    }
  }
  if (how.operation == Operation::kAdd) return static_cast<T>(old + operand);
  bool less = old < operand;
  if constexpr (sizeof(T) <= 8) {
    using Signed = std::make_signed_t<T>;
    if (how.sign_extend) less = static_cast<Signed>(old) < static_cast<Signed>(operand);
  }
  return less == (how.operation == Operation::kMin) ? old : operand;
}

template <typename T>
T word(const Run& run, Ref ref, unsigned lane) {
  if constexpr (sizeof(T) == 16) {
    const auto* const from = run.at<std::uint64_t>(ref);
    return static_cast<Wide>(from[lane + kWarp]) << 64 | from[lane];
  } else if constexpr (sizeof(T) == 8) {
    return run.at<std::uint64_t>(ref)[lane];
  } else {
    return static_cast<T>(run.at<std::uint32_t>(ref)[lane]);
  }
}
template <typename T>
void set_word(const Run& run, Ref ref, unsigned lane, T value) {
  if constexpr (sizeof(T) == 16) {
    auto* const to = run.at<std::uint64_t>(ref);
    to[lane] = static_cast<std::uint64_t>(value);
    to[lane + kWarp] = static_cast<std::uint64_t>(value >> 64);
  } else if constexpr (sizeof(T) == 8) {
    run.at<std::uint64_t>(ref)[lane] = value;
  } else {
    run.at<std::uint32_t>(ref)[lane] = value;
  }
}

// 16 bytes have no compare-and-swap on every x86-64: one lock for all.
std::mutex wide_mutex;

template <typename T, bool parallel>
T change(std::uint64_t host, const MemoryOp& how, T operand, T second) {
  auto* const at = reinterpret_cast<T*>(host);
  if constexpr (!parallel) {
    T old;
    std::memcpy(&old, at, sizeof(T));
    const T changed = apply(how, old, operand, second);
    std::memcpy(at, &changed, sizeof(T));
    return old;
  } else if constexpr (sizeof(T) == 16) {
    const std::scoped_lock lock(wide_mutex);
    return change<T, false>(host, how, operand, second);
  } else {
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, apply(how, old, operand, second), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return old;
  }
}

template <SpaceKind kind, typename T, bool sink, bool parallel>
void do_atomic(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const Resolved where = resolve<kind>(run, op, how, how.bytes, how.align, true);
  if (!where.good) return;
  const unsigned parts = how.vector;
  const Ref* const operands = op.refs + op.results;
  Lanes wrote = how.operation == Operation::kCas ? 0 : run.active;
  const std::uint64_t polled_at = run.host[first(run.active)];
  std::uint64_t polled_value = 0;
  bool first_lane = true;
  for_each_lane(run.active, [&](unsigned lane) {
    for (unsigned i = 0; i < parts; ++i) {
      const T operand = word<T>(run, operands[i], lane);
      const T second = how.operation == Operation::kCas ? word<T>(run, operands[1], lane) : T{};
      const T old = change<T, parallel>(run.host[lane] + i * sizeof(T), how, operand, second);
      if (how.operation == Operation::kCas && old == operand) wrote |= 1U << lane;
      if (first_lane) {
        polled_value = static_cast<std::uint64_t>(old);
        first_lane = false;
      }
      if (op.results > i) set_word<T>(run, op.refs[i], lane, old);
    }
    if constexpr (sink) {
      run.value[lane] = 0;
      std::memcpy(&run.value[lane], reinterpret_cast<const void*>(run.host[lane]),
                  std::min<std::size_t>(how.bytes, 8));
    }
  });
  if constexpr (sink) {
    tell_memory(run, op, how, gpu::StepKind::kAtomicRmw, where, how.bytes, true, wrote);
  }
  if (op.results != 0) note_polling(run, op, polled_at, polled_value);
}

template <SpaceKind kind, typename T>
Handler pick(const Mode& mode) {
  if (mode.sink && kind != SpaceKind::kLocal) return &do_atomic<kind, T, true, false>;
  // A block, and so its shared memory, belongs to one worker.
  const bool alone = !mode.parallel || kind == SpaceKind::kShared;
  return alone ? &do_atomic<kind, T, false, false> : &do_atomic<kind, T, false, true>;
}

template <SpaceKind kind>
Handler pick(unsigned element, const Mode& mode) {
  switch (element) {
    case 2:
      return pick<kind, std::uint16_t>(mode);
    case 4:
      return pick<kind, std::uint32_t>(mode);
    case 8:
      return pick<kind, std::uint64_t>(mode);
    case 16:
      return pick<kind, Wide>(mode);
    default:
      return nullptr;
  }
}

template <bool sink>
void do_fence(Run& run, const MicroOp& op) {
  if (run.machine->parallel) std::atomic_thread_fence(std::memory_order_seq_cst);
  if constexpr (sink) {
    gpu::Step step = run.step(gpu::StepKind::kFence, op, run.active);
    step.order = static_cast<Order>(op.constant >> 8);
    step.scope = static_cast<Scope>(op.constant & 0xff);
    run.machine->sink->step(step);
  }
}

}  // namespace

Handler atomic_handler(const MemoryOp& how, const Mode& mode) {
  if (how.operation == Operation::kNone || how.operation == Operation::kPopc) return nullptr;
  switch (space_kind(how.space)) {
    case SpaceKind::kGlobal:
      return pick<SpaceKind::kGlobal>(how.element, mode);
    case SpaceKind::kShared:
      return pick<SpaceKind::kShared>(how.element, mode);
    case SpaceKind::kGeneric:
      return pick<SpaceKind::kGeneric>(how.element, mode);
    default:
      return nullptr;
  }
}

namespace {

template <typename T>
void reduce_one(const MemoryOp& how, std::uint64_t host, const void* operand, bool parallel) {
  T value;
  std::memcpy(&value, operand, sizeof(T));
  if (parallel) {
    change<T, true>(host, how, value, T{});
  } else {
    change<T, false>(host, how, value, T{});
  }
}

}  // namespace

bool can_reduce(const MemoryOp& how) {
  const bool known = how.operation != Operation::kNone && how.operation != Operation::kPopc &&
                     how.operation != Operation::kCas && how.operation != Operation::kExch;
  return known && (how.element == 2 || how.element == 4 || how.element == 8);
}

void reduce_element(const MemoryOp& how, std::uint64_t host, const void* operand, bool parallel) {
  if (how.element == 2) reduce_one<std::uint16_t>(how, host, operand, parallel);
  if (how.element == 4) reduce_one<std::uint32_t>(how, host, operand, parallel);
  if (how.element == 8) reduce_one<std::uint64_t>(how, host, operand, parallel);
}

Handler fence_handler(const Mode& mode) {
  return mode.sink ? &do_fence<true> : &do_fence<false>;
}

}  // namespace redflag::cuda
