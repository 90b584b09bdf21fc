#include "frontends/cuda/rewrite/weave.h"

#include <algorithm>

#include "frontends/cuda/meaning/frames.h"
#include "frontends/cuda/rewrite/heap.h"

namespace redflag::rewrite {

using device::Hook;
using ptx::Instruction;
using ptx::OperandKind;
using ptx::Type;

std::string packed(const device::What& what) {
  return std::to_string(what.packed());
}

std::uint32_t Weaver::add_site(const ptx::Function& function, const Instruction& from) {
  if (into_.sites.empty()) into_.sites.emplace_back();
  into_.sites.push_back(
      {cuda::frames_of(module_, strings_, function, from), std::string(from.text)});
  return static_cast<std::uint32_t>(into_.sites.size() - 1);
}

std::string Weaver::guarded(Lines& lines, const std::string& calls) {
  const std::string skip = lines.skip_guard();
  if (calls.empty() || skip.empty()) return calls;
  const std::string to = label();
  return skip + "bra " + to + ";\n" + calls + to + ":\n";
}

void Weaver::function(const ptx::Function& function, bool is_hot, std::string& out) {
  is_hot_ = is_hot;
  is_flat_ = is_lean_ = false;
  tracks_ = true;
  head(function, out);
  if (!function.defined) {
    out += ";\n";
    return;
  }
  look_at(function);
  body(function, out);
}

void Weaver::body(const ptx::Function& function, std::string& out) {
  out += "\n{\n";
  std::string text;
  ptx::Printer inside(module_, text);
  find_roots(function);
  ranges_.clear();
  if (is_hot_) look_ahead(function);
  inside.body(function, [&](std::uint32_t i) {
    instruction(function, plans_[i], verdicts_[i], i, inside, text);
    tell_ranges(function, i, text);
  });
  if (function.is_entry) end(function, text);
  std::string start;
  if (is_hot_) hot_.declare(start);
  if (is_flat_) flat_.declare(start);
  if (function.is_entry) begin(function, text, start);
  if (const std::uint64_t bytes = calls_.take_local_bytes(); bytes > 0) {
    out += std::string(".local .align 16 .b8 ") + kDepot + "[" + std::to_string(bytes) + "];\n";
  }
  out += start + text + "}\n";
}

void Weaver::head(const ptx::Function& function, std::string& out) const {
  constexpr std::uint64_t kMostThreads = 1024;
  ptx::Printer printer(module_, out);
  if (!function.is_entry) return printer.head(function);
  const bool says_size = function.directive(".maxntid") != nullptr ||
                         function.directive(".reqntid") != nullptr ||
                         function.directive(".maxnreg") != nullptr;
  const std::string parameter = std::string(".param .u64 ") + kLaunchParameter;
  printer.head(function, parameter);
  if (large_blocks_ && !says_size) out += "\n.maxntid " + std::to_string(kMostThreads) + ", 1, 1";
}

void Weaver::look_at(const ptx::Function& function) {
  const Mentions mentions(function);
  const std::vector<Instruction>& all = function.body.instructions;
  plans_.clear();
  for (const Instruction& each : all) plans_.push_back(plan(module_, function, mentions, each));
  find_heap_calls(module_, function, plans_);
  verdicts_ = prunes_ ? prune(module_, function, plans_) : std::vector<Verdict>(all.size());
}

void Weaver::begin(const ptx::Function& function, const std::string& body, std::string& out) {
  const bool has_roots = !roots_.all().empty();
  if (has_roots) begin_with_roots(function, out);
  out += std::string("{\n.reg .b64 %redflag_0;\nld.param.u64 %redflag_0, [") + kLaunchParameter +
         "];\n";
  if (is_flat_) flat_.enter("%redflag_0", out);
  if (is_hot_) {
    hot_.enter("%redflag_0", uses_, body, out);
  } else if (is_flat_) {
    // All is set.
  } else if (has_roots) {
    calls_.need(device::kEnterWithRoots);
    out += ".param .b64 redflag_p0;\nst.param.b64 [redflag_p0], %redflag_0;\n";
    out += std::string("call.uni ") + device::kEnterWithRoots + ", (redflag_p0);\n";
  } else {
    calls_.call(out, Hook::kEnter, {"%redflag_0"});
  }
  out += "}\n";
  if (!has_roots) return;
  std::string quiet;
  take_quiet_roots(body, quiet);
  out += quiet;
}

// A kernel may end by running off its body.
void Weaver::end(const ptx::Function& function, std::string& out) {
  const ptx::Body& body = function.body;
  const auto count = static_cast<std::uint32_t>(body.instructions.size());
  const bool is_target = std::any_of(body.labels.begin(), body.labels.end(),
                                     [&](const ptx::Label& each) { return each.target == count; });
  if (count > 0 && !is_target) {
    const Instruction& last = body.instructions.back();
    const ptx::Flow flow = last.flow();
    if (!last.guarded && flow != ptx::Flow::kNone && flow != ptx::Flow::kCall) return;
  }
  if (is_hot_) {
    hot_.exit(ends_together_, out);
  } else if (!is_flat_) {
    calls_.call(out, Hook::kExit, {});
  }
  out += "ret;\n";
}

bool Weaver::is_silent(const Instruction& from, const Plan& plan, Verdict verdict) {
  if (!is_access(plan.action)) return plan.action == Action::kNone;
  const bool is_private = plan.action == Action::kPrivate || verdict == Verdict::kPrivate;
  const bool is_constant = plan.action == Action::kConstant || verdict == Verdict::kConstant;
  const bool is_repeated = verdict == Verdict::kRepeated;
  const ptx::Space space = from.modifiers.space;
  const bool passes = space == ptx::Space::kParam || space == ptx::Space::kParamEntry ||
                      space == ptx::Space::kParamFunc;  // values, not memory
  if (!passes) {
    Counts& counts = into_.counts;
    ++counts.accesses;
    counts.pruned_private += is_private ? 1 : 0;
    counts.pruned_constant += is_constant ? 1 : 0;
    counts.pruned_repeated += is_repeated ? 1 : 0;
  }
  return is_private || is_constant || is_repeated || verdict == Verdict::kQuiet;
}

void Weaver::instruction(const ptx::Function& function, const Plan& plan, Verdict verdict,
                         std::uint32_t index, ptx::Printer& printer, std::string& out) {
  const Instruction& from = function.body.instructions[index];
  if (is_silent(from, plan, verdict) || is_in_range(index)) {
    if (verdict == Verdict::kQuiet) out += met(function, index);
    printer.line(function, from);
    return;
  }
  Around around{Lines(module_, function, from), {}, {}, {}, {}};
  hooks(function, from, plan, around);
  const std::string before = guarded(around.lines, around.before);
  const std::string after = guarded(around.lines, around.after);
  const std::string told = label();
  const std::string skip = after.empty() ? skip_quiet(index, around.lines, told) : std::string();
  out += "{\n" + around.lines.declarations + skip + around.lines.setup + before;
  if (!skip.empty()) out += told + ":\n";
  if (around.replaced.empty()) {
    printer.line(function, from);
  } else {
    out += around.replaced;
  }
  out += after + "}\n";
}

void Weaver::hooks(const ptx::Function& function, const Instruction& from, const Plan& plan,
                   Around& around) {
  const bool ends = plan.action == Action::kReturn || plan.action == Action::kExit;
  if (!ends) {
    around.site = std::to_string(add_site(function, plan.call == nullptr ? from : *plan.call));
  }
  switch (plan.action) {
    case Action::kNone:
    case Action::kPrivate:
    case Action::kConstant:
      break;
    case Action::kLoad:
    case Action::kStore:
    case Action::kDiscard:
      memory(from, plan, around);
      break;
    case Action::kAtomic:
      atomic(function, from, plan, around);
      break;
    case Action::kMatrix:
      matrix(plan, around);
      break;
    case Action::kFragment:
      fragment(from, plan, around);
      break;
    case Action::kFence:
      calls_.call(around.before, Hook::kFence, {around.site, packed(plan.what)});
      break;
    case Action::kWarpSync:
      if (is_flat_) flat_.met(around.after);
      if (is_hot_) hot_.met(around.after);
      if (is_hot_ || is_flat_) break;
      calls_.call(around.after, Hook::kWarpSync,
                  {around.site, packed(plan.what), around.lines.word(from.operands()[0])});
      break;
    case Action::kBarrier:
    case Action::kBarrierArrive:
      barrier(from, plan, around);
      break;
    case Action::kClusterArrive:
      calls_.call(around.before, Hook::kClusterArrive, {around.site, packed(plan.what)});
      break;
    case Action::kClusterPass:
      calls_.call(around.after, Hook::kClusterPass, {around.site, packed(plan.what)});
      break;
    case Action::kMbarrierInit:
    case Action::kMbarrierInval:
    case Action::kMbarrierArrive:
    case Action::kMbarrierWait:
      mbarrier(from, plan, around);
      break;
    case Action::kAsyncCopy:
      copy(from, plan, around);
      break;
    case Action::kAsyncStore:
    case Action::kAsyncReduce:
      async_store(plan, around);
      break;
    case Action::kAsyncCommit:
    case Action::kAsyncWait:
    case Action::kAsyncArrive:
      async_control(from, plan, around);
      break;
    case Action::kMalloc:
    case Action::kFree:
      heap(from, plan, around);
      break;
    case Action::kReturn:
    case Action::kExit:
      if (is_hot_) {
        hot_.exit(ends_together_, around.before);
      } else if (!is_flat_) {
        calls_.call(around.before, Hook::kExit, {});
      }
      break;
  }
}

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

void Weaver::atomic(const ptx::Function& function, const Instruction& from, const Plan& plan,
                    Around& around) {
  Lines& lines = around.lines;
  device::What told = plan.what;
  told.is_endless = told.deed == device::Deed::kAtomicRmw && !ends_sequences_;
  const std::string what = packed(told);
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
