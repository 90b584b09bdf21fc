#include "frontends/cuda/rewrite/spins.h"

#include "frontends/cuda/ptx/walk.h"
#include "frontends/cuda/rewrite/text.h"

namespace redflag::rewrite {
namespace {

constexpr std::size_t kMost = 8;  // two registers each
// Who polls leaves the memory, and its warp's other lanes, to those who have work to do.
constexpr unsigned kRestNs = 20;

// The bits of what a load that acquires reads into a register of that size; 0: it is no such.
std::uint32_t acquired_bits(const Plan& plan, const ptx::Function& function,
                            const ptx::Instruction& from) {
  const device::What& what = plan.what;
  if (what.deed != device::Deed::kAtomicLoad || what.order != Order::kAcquire) return 0;
  if (from.op != ptx::Op::kLd || from.modifiers.vector != 1) return 0;
  const ptx::Operand& to = from.operands()[0];
  if (!to.is_register() || to.component != ptx::Component::kNone) return 0;
  const std::uint32_t bits = ptx::info(from.modifiers.type()).bits;
  const bool fits = ptx::info(function.body.registers[to.index].type).bits == bits;
  return fits && (bits == 32 || bits == 64) ? bits : 0;
}
bool can_be(const Plan& plan, const ptx::Function& function, const ptx::Instruction& from,
            bool ends_sequences) {
  using device::Deed;
  const device::What& what = plan.what;
  if (plan.action != Action::kAtomic || what.memory != device::Memory::kGlobal) return false;
  if (what.is_volatile) return false;
  if (what.order != Order::kRelaxed) return acquired_bits(plan, function, from) != 0;
  return what.deed == Deed::kAtomicLoad || (what.deed == Deed::kAtomicRmw && !ends_sequences);
}
std::string told(std::size_t i) {
  return "%redflag_told" + std::to_string(i);
}
std::string read(std::size_t i) {
  return "%redflag_read" + std::to_string(i);
}
void forget(std::size_t i, std::string& out) {
  add(out, "mov.b64 " + told(i) + ", 0;");
}
// A bit for each: it has read since it was told of last.
constexpr const char* kLate = "%redflag_late";
constexpr const char* kOnTime = "%redflag_on_time";  // for the moment
std::string bit_of(std::size_t i) {
  return std::to_string(1U << i);
}

}  // namespace

void Spins::find(const ptx::Module& module, const ptx::Function& function,
                 const std::vector<Plan>& plans, const std::vector<Verdict>& verdicts,
                 bool ends_sequences) {
  all_.clear();
  const ptx::Cfg cfg(module, function);
  // A way leads from the instruction to itself, with nothing on it that makes it begin anew. Another one that acquires may
  // read the same for all that time.
  const auto is_spinning = [&](std::uint32_t at) {
    const auto visit = [&](std::uint32_t i) {
      if (i == at) return ptx::Step::kFound;
      const bool ends = verdicts[i] == Verdict::kKeep && needs(plans[i]) == Needs::kTime &&
                        acquired_bits(plans[i], function, function.body.instructions[i]) == 0;
      return ends ? ptx::Step::kOver : ptx::Step::kOn;
    };
    return walk_back(cfg, cfg.block_of(at), at, visit).has_found;
  };
  for (std::uint32_t i = 0; i < plans.size() && all_.size() < kMost; ++i) {
    const ptx::Instruction& from = function.body.instructions[i];
    if (verdicts[i] != Verdict::kKeep || !can_be(plans[i], function, from, ends_sequences)) {
      continue;
    }
    if (is_spinning(i)) all_.push_back({i, {}, {}, acquired_bits(plans[i], function, from)});
  }
}

Spins::Needs Spins::needs(const Plan& plan) {
  switch (plan.action) {
    case Action::kNone:
    case Action::kPrivate:
    case Action::kConstant:
      return Needs::kNothing;
    case Action::kLoad:
    case Action::kStore:
    case Action::kDiscard:
      return Needs::kKnowledge;
    case Action::kAtomic:
      if (plan.what.order != Order::kRelaxed || plan.what.is_volatile) return Needs::kTime;
      return plan.what.bytes == 0 ? Needs::kNothing : Needs::kKnowledge;
    default:
      return Needs::kTime;
  }
}

const std::string* Spins::site_of(std::uint32_t instruction) const {
  for (const Spin& each : all_) {
    if (each.instruction == instruction) return &each.site;
  }
  return nullptr;
}

void Spins::declare(std::string& out) const {
  if (all_.empty()) return;
  add(out, std::string(".reg .b32 ") + kLate + ";\nmov.b32 " + kLate + ", 0;");
  add(out, std::string(".reg .pred ") + kOnTime + ";");
  for (std::size_t i = 0; i < all_.size(); ++i) {
    add(out, ".reg .b64 " + told(i) + ";\nmov.b64 " + told(i) + ", 0;");
    if (!all_[i].acquires()) continue;
    const std::string bits = std::to_string(all_[i].acquired_bits);
    add(out, ".reg .b" + bits + " " + read(i) + ";\nmov.b" + bits + " " + read(i) + ", 0;");
  }
}

// What it has read is in its register now. Who acquires begins something new for the others.
void Spins::skip_acquire(std::size_t at, const std::string& address, const std::string& value,
                         const std::string& same, std::string& after) {
  const std::string ended = label();
  const std::string bits = std::to_string(all_[at].acquired_bits);
  std::string text;
  add(text, "setp.eq.u64 " + same + ", " + told(at) + ", " + address + ";");
  add(text,
      "setp.eq.and.b" + bits + " " + same + ", " + read(at) + ", " + value + ", " + same + ";");
  add(text, "@" + same + " bra " + ended + ";");
  look_again(text);
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (k != at) forget(k, text);
  }
  text += after;
  add(text, "mov.b64 " + told(at) + ", " + address + ";");
  add(text, "mov.b" + bits + " " + read(at) + ", " + value + ";\n" + ended + ":");
  after = text;
}

void Spins::skip(std::uint32_t instruction, const Plan& plan, const std::string& address,
                 const std::string& value, const std::string& same, std::string& before,
                 std::string& after) {
  const bool is_poll = plan.what.deed == device::Deed::kAtomicLoad;
  const bool is_access = plan.what.bytes != 0;  // it must know what the others have read
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].instruction != instruction) continue;
    if (all_[i].acquires()) return skip_acquire(i, address, value, same, after);
    const std::string begun = label(), ended = label();
    std::string text;
    add(text, "setp.eq.u64 " + same + ", " + told(i) + ", " + address + ";");
    if (is_poll) add(text, "@" + same + " nanosleep.u32 " + std::to_string(kRestNs) + ";");
    add(text, "@" + same + " bra " + begun + ";");
    is_access ? look_again(text) : look_again(i, text);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (all_[k].acquires()) forget(k, text);
    }
    text += before;
    add(text, "mov.b64 " + told(i) + ", " + address + ";\n" + begun + ":");
    before = text;
    text.clear();
    add(text, "@" + same + " or.b32 " + kLate + ", " + kLate + ", " + bit_of(i) + ";");
    add(text, "@" + same + " bra " + ended + ";");
    text += after;
    add(text, ended + ":");
    after = text;
  }
}

void Spins::look_again(std::size_t at, std::string& out) {
  const Spin& spin = all_[at];
  if (spin.acquires()) return;  // it is never late
  const std::string on_time = label();
  add(out, "{\n.reg .b32 %redflag_bit;");
  add(out, std::string("and.b32 %redflag_bit, ") + kLate + ", " + bit_of(at) + ";");
  add(out, std::string("setp.eq.u32 ") + kOnTime + ", %redflag_bit, 0;\n}");
  add(out, std::string("@") + kOnTime + " bra " + on_time + ";");
  calls_.call(out, device::Hook::kAtomicEnd, {told(at), spin.site, spin.what, "1"});
  const std::string others = std::to_string(~(1U << at));
  add(out, std::string("and.b32 ") + kLate + ", " + kLate + ", " + others + ";\n" + on_time + ":");
}

// Mostly there is nothing, which one branch must be enough for: ptxas makes a place to meet again of each.
void Spins::look_again(std::string& out) {
  const std::string on_time = label();
  add(out, std::string("setp.eq.u32 ") + kOnTime + ", " + kLate + ", 0;");
  add(out, std::string("@") + kOnTime + " bra " + on_time + ";");
  for (std::size_t i = 0; i < all_.size(); ++i) look_again(i, out);
  add(out, on_time + ":");
}

void Spins::before(const Plan& plan, std::string& out) {
  const Needs needed = needs(plan);
  if (needed == Needs::kNothing || all_.empty()) return;
  look_again(out);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (needed == Needs::kTime || all_[i].acquires()) forget(i, out);
  }
}

}  // namespace redflag::rewrite
