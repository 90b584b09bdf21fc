// Weaver: what is told of barriers of a block, and of barrier objects in shared memory.
//
// Arriving is told before the instruction, passing behind it. What the instruction leaves out (barrier 0, all threads,
// one arrival) is told as the number that it means.
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Instruction;
using ptx::OperandKind;
using ptx::Type;

void Weaver::barrier(const Instruction& from, const Plan& plan, Around& around) {
  const auto operands = from.operands();
  const bool reduces = role_of(from, 0) == ptx::Role::kDestination;
  std::size_t at = reduces ? 1 : 0;
  const std::size_t end = operands.size() - (reduces ? 1 : 0);
  std::string numbers[2] = {"0", "0"};  // the barrier, threads
  for (std::string& each : numbers) {
    if (at >= end || operands[at].kind == OperandKind::kNone) break;
    each = around.lines.word(operands[at++]);
  }
  const std::string what = packed(plan.what);
  if (is_flat_) flat_.pass(around.after);
  if (is_hot_) {
    hot_.arrive(around.site, what, numbers[0], around.before);
    hot_.pass(around.after);
  }
  if (is_hot_ || is_flat_) return;
  calls_.call(around.before, Hook::kBarrierArrive, {around.site, what, numbers[0], numbers[1]});
  if (plan.action == Action::kBarrierArrive) return;
  calls_.call(around.after, Hook::kBarrierPass, {around.site, what, numbers[0], numbers[1]});
}

void Weaver::mbarrier(const Instruction& from, const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  const std::string what = packed(plan.what);
  const std::string at = lines.address(*plan.address);
  const auto operands = from.operands();
  const auto behind = static_cast<std::size_t>(plan.address - operands.data()) + 1;
  const bool given = behind < operands.size() && operands[behind].kind != OperandKind::kNone;
  switch (plan.action) {
    case Action::kMbarrierInit:
      calls_.call(around.before, Hook::kMbarrierInit,
                  {at, around.site, what, given ? lines.word(operands[behind]) : "1"});
      return;
    case Action::kMbarrierInval:
      calls_.call(around.before, Hook::kMbarrierInval, {at, around.site, what});
      return;
    case Action::kMbarrierArrive: {
      const std::string number = given ? lines.word(operands[behind]) : "1";
      std::string count = number, bytes = "0";
      if (from.op == ptx::Op::kMbarrierExpectTx || from.has(ptx::Mod::kExpectTx)) {
        count = from.op == ptx::Op::kMbarrierExpectTx ? "0" : "1";
        bytes = number;
      } else if (from.op == ptx::Op::kMbarrierCompleteTx) {
        count = "0";
        bytes = lines.make(Type::kB32);
        lines.line("neg.s32 " + bytes + ", " + number + ";");
      }
      calls_.call(around.before, Hook::kMbarrierArrive, {at, around.site, what, count, bytes});
      return;
    }
    default: {
      const std::string complete = lines.make(Type::kB32);
      Lines::append(around.after,
                    "selp.b32 " + complete + ", 1, 0, " + lines.text(operands[0]) + ";");
      calls_.call(around.after, Hook::kMbarrierWait, {at, around.site, what, complete});
      return;
    }
  }
}

}  // namespace redflag::rewrite
