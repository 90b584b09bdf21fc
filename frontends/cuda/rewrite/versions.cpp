#include "frontends/cuda/rewrite/versions.h"

#include <algorithm>
#include <cstring>

#include "frontends/cuda/prove/describe.h"

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

// False: the kernel has no proof.
bool tell(const ptx::Instruction& from, const Plan& plan, Verdict verdict, prove::Told& to) {
  if (from.op == ptx::Op::kUnknown || from.flow() == ptx::Flow::kCall) return false;
  if (verdict == Verdict::kPrivate || verdict == Verdict::kConstant) return true;
  switch (plan.action) {
    case Action::kNone:
    case Action::kPrivate:
    case Action::kConstant:
    case Action::kFence:
    case Action::kWarpSync:
    case Action::kReturn:
    case Action::kExit:
      return true;
    case Action::kBarrier:
      to.role = prove::Role::kBarrier;
      return is_whole_barrier(from);
    case Action::kLoad:
    case Action::kStore:
    case Action::kAtomic:
      to.role = prove::Role::kAccess;
      to.access = access_of(plan);
      to.address = plan.address;
      return plan.what.memory != device::Memory::kSharedCluster && plan.what.bytes != 0 &&
             plan.what.bytes <= kMostBytes && plan.address != nullptr;
    default:
      return false;
  }
}

bool is_placed_alike(const prove::Access& a, const prove::Access& b) {
  if (!prove::may_meet(a, b)) return false;
  if (a.memory == prove::Memory::kShared && b.memory == prove::Memory::kShared) return true;
  // Different pointers lead into different allocations, it is hoped.
  const bool are_known = !a.address.is_wild && !b.address.is_wild;
  return !are_known || a.address.pointers == b.address.pointers;
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

}  // namespace

prove::Proof proof_of(const ptx::Module& module, const ptx::Function& kernel,
                      const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts) {
  const std::vector<ptx::Instruction>& all = kernel.body.instructions;
  std::vector<prove::Told> told(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!tell(all[i], plans[i], verdicts[i], told[i])) return {};
  }
  return prove::describe(module, kernel, told);
}

Lean lean_of(const prove::Proof& proof, const ptx::Function& kernel,
             const std::vector<Place>& places) {
  // Many threads and blocks in as many directions as the kernel asks for, large numbers, and pointers
  // that lead to different allocations.
  constexpr std::uint32_t kThreads[3][3] = {{128, 1, 1}, {16, 8, 1}, {8, 4, 4}};
  constexpr std::uint32_t kBlocks = 8, kNumber = 4096;
  constexpr unsigned kFar = 40;
  bool has_threads[3] = {true, false, false}, has_blocks[3] = {true, false, false};
  for (const ptx::Instruction& each : kernel.body.instructions) {
    for (const ptx::Operand& operand : each.operands()) {
      if (operand.kind != ptx::OperandKind::kSpecial) continue;
      const auto axis =
          static_cast<unsigned>(operand.component) - static_cast<unsigned>(ptx::Component::kX);
      if (axis > 2) continue;
      if (operand.special() == ptx::Special::kTid) has_threads[axis] = true;
      if (operand.special() == ptx::Special::kCtaid) has_blocks[axis] = true;
    }
  }
  prove::Facts facts;
  const unsigned axes = has_threads[2] ? 2 : has_threads[1] ? 1 : 0;
  for (unsigned i = 0; i < 3; ++i) {
    facts.sizes.threads[i] = kThreads[axes][i];
    facts.sizes.blocks[i] = has_blocks[i] ? kBlocks : 1;
  }
  std::uint64_t next = 0;
  std::vector<std::byte> block(places.empty() ? 0 : places.back().offset + places.back().bytes);
  for (const Place& each : places) {
    const std::uint64_t value = each.bytes == 8 ? ++next << kFar : kNumber;
    if (each.bytes <= 8) std::memcpy(block.data() + each.offset, &value, each.bytes);
  }
  facts.parameters = block;
  std::vector<std::uint64_t> variables;
  while (variables.size() < proof.variables.size()) variables.push_back(++next << kFar);
  facts.variables = variables;
  prove::Answer answer =
      prove::ask(proof, facts, [](std::uint64_t address) { return address >> kFar; });
  const std::vector<bool> always = hopeless(proof);
  for (std::size_t i = 0; i < always.size(); ++i) answer.noisy[i] = answer.noisy[i] || always[i];
  return {std::move(answer.noisy), answer.is_within_block};
}

Version choose(const Kernel& kernel, const prove::Facts& facts,
               const prove::Allocations& allocations, const MakeCells& make_cells) {
  if (!kernel.proof.is_possible) return Version::kFull;
  const prove::Answer answer = prove::ask(kernel.proof, facts, allocations);
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
