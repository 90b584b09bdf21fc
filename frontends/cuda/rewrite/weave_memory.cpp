// Weaver: what is told of memory: loads, stores, atomics, the device's heap.
//
// An access is told before it happens. An atomic has a hook on each side, since what it learns is known behind it only,
// and so is whether a compare-and-swap wrote.
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Instruction;
using ptx::OperandKind;
using ptx::Type;

void Weaver::memory(const Instruction& from, const Plan& plan, Around& around) {
  const std::string what = packed(plan.what);
  if (is_flat_ && Flat::can_tell(plan)) {
    const std::string at = around.lines.address(*plan.address);
    const std::string value = around.lines.value(*plan.data, ptx::bytes_of(from.modifiers.type()));
    const auto site = static_cast<std::uint32_t>(into_.sites.size() - 1);
    return flat_.store(plan, site, at, value, around.before);
  }
  if (is_hot_) {
    const bool stores = plan.action == Action::kStore;
    Lines& lines = around.lines;
    const std::string at =
        Hot::is_narrow(plan) ? lines.narrow(*plan.address) : lines.address(*plan.address);
    const std::string value =
        stores ? lines.value(*plan.data, ptx::bytes_of(from.modifiers.type())) : "0";
    const auto site = static_cast<std::uint32_t>(into_.sites.size() - 1);
    return hot_.access(plan, site, at, value, around.before);
  }
  const std::string at = around.lines.address(*plan.address);
  if (plan.action == Action::kLoad) {
    calls_.call(around.before, Hook::kLoad, {at, around.site, what});
    return;
  }
  if (plan.action == Action::kStore) {
    const std::string value = around.lines.value(*plan.data, ptx::bytes_of(from.modifiers.type()));
    calls_.call(around.before, Hook::kStore, {at, around.site, what, value});
    return;
  }
  const std::string next = around.lines.make(Type::kB64);
  around.lines.line("add.s64 " + next + ", " + at + ", 64;");
  calls_.call(around.before, Hook::kStore, {at, around.site, what, "0"});
  calls_.call(around.before, Hook::kStore, {next, around.site, what, "0"});
}

device::What Weaver::atomic_what(const Plan& plan) const {
  device::What what = plan.what;
  what.is_endless = what.deed == device::Deed::kAtomicRmw && !ends_sequences_;
  return what;
}

void Weaver::atomic(const ptx::Function& function, std::uint32_t index, const Plan& plan,
                    Around& around) {
  const Instruction& from = function.body.instructions[index];
  Lines& lines = around.lines;
  const std::string what = packed(atomic_what(plan));
  const bool is_narrow = is_hot_ && Hot::is_narrow(plan);
  const std::string at = is_narrow ? lines.narrow(*plan.address) : lines.address(*plan.address);
  const Type type = from.modifiers.type();
  const std::string value =
      plan.data == nullptr ? "0" : lines.value(*plan.data, ptx::bytes_of(type));
  if (is_hot_) {
    const auto site = static_cast<std::uint32_t>(into_.sites.size() - 1);
    return hot_.atomic(plan, site, at, value, around.before);
  }
  calls_.call(around.before, Hook::kAtomicBegin, {at, around.site, what, value});
  const device::Deed deed = plan.what.deed;
  const bool reads = deed == device::Deed::kAtomicLoad || deed == device::Deed::kRead;
  std::string wrote = reads ? "0" : "1";
  const bool swaps = plan.what.rmw == device::Rmw::kCompareSwap && from.op == ptx::Op::kAtom;
  if (swaps) {
    const auto operands = from.operands();
    const std::string compared = lines.stable(operands[2]);
    std::string old = lines.text(operands[0]);
    const std::string bits = std::to_string(ptx::info(type).bits);
    if (operands[0].kind == OperandKind::kDiscard) {
      old = lines.make(type);
      ptx::Printer(module_, around.replaced).line(function, from);
      around.replaced.replace(around.replaced.find(" _,") + 1, 1, old);
    }
    wrote = lines.make(Type::kB32);
    const std::string same = lines.make(Type::kPred);
    if (type == Type::kB128) {
      std::string halves[4];
      for (std::string& each : halves) each = lines.make(Type::kB64);
      Lines::append(around.after, "mov.b128 {" + halves[0] + ", " + halves[1] + "}, " + old + ";");
      Lines::append(around.after,
                    "mov.b128 {" + halves[2] + ", " + halves[3] + "}, " + compared + ";");
      const std::string low = lines.make(Type::kPred);
      Lines::append(around.after, "setp.eq.b64 " + low + ", " + halves[0] + ", " + halves[2] + ";");
      Lines::append(around.after, "setp.eq.and.b64 " + same + ", " + halves[1] + ", " + halves[3] +
                                      ", " + low + ";");
    } else {
      Lines::append(around.after,
                    "setp.eq.b" + bits + " " + same + ", " + old + ", " + compared + ";");
    }
    Lines::append(around.after, "selp.b32 " + wrote + ", 1, 0, " + same + ";");
  }
  calls_.call(around.after, Hook::kAtomicEnd, {at, around.site, what, wrote});
  if (spins_.site_of(index) == nullptr) return;
  const std::string read = from.op == ptx::Op::kLd ? lines.text(from.operands()[0]) : "";
  spins_.skip(index, plan, at, read, lines.make(Type::kPred), around.before, around.after);
}

void Weaver::heap(const Instruction& from, const Plan& plan, Around& around) {
  const std::string value = around.lines.value(*plan.data, 8);
  if (plan.action == Action::kFree) {
    calls_.call(around.before, Hook::kFree, {value, around.site});
    return;
  }
  const std::string made = around.lines.text(from.operands()[0]);
  calls_.call(around.after, Hook::kMalloc, {made, value, around.site});
}

}  // namespace redflag::rewrite
