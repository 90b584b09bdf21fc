// suld, sust and sured: bytes of an image, by coordinates.
//
// Where an access goes is in frontends/cuda/texture/surface.h. Outside of the image .trap ends the launch as an
// access out of bounds does.
#include <bit>

#include "frontends/cuda/emulate/space.h"
#include "frontends/cuda/emulate/texture_op.h"
#include "frontends/cuda/texture/surface.h"

namespace redflag::cuda {
namespace {

// Where lanes access an image: Run::address of those that are inside.
struct Places {
  Lanes lanes = 0;
  Lanes inside = 0;
  std::uint32_t bytes = 0;  // of each
};

// False: a fault.
bool locate(Run& run, const MicroOp& op, const TextureOp& how, const Image& image, bool writes,
            Places& to) {
  const std::uint32_t bytes = how.formatted && writes && how.op == ptx::Op::kSust
                                  ? 0
                                  : std::uint32_t{how.vector} * ptx::bytes_of(how.type);
  for (Lanes rest = to.lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    std::int32_t at[3] = {0, 0, 0};
    for (unsigned i = 0; i < axes_of(how.shape); ++i) {
      at[i] = static_cast<std::int32_t>(run.at<std::uint32_t>(how.coordinates[i])[lane]);
    }
    if (how.layer != kNoRef) {
      at[2] = static_cast<std::int32_t>(run.at<std::uint32_t>(how.layer)[lane]);
    }
    const SurfacePlace place =
        surface_place(image, how.formatted, how.boundary, bytes, at[0], at[1], at[2]);
    to.bytes = place.bytes;
    if (how.boundary != Boundary::kClamp && (place.x & (place.bytes - 1)) != 0) {
      run.fault(FaultKind::kMisaligned, op, lane, place.x, place.bytes, writes, "surface");
      return false;
    }
    if (!place.is_inside && how.boundary == Boundary::kTrap) {
      run.fault(FaultKind::kOutOfBounds, op, lane, place.x, place.bytes, writes, "surface");
      return false;
    }
    if (!place.is_inside) continue;
    to.inside |= Lanes{1} << lane;
    run.address[lane] = place.address;
  }
  return to.inside == 0 ||
         resolve_global(run, op, run.address, to.inside, to.bytes, to.bytes, writes);
}

void tell(const Run& run, const MicroOp& op, gpu::StepKind kind, const Places& where) {
  if (run.machine->sink == nullptr || where.inside == 0) return;
  gpu::Step step = run.step(kind, op, where.inside);
  step.size = static_cast<std::uint8_t>(where.bytes);
  step.address = run.address;
  if (kind != gpu::StepKind::kRead) step.value = run.value;
  if (kind == gpu::StepKind::kAtomicRmw) {
    step.order = Order::kRelaxed;
    step.scope = Scope::kDevice;
    step.wrote = where.inside;
  }
  run.machine->sink->step(step);
}

std::uint64_t word_of(const Run& run, const TextureOp& how, unsigned i, unsigned lane) {
  return how.register_bits == 64 ? run.at<std::uint64_t>(how.data[i])[lane]
                                 : run.at<std::uint32_t>(how.data[i])[lane];
}

template <typename T>
T reduced(ptx::Operation operation, bool is_signed, T old, T operand) {
  using Signed = std::make_signed_t<T>;
  const bool less =
      is_signed ? static_cast<Signed>(old) < static_cast<Signed>(operand) : old < operand;
  switch (operation) {
    case ptx::Operation::kAdd:
      return old + operand;
    case ptx::Operation::kAnd:
      return old & operand;
    case ptx::Operation::kOr:
      return old | operand;
    case ptx::Operation::kMin:
      return less ? old : operand;
    default:
      return less ? operand : old;
  }
}

template <typename T>
void reduce(Run& run, const TextureOp& how, const Places& where, bool is_signed) {
  for_each_lane(where.inside, [&](unsigned lane) {
    const auto operand = static_cast<T>(word_of(run, how, 0, lane));
    auto* const at = reinterpret_cast<T*>(run.address[lane]);
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    T changed = reduced(how.operation, is_signed, old, operand);
    while (
        !__atomic_compare_exchange_n(at, &old, changed, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      changed = reduced(how.operation, is_signed, old, operand);
    }
    run.value[lane] = changed;
  });
}

void load(const Run& run, const TextureOp& how, const Places& where) {
  const std::uint32_t bytes = ptx::bytes_of(how.type);
  for_each_lane(where.lanes, [&](unsigned lane) {
    const bool inside = (where.inside >> lane & 1) != 0;
    for (unsigned i = 0; i < how.vector; ++i) {
      std::uint64_t word = 0;
      if (inside) {
        const std::uint64_t from = run.address[lane] + std::uint64_t{i} * bytes;
        std::memcpy(&word, reinterpret_cast<const void*>(from), bytes);
      }
      if (how.register_bits == 64) {
        run.at<std::uint64_t>(how.data[i])[lane] = word;
      } else {
        run.at<std::uint32_t>(how.data[i])[lane] = static_cast<std::uint32_t>(word);
      }
    }
  });
}

void store(Run& run, const TextureOp& how, const Places& where, const Image& image) {
  const std::uint32_t bytes = ptx::bytes_of(how.type);
  for_each_lane(where.inside, [&](unsigned lane) {
    std::byte texel[32] = {};
    TexelWords words{};
    for (unsigned i = 0; i < how.vector; ++i) {
      const std::uint64_t word = word_of(run, how, i, lane);
      words[i] = static_cast<std::uint32_t>(word);
      std::memcpy(texel + std::size_t{i} * bytes, &word, bytes);
    }
    if (how.formatted) pack_texel(image, words, texel);
    std::memcpy(reinterpret_cast<void*>(run.address[lane]), texel, where.bytes);
    run.value[lane] = 0;
    std::memcpy(&run.value[lane], texel, std::min<std::size_t>(where.bytes, 8));
  });
}

}  // namespace

void do_surface_load(Run& run, const MicroOp& op) {
  const TextureOp& how = *static_cast<const TextureOp*>(op.extra);
  for_each_object(run, op, how, [&](const Texture& object, Lanes lanes) {
    Places where{lanes};
    if (!locate(run, op, how, object.image, false, where)) return false;
    tell(run, op, gpu::StepKind::kRead, where);
    load(run, how, where);
    return true;
  });
}

void do_surface_store(Run& run, const MicroOp& op) {
  const TextureOp& how = *static_cast<const TextureOp*>(op.extra);
  run.spins = 0;
  for_each_object(run, op, how, [&](const Texture& object, Lanes lanes) {
    Places where{lanes};
    if (!locate(run, op, how, object.image, true, where)) return false;
    store(run, how, where, object.image);
    tell(run, op, gpu::StepKind::kWrite, where);
    return true;
  });
}

void do_surface_reduction(Run& run, const MicroOp& op) {
  const TextureOp& how = *static_cast<const TextureOp*>(op.extra);
  for_each_object(run, op, how, [&](const Texture& object, Lanes lanes) {
    Places where{lanes};
    if (!locate(run, op, how, object.image, true, where)) return false;
    const bool is_signed = how.formatted
                               ? object.image.kind == ChannelKind::kSigned
                               : ptx::info(how.type).type_class == ptx::TypeClass::kSigned;
    if (where.bytes == 8) {
      reduce<std::uint64_t>(run, how, where, is_signed);
    } else {
      reduce<std::uint32_t>(run, how, where, is_signed);
    }
    tell(run, op, gpu::StepKind::kAtomicRmw, where);
    return true;
  });
}

}  // namespace redflag::cuda
