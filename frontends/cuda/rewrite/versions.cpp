#include "frontends/cuda/rewrite/versions.h"

#include <algorithm>
#include <cstring>

#include "core/detect/gpu/compact/flat.h"
#include "frontends/cuda/ptx/print.h"
#include "frontends/cuda/rewrite/flat.h"
#include "frontends/cuda/rewrite/typical.h"

namespace redflag::rewrite {
namespace {

using device::Deed;

constexpr std::uint8_t kMostBytes = 16;

bool is_whole_barrier(const ptx::Instruction& from) {
  const auto operands = from.operands();
  const bool reduces = role_of(from, 0) == ptx::Role::kDestination;
  const std::size_t begin = reduces ? 1 : 0, end = operands.size() - begin;
  return end <= begin + 1 || operands[begin + 1].kind == ptx::OperandKind::kNone;
}

prove::Access access_of(const Plan& plan) {
  prove::Access made;
  const device::What& what = plan.what;
  made.memory = what.memory == device::Memory::kGlobal   ? prove::Memory::kGlobal
                : what.memory == device::Memory::kShared ? prove::Memory::kShared
                                                         : prove::Memory::kAny;
  made.bytes = what.bytes;
  made.writes =
      what.deed == Deed::kWrite || what.deed == Deed::kAtomicStore || what.deed == Deed::kAtomicRmw;
  made.is_atomic = plan.action == Action::kAtomic && !what.is_volatile;
  made.is_narrow =
      what.scope == Scope::kBlock || what.scope == Scope::kWarp || what.scope == Scope::kCluster;
  return made;
}

// Why the kernel has no proof; empty: nothing speaks against one.
std::string tell(const ptx::Module& module, const ptx::Function& kernel,
                 const ptx::Instruction& from, const Plan& plan, Verdict verdict, prove::Told& to) {
  const auto refused = [&](const char* why) {
    return "'" + ptx::print(module, kernel, from) + "' " + why;
  };
  if (from.op == ptx::Op::kUnknown) return refused("is unknown");
  if (from.flow() == ptx::Flow::kCall) return refused("calls a function");
  if (verdict == Verdict::kPrivate || verdict == Verdict::kConstant) return {};
  switch (plan.action) {
    case Action::kNone:
    case Action::kPrivate:
    case Action::kConstant:
    case Action::kFence:
    case Action::kWarpSync:
    case Action::kReturn:
    case Action::kExit:
    case Action::kTexture:  // choose()
      return {};
    case Action::kSurface:
      return plan.what.deed == Deed::kRead ? std::string() : refused("writes a surface");
    case Action::kBarrier:
      to.role = prove::Role::kBarrier;
      return is_whole_barrier(from) ? std::string()
                                    : refused("is a barrier of only some of the block's threads");
    case Action::kLoad:
    case Action::kStore:
    case Action::kAtomic: {
      to.role = prove::Role::kAccess;
      to.access = access_of(plan);
      to.address = plan.address;
      if (plan.what.memory == device::Memory::kSharedCluster) {
        return refused("accesses shared memory of other blocks");
      }
      const bool is_sized =
          plan.what.bytes != 0 && plan.what.bytes <= kMostBytes && plan.address != nullptr;
      return is_sized ? std::string() : refused("is wider than 16 bytes");
    }
    default:
      return refused("copies or synchronises in a way that proofs do not support");
  }
}

bool is_placed_alike(const prove::Access& a, const prove::Access& b) {
  if (!prove::may_meet(a, b)) return false;
  if (a.memory == prove::Memory::kShared && b.memory == prove::Memory::kShared) return true;
  // Different pointers lead into different allocations, it is hoped.
  const bool are_known = !a.address.is_wild && !b.address.is_wild;
  return !are_known || a.address.pointers == b.address.pointers;
}

// What direct cells are for (core/detect/gpu/compact/direct.h).
bool has_whole_words(const Plan& plan) {
  const std::uint8_t bytes = plan.what.bytes;
  return bytes == 4 || bytes == 8 || bytes == 16;
}

// Accesses of which no launch can know that they do not race.
std::vector<bool> hopeless(const prove::Proof& proof) {
  const std::size_t count = proof.accesses.size();
  std::vector<bool> out(count);
  const auto compare = [&](std::size_t i, std::size_t j) {
    const prove::Access& a = proof.accesses[i];
    const prove::Access& b = proof.accesses[j];
    const bool is_known = a.address.is_exact && b.address.is_exact;
    if (!is_known && is_placed_alike(a, b)) out[i] = out[j] = true;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const prove::Access& a = proof.accesses[i];
    out[i] = out[i] || (a.memory != prove::Memory::kShared && a.address.is_wild);
    for (std::size_t j = i; j < count; ++j) {
      const prove::Access& b = proof.accesses[j];
      const bool is_shared =
          a.memory == prove::Memory::kShared || b.memory == prove::Memory::kShared;
      const bool is_across = !is_shared && !proof.has_grid_barriers;
      if (is_across && prove::may_race(a, b, false)) compare(i, j);
    }
  }
  for (const prove::Together& pair : proof.together) compare(pair.first, pair.second);
  for (const prove::Together& pair : proof.across) compare(pair.first, pair.second);
  return out;
}

// Whether the launch may write memory that it reads through a texture.
bool may_write_textures(const prove::Proof& proof, const prove::Answer& answer,
                        const HasTexture& has_texture) {
  if (!has_texture) return true;
  for (std::size_t i = 0; i < proof.accesses.size(); ++i) {
    const prove::Access& access = proof.accesses[i];
    if (!access.writes || access.memory == prove::Memory::kShared) continue;
    if (answer.places[i] == 0 || has_texture(answer.places[i])) return true;
  }
  return false;
}

}  // namespace

prove::Described proof_of(const ptx::Module& module, const ptx::Function& kernel,
                          const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts) {
  const std::vector<ptx::Instruction>& all = kernel.body.instructions;
  std::vector<prove::Told> told(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string why_not = tell(module, kernel, all[i], plans[i], verdicts[i], told[i]);
    if (!why_not.empty()) return {{}, std::move(why_not)};
  }
  return prove::describe(module, kernel, told);
}

Lean lean_of(const prove::Proof& proof, const ptx::Function& kernel,
             const std::vector<Place>& places) {
  const Assumed typical = typical_launch(proof, kernel, places);
  prove::Answer answer = prove::ask(proof, typical.facts(), assumed_allocation);
  const std::vector<bool> always = hopeless(proof);
  for (std::size_t i = 0; i < always.size(); ++i) answer.noisy[i] = answer.noisy[i] || always[i];
  return {std::move(answer.noisy), answer.is_within_block};
}

bool plan_lean(const Lean& lean, const ptx::Function& function, const std::vector<Plan>& plans,
               bool is_hot, bool has_direct, Kernel& kernel) {
  const std::vector<prove::Access>& accesses = kernel.proof.accesses;
  const auto count = std::count(lean.told.begin(), lean.told.end(), true);
  if (count == 0) return false;
  bool is_flat = is_hot, is_direct = !is_hot && has_direct, has_shared = false;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (!lean.told[i]) continue;
    if (accesses[i].memory == prove::Memory::kShared) {
      has_shared = true;
      continue;
    }
    const Plan& plan = plans[accesses[i].instruction];
    is_flat = is_flat && Flat::can_tell(plan);
    is_direct = is_direct && has_whole_words(plan);
  }
  is_flat = is_flat && function.body.instructions.size() < gpu::compact::Flat::kMostSites;
  if (!is_flat && !is_direct && count == static_cast<std::ptrdiff_t>(lean.told.size())) {
    return false;
  }
  kernel.lean = lean.told;
  kernel.is_lean_within_block = lean.is_within_block;
  kernel.is_lean_flat = is_flat;
  kernel.is_lean_shared = has_shared || (is_hot && !is_flat);
  kernel.is_lean_direct = is_direct;
  return true;
}

Version choose(const Kernel& kernel, const prove::Facts& facts,
               const prove::Allocations& allocations, const MakeCells& make_cells,
               const HasTexture& has_texture) {
  if (!kernel.proof.is_possible) return Version::kFull;
  const prove::Answer answer = prove::ask(kernel.proof, facts, allocations);
  if (kernel.reads_textures && may_write_textures(kernel.proof, answer, has_texture)) {
    return Version::kFull;
  }
  const std::vector<bool>& noisy = answer.noisy;
  if (std::find(noisy.begin(), noisy.end(), true) == noisy.end()) return Version::kPlain;
  if (kernel.lean.empty()) return Version::kFull;
  if (answer.is_within_block && !kernel.is_lean_within_block) return Version::kFull;
  std::vector<std::uint64_t> places;
  bool are_known = static_cast<bool>(make_cells);
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    if (noisy[i] && !kernel.lean[i]) return Version::kFull;
    if (!noisy[i] || kernel.proof.accesses[i].memory == prove::Memory::kShared) continue;
    are_known = are_known && answer.places[i] != 0;
    places.push_back(answer.places[i]);
  }
  if (kernel.is_lean_flat && !(are_known && make_cells(places, device::Cells::kFlat))) {
    return Version::kFull;
  }
  // Without direct cells the same hooks go to lines.
  if (kernel.is_lean_direct && are_known) (void)make_cells(places, device::Cells::kDirect);
  return Version::kLean;
}

std::string name_of(const std::string& kernel, Version version) {
  if (version == Version::kPlain) return "redflag_plain_" + kernel;
  return version == Version::kLean ? "redflag_lean_" + kernel : kernel;
}

std::vector<std::byte> parameter_block(const Kernel& kernel, std::span<void* const> pointers) {
  std::vector<std::byte> block(kernel.launch_offset);
  for (std::size_t i = 0; i < kernel.places.size(); ++i) {
    if (i >= pointers.size() || pointers[i] == nullptr) return {};
    std::memcpy(block.data() + kernel.places[i].offset, pointers[i], kernel.places[i].bytes);
  }
  return block;
}

}  // namespace redflag::rewrite
