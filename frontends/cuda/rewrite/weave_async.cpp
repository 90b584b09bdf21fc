// Asynchronous copies and stores: the same steps as the emulator tells (frontends/cuda/emulate/async.cpp,
// async_store.cpp).
#include "frontends/cuda/rewrite/weave.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Op;

namespace {

device::What object_of(const Plan& plan) {
  device::What what;
  what.memory = plan.what.memory;
  what.bytes = 8;
  return what;
}

}  // namespace

void Weaver::copy(const ptx::Instruction& from, const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  const std::string to = lines.address(*plan.address);
  const std::string source = lines.generic(*plan.source, from.modifiers.source_space);
  const std::string bytes = lines.word(from.operands()[2]);
  calls_.call(around.before, Hook::kAsyncCopy, {to, source, around.site, packed(plan.what), bytes});
  if (plan.gate == nullptr) return;
  calls_.call(around.before, Hook::kAsyncArrive,
              {lines.address(*plan.gate), around.site, packed(object_of(plan)), "0", bytes});
}

// A store is a copy of the place onto itself, whose bytes an mbarrier hears of; a reduction is an
// atomic whose bytes arrive there.
void Weaver::async_store(const Plan& plan, Around& around) {
  Lines& lines = around.lines;
  const std::string to = lines.address(*plan.address);
  const std::string gate = lines.address(*plan.gate);
  const int bytes = plan.what.bytes;
  device::What what = plan.what, object = object_of(plan);
  if (plan.action == Action::kAsyncStore) {
    what.bytes = 0;
    const std::string from = lines.generic(*plan.address, plan.space);
    calls_.call(around.before, Hook::kAsyncCopy,
                {to, from, around.site, packed(what), std::to_string(bytes)});
    calls_.call(around.before, Hook::kAsyncArrive,
                {gate, around.site, packed(object), "0", std::to_string(bytes)});
    return;
  }
  // It happens some time later: both ends are told now.
  calls_.call(around.before, Hook::kAtomicBegin, {to, around.site, packed(what), "0"});
  calls_.call(around.before, Hook::kAtomicEnd, {to, around.site, packed(what), "1"});
  object.order = Order::kRelease;
  object.scope = Scope::kCluster;
  calls_.call(around.before, Hook::kMbarrierArrive,
              {gate, around.site, packed(object), "0", std::to_string(-bytes)});
}

void Weaver::async_control(const ptx::Instruction& from, const Plan& plan, Around& around) {
  switch (plan.action) {
    case Action::kAsyncCommit:
      calls_.call(around.before, Hook::kAsyncCommit, {around.site});
      return;
    case Action::kAsyncWait: {
      const bool all = from.op == Op::kCpAsyncWaitAll;
      calls_.call(around.after, Hook::kAsyncWait,
                  {around.site, all ? "4294967295" : around.lines.word(from.operands()[0])});
      return;
    }
    default:
      calls_.call(around.before, Hook::kAsyncArrive,
                  {around.lines.address(*plan.address), around.site, packed(plan.what),
                   from.has(ptx::Mod::kNoInc) ? "1" : "0", "0"});
      return;
  }
}

}  // namespace redflag::rewrite
