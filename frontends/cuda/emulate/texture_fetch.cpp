// tex, tld4, txq and suq.
//
// Lanes that fetch from one object go together. Each texel of their footprints is one step that is told,
// a read of its bytes, so that a lane which filters is a reader of up to eight texels.
#include <bit>

#include "frontends/cuda/emulate/half_bits.h"
#include "frontends/cuda/emulate/space.h"
#include "frontends/cuda/emulate/texture_op.h"

namespace redflag::cuda {
namespace {

Coordinates coordinates_of(const Run& run, const TextureOp& how, unsigned lane) {
  Coordinates made;
  made.is_whole = how.whole;
  for (unsigned i = 0; i < axes_of(how.shape); ++i) {
    const std::uint32_t word = run.at<std::uint32_t>(how.coordinates[i])[lane];
    made.at[i] = std::bit_cast<float>(word);
    made.whole[i] = static_cast<std::int32_t>(word);
  }
  if (how.layer != kNoRef) made.layer = run.at<std::uint32_t>(how.layer)[lane];
  return made;
}

// Texel number `index` of the footprints: checked, and told. False: a fault.
bool read_taps(Run& run, const MicroOp& op, const Footprint* footprints, unsigned index,
               Lanes lanes, std::uint32_t bytes) {
  Lanes reads = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const Footprint& footprint = footprints[lane];
    if (index >= footprint.count || footprint.taps[index].address == 0) return;
    if (footprint.is_repeated(index)) return;
    run.address[lane] = footprint.taps[index].address;
    reads |= Lanes{1} << lane;
  });
  if (reads == 0) return true;
  if (!resolve_global(run, op, run.address, reads, bytes, bytes, false)) return false;
  if (run.machine->sink != nullptr) {
    gpu::Step step = run.step(gpu::StepKind::kRead, op, reads);
    step.size = static_cast<std::uint8_t>(bytes);
    step.address = run.address;
    run.machine->sink->step(step);
  }
  return true;
}

void put_words(const Run& run, const TextureOp& how, unsigned lane, const TexelWords& words) {
  const auto half = [&](unsigned i) -> std::uint32_t {
    return float_to_half(std::bit_cast<float>(words[i]));
  };
  for (unsigned i = 0; i < how.vector; ++i) {
    std::uint32_t word = words[i];
    if (how.type == ptx::Type::kF16) word = half(i);
    if (how.type == ptx::Type::kF16x2) word = half(2 * i % 4) | half((2 * i + 1) % 4) << 16;
    if (how.register_bits == 64) {
      run.at<std::uint64_t>(how.data[i])[lane] = word;
    } else {
      run.at<std::uint32_t>(how.data[i])[lane] = word;
    }
  }
}

bool fetch(Run& run, const MicroOp& op, const TextureOp& how, const Texture& texture, Lanes lanes) {
  const bool gathers = how.op == ptx::Op::kTld4;
  std::array<Footprint, kWarp> footprints;
  unsigned most = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const Coordinates at = coordinates_of(run, how, lane);
    footprints[lane] = gathers ? gather_footprint(texture, at) : footprint(texture, at);
    most = std::max(most, footprints[lane].count);
  });
  for (unsigned i = 0; i < most; ++i) {
    if (!read_taps(run, op, footprints.data(), i, lanes, texture.image.element())) return false;
  }
  for_each_lane(lanes, [&](unsigned lane) {
    put_words(run, how, lane,
              gathers ? gather(texture, footprints[lane], how.gathers)
                      : combine(texture, footprints[lane]));
  });
  return true;
}

bool fits(ImageShape shape, const Texture& texture) {
  const Image& image = texture.image;
  if (shape == image.shape || image.linear) return true;
  if (texture.is_surface) return shape == ImageShape::k2dLayered && is_cube(image.shape);
  // A device takes a single row for two dimensions.
  return shape == ImageShape::k2d && image.shape == ImageShape::k1d;
}

std::uint32_t answer(const TextureOp& how, const Texture& texture) {
  const Image& image = texture.image;
  const bool layered = is_layered(image.shape);
  std::uint64_t number = 0;
  switch (how.query) {
    case ptx::Mod::kQWidth:
      number = image.width;
      break;
    case ptx::Mod::kQHeight:
      number = axes_of(image.shape) > 1 ? image.height : 0;
      break;
    case ptx::Mod::kQDepth:
      number = image.shape == ImageShape::k3d ? image.depth : 0;
      break;
    case ptx::Mod::kQArraySize:
      number = layered ? image.depth / (is_cube(image.shape) ? 6 : 1) : 0;
      break;
    case ptx::Mod::kQMipmaps:
      number = 1;
      break;
    default:
      number = texture.sampler.normalized ? 1 : 0;
      break;
  }
  return static_cast<std::uint32_t>(number);
}

}  // namespace

const Texture* object_of(Run& run, const MicroOp& op, const TextureOp& how, unsigned lane) {
  const bool surface =
      how.op == ptx::Op::kSuld || how.op == ptx::Op::kSust || how.op == ptx::Op::kSured;
  const std::uint64_t handle = run.at<std::uint64_t>(how.object)[lane];
  const Texture* const found = run.machine->textures->find(handle);
  const bool is_query = how.op == ptx::Op::kTxq || how.op == ptx::Op::kSuq;
  std::string fault;
  if (found == nullptr) {
    fault = "no texture or surface object has the handle " + std::to_string(handle) +
            "; it was destroyed or never created";
  } else if (found->is_surface != surface && !is_query) {
    fault = found->is_surface ? "a surface object is used as a texture"
                              : "a texture object is used as a surface";
  } else if (!is_query && !fits(how.shape, *found)) {
    fault = "the geometry of the texture or surface object differs from the instruction's";
  }
  if (fault.empty()) return found;
  run.fault(FaultKind::kTrap, op, lane, 0, 0, false, fault);
  return nullptr;
}

void do_texture(Run& run, const MicroOp& op) {
  const TextureOp& how = *static_cast<const TextureOp*>(op.extra);
  for_each_object(run, op, how, [&](const Texture& texture, Lanes lanes) {
    if (how.resident != kNoRef) *run.at<std::uint32_t>(how.resident) |= lanes;
    return fetch(run, op, how, texture, lanes);
  });
}

void do_texture_query(Run& run, const MicroOp& op) {
  const TextureOp& how = *static_cast<const TextureOp*>(op.extra);
  for_each_object(run, op, how, [&](const Texture& texture, Lanes lanes) {
    for_each_lane(lanes, [&](unsigned lane) {
      run.at<std::uint32_t>(how.data[0])[lane] = answer(how, texture);
    });
    return true;
  });
}

}  // namespace redflag::cuda
