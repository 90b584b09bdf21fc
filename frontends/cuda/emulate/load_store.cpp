// ld, st and their parameters: one template for each direction, over space, element and telling.
#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

struct Wide {
  std::uint64_t low, high;
};

template <typename T>
T read(std::uint64_t host) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(host), sizeof(T));
  return value;
}
template <typename T>
void write(std::uint64_t host, T value) {
  std::memcpy(reinterpret_cast<void*>(host), &value, sizeof(T));
}

// Narrow values lie zero-extended in words, after sign extension to the register's width.
template <typename T>
void load_words(Run& run, Ref ref, const MemoryOp& how, std::uint64_t offset) {
  if constexpr (sizeof(T) == 16) {
    auto* const to = run.at<std::uint64_t>(ref);
    for_each_lane(run.active, [&](unsigned lane) {
      const auto value = read<Wide>(run.host[lane] + offset);
      to[lane] = value.low;
      to[lane + kWarp] = value.high;
    });
  } else {
    using Signed = std::make_signed_t<T>;
    if (how.register_bits == 64) {
      auto* const to = run.at<std::uint64_t>(ref);
      for_each_lane(run.active, [&](unsigned lane) {
        const T value = read<T>(run.host[lane] + offset);
        to[lane] = how.sign_extend ? static_cast<std::uint64_t>(static_cast<Signed>(value))
                                   : static_cast<std::uint64_t>(value);
      });
    } else if (how.sign_extend && sizeof(T) < 4) {
      const std::uint32_t mask = how.register_bits == 16 ? 0xffff : 0xffffffff;
      auto* const to = run.at<std::uint32_t>(ref);
      for_each_lane(run.active, [&](unsigned lane) {
        const auto value = static_cast<Signed>(read<T>(run.host[lane] + offset));
        to[lane] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) & mask;
      });
    } else {
      auto* const to = run.at<std::uint32_t>(ref);
      for_each_lane(run.active, [&](unsigned lane) {
        to[lane] = static_cast<std::uint32_t>(read<T>(run.host[lane] + offset));
      });
    }
  }
}

template <typename T>
void store_words(Run& run, Ref ref, std::uint64_t offset) {
  if constexpr (sizeof(T) == 16) {
    const auto* const from = run.at<std::uint64_t>(ref);
    for_each_lane(run.active, [&](unsigned lane) {
      write(run.host[lane] + offset, Wide{from[lane], from[lane + kWarp]});
    });
  } else if constexpr (sizeof(T) == 8) {
    const auto* const from = run.at<std::uint64_t>(ref);
    for_each_lane(run.active, [&](unsigned lane) { write(run.host[lane] + offset, from[lane]); });
  } else {
    const auto* const from = run.at<std::uint32_t>(ref);
    for_each_lane(run.active, [&](unsigned lane) {
      write(run.host[lane] + offset, static_cast<T>(from[lane]));
    });
  }
}

// The first 8 bytes that each lane stores: its own, not what memory holds after another lane's store.
template <typename T>
void take_values(Run& run, const MicroOp& op) {
  for_each_lane(run.active, [&](unsigned lane) {
    std::uint64_t value = 0;
    if constexpr (sizeof(T) >= 8) {
      value = run.at<std::uint64_t>(op.refs[0])[lane];
    } else {
      for (unsigned i = 0; i < op.sources && i * sizeof(T) < 8; ++i) {
        const auto part = static_cast<T>(run.at<std::uint32_t>(op.refs[i])[lane]);
        value |= static_cast<std::uint64_t>(part) << (8 * sizeof(T) * i);
      }
    }
    run.value[lane] = value;
  });
}

template <SpaceKind kind, typename T, bool sink>
void do_load(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const Resolved where = resolve<kind>(run, op, how, how.bytes, how.align, false);
  if (!where.good) return;
  if constexpr (sink) {
    tell_memory(run, op, how, how.is_strong ? gpu::StepKind::kAtomicLoad : gpu::StepKind::kRead,
                where, how.bytes, false);
  }
  // The base register may be a destination: addresses were taken before.
  for (unsigned i = 0; i < op.results; ++i) {
    if (op.refs[i] != make_ref(Place::kFrame, 64)) {  // not discarded
      load_words<T>(run, op.refs[i], how, std::uint64_t{i} * sizeof(T));
    }
  }
  if (how.is_strong || how.is_volatile) {
    const std::uint64_t at = run.host[first(run.active)];
    if constexpr (sizeof(T) == 16) {
      note_polling(run, op, at, read<std::uint64_t>(at));
    } else {
      note_polling(run, op, at, read<T>(at));
    }
  }
}

template <SpaceKind kind, typename T, bool sink>
void do_store(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const Resolved where = resolve<kind>(run, op, how, how.bytes, how.align, true);
  if (!where.good) return;
  run.spins = 0;
  for (unsigned i = 0; i < op.sources; ++i) {
    store_words<T>(run, op.refs[i], std::uint64_t{i} * sizeof(T));
  }
  if constexpr (sink) {
    take_values<T>(run, op);
    tell_memory(run, op, how, how.is_strong ? gpu::StepKind::kAtomicStore : gpu::StepKind::kWrite,
                where, how.bytes, true);
  }
}

// A kernel's parameters: the same for all threads.
template <typename T>
void do_load_kernel_parameter(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const auto at =
      reinterpret_cast<std::uint64_t>(run.machine->params) + static_cast<std::uint64_t>(how.offset);
  for (unsigned lane = 0; lane < kWarp; ++lane) run.host[lane] = at;
  for (unsigned i = 0; i < op.results; ++i) {
    load_words<T>(run, op.refs[i], how, std::uint64_t{i} * sizeof(T));
  }
}

// Parameters of a call: bytes of each lane in the frame.
template <typename T, bool writes>
void do_frame_parameter(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  // `offset` is that of lane 0's byte; lanes are `number` bytes apart.
  const auto base =
      reinterpret_cast<std::uint64_t>(run.places[0]) + static_cast<std::uint64_t>(how.offset);
  for (unsigned lane = 0; lane < kWarp; ++lane) {
    run.host[lane] = base + std::uint64_t{how.number} * lane;
  }
  if constexpr (writes) {
    for (unsigned i = 0; i < op.sources; ++i) {
      store_words<T>(run, op.refs[i], std::uint64_t{i} * sizeof(T));
    }
  } else {
    for (unsigned i = 0; i < op.results; ++i) {
      load_words<T>(run, op.refs[i], how, std::uint64_t{i} * sizeof(T));
    }
  }
}

template <SpaceKind kind, typename T>
Handler pick(bool writes, bool sink) {
  if (writes) return sink ? &do_store<kind, T, true> : &do_store<kind, T, false>;
  return sink ? &do_load<kind, T, true> : &do_load<kind, T, false>;
}

template <SpaceKind kind>
Handler pick(unsigned element, bool writes, bool sink) {
  switch (element) {
    case 1:
      return pick<kind, std::uint8_t>(writes, sink);
    case 2:
      return pick<kind, std::uint16_t>(writes, sink);
    case 4:
      return pick<kind, std::uint32_t>(writes, sink);
    case 8:
      return pick<kind, std::uint64_t>(writes, sink);
    case 16:
      return pick<kind, Wide>(writes, sink);
    default:
      return nullptr;
  }
}

Handler pick(const MemoryOp& how, bool writes, bool sink) {
  switch (space_kind(how.space)) {
    case SpaceKind::kGlobal:
      return pick<SpaceKind::kGlobal>(how.element, writes, sink && !how.is_const);
    case SpaceKind::kShared:
      return pick<SpaceKind::kShared>(how.element, writes, sink);
    case SpaceKind::kLocal:
      return pick<SpaceKind::kLocal>(how.element, writes, false);
    case SpaceKind::kGeneric:
      return pick<SpaceKind::kGeneric>(how.element, writes, sink);
  }
  return nullptr;
}

template <typename T>
Handler pick_parameter(bool of_kernel, bool writes) {
  if (of_kernel) return &do_load_kernel_parameter<T>;
  return writes ? &do_frame_parameter<T, true> : &do_frame_parameter<T, false>;
}

}  // namespace

// A weak write of an indeterminate value (PTX ISA 9.0, section 9.7.9.19): what was there stays.
void do_discard(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  const Resolved where = resolve_in(how.space, run, op, how, how.bytes, how.align, true);
  if (!where.good || run.machine->sink == nullptr) return;
  tell_memory(run, op, how, gpu::StepKind::kWrite, where, how.bytes, false);
}

// A parameter of a device function, from the bytes of each lane in the frame to its local memory.
void do_keep_parameter(Run& run, const MicroOp& op) {
  const MemoryOp& how = *static_cast<const MemoryOp*>(op.extra);
  constexpr std::uint32_t kPiece = 16;  // local memory is interleaved by 32
  const std::byte* const base = run.places[0] + how.offset;
  for (std::uint32_t done = 0; done < how.number; done += kPiece) {
    const std::uint64_t at = std::uint64_t{run.frame->local_base} + op.constant + done;
    for_each_lane(run.active, [&](unsigned lane) { run.address[lane] = at; });
    if (!resolve_local_lanes(run, op, run.address, run.active, kPiece, kPiece, true, run.host)) {
      return;
    }
    for_each_lane(run.active, [&](unsigned lane) {
      const std::byte* const from = base + std::size_t{how.number} * lane + done;
      std::memcpy(reinterpret_cast<void*>(run.host[lane]), from, kPiece);
    });
  }
}

Handler load_handler(const MemoryOp& how, const Mode& mode) {
  return pick(how, false, mode.sink);
}
Handler store_handler(const MemoryOp& how, const Mode& mode) {
  return pick(how, true, mode.sink);
}

Handler parameter_handler(const MemoryOp& how, bool of_kernel, bool writes) {
  switch (how.element) {
    case 1:
      return pick_parameter<std::uint8_t>(of_kernel, writes);
    case 2:
      return pick_parameter<std::uint16_t>(of_kernel, writes);
    case 4:
      return pick_parameter<std::uint32_t>(of_kernel, writes);
    case 8:
      return pick_parameter<std::uint64_t>(of_kernel, writes);
    case 16:
      return pick_parameter<Wide>(of_kernel, writes);
    default:
      return nullptr;
  }
}

}  // namespace redflag::cuda
