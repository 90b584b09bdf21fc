#include "frontends/cuda/rewrite/kernels.h"

#include <algorithm>

#include "core/detect/gpu/compact/word.h"
#include "frontends/cuda/device/abi.h"
#include "frontends/cuda/meaning/sizes.h"
#include "frontends/cuda/meaning/sync_ops.h"
#include "frontends/cuda/rewrite/plan.h"

namespace redflag::rewrite {

using ptx::Operand;
using ptx::OperandKind;
using ptx::SymbolKind;

namespace {

constexpr std::uint32_t kMostParameterBytes = 32764;  // PTX ISA 9.0, section 5.1.6.1

void add_once(std::vector<std::uint32_t>& to, std::uint32_t number) {
  if (std::find(to.begin(), to.end(), number) == to.end()) to.push_back(number);
}

// Functions that the driver provides.
bool is_provided(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
         name.starts_with("cuda");
}

}  // namespace

Kernels::Kernels(const ptx::Module& module)
    : module_(module),
      functions_(module.functions.size()),
      plain_(module.functions.size()),
      hot_(module.functions.size()),
      reach_(module.functions.size()) {
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    look_at(i);
    look_at_hooks(i);
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Initial& each : variable.initial) {
      const bool function =
          each.kind == ptx::Initial::Kind::kSymbol && each.symbol_kind == SymbolKind::kFunction;
      if (function) add_once(taken_, meant(each.index));
    }
  }
  look_at_linkage();
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    if (!module.functions[i].is_entry) continue;
    reach_[i] = reach(i);
    for (const std::uint32_t each : reach_[i].functions) {
      const std::string& unknown = functions_[each].unknown;
      if (!unknown.empty() && reach_[i].why.empty()) {
        reach_[i].why = "'" + unknown + "' is unknown";
      }
    }
    if (std::find(taken_.begin(), taken_.end(), i) != taken_.end()) {
      reach_[i].why = "it may be launched by a kernel, and such launches are not supported";
    }
  }
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < functions_.size(); ++i) {
      Reach& kernel = reach_[i];
      if (!module.functions[i].is_entry || plain_[i]) continue;
      for (const std::uint32_t each : kernel.functions) {
        if (!plain_[each] || !kernel.why.empty()) continue;
        kernel.why = "it calls '" + std::string(module.functions[each].name) +
                     "', as does a kernel that is not checked";
      }
      if (kernel.why.empty()) continue;
      again = true;
      for (const std::uint32_t each : kernel.functions) plain_[each] = true;
    }
  }
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    hot_[i] = module.functions[i].is_entry && can_be_hot(i);
  }
}

std::uint32_t Kernels::meant(std::uint32_t function) const {
  const std::uint32_t alias = module_.functions[function].alias_of;
  return alias == ptx::kNoFunction ? function : alias;
}

bool Kernels::has_hooks(std::string_view function) const {
  const auto at = std::find_if(module_.functions.begin(), module_.functions.end(),
                               [&](const ptx::Function& each) { return each.name == function; });
  return at != module_.functions.end() &&
         has_hooks(static_cast<std::uint32_t>(at - module_.functions.begin()));
}

void Kernels::look_at(std::uint32_t index) {
  Function& into = functions_[index];
  const auto visit = [&](const Operand& operand, bool called, const auto& again) -> void {
    if (operand.kind == OperandKind::kSymbol && operand.symbol_kind == SymbolKind::kFunction) {
      const std::uint32_t to = meant(operand.index);
      add_once(into.reached, to);
      if (!called) add_once(taken_, to);
    }
    for (const Operand& part : operand.parts()) again(part, false, again);
  };
  for (const ptx::Instruction& each : module_.functions[index].body.instructions) {
    const bool calls = each.op == ptx::Op::kCall;
    const auto operands = each.operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      visit(operands[i], calls && i == ptx::kCallTarget, visit);
    }
    cuda::add_sync_op(each, into.sync);
    if (into.unknown.empty() && is_unknown_order(each)) into.unknown = std::string(each.text);
    const std::string name(untold(each));
    if (!name.empty() &&
        std::find(into.untold.begin(), into.untold.end(), name) == into.untold.end()) {
      into.untold.push_back(name);
    }
    if (!calls) continue;
    const Operand& target = operands[ptx::kCallTarget];
    if (target.kind != OperandKind::kSymbol) {
      into.indirect = true;
      continue;
    }
    const ptx::Function& callee = module_.functions[meant(target.index)];
    if (callee.defined) continue;
    if (callee.name == "malloc" || callee.name == "free") into.sync.add(gpu::SyncOp::kAllocation);
    into.outside = into.outside || !is_provided(callee.name);
  }
}

void Kernels::look_at_hooks(std::uint32_t index) {
  Function& into = functions_[index];
  const ptx::Function& function = module_.functions[index];
  const Mentions mentions(function);
  for (const ptx::Instruction& each : function.body.instructions) {
    const Plan planned = plan(module_, function, mentions, each);
    const Action action = planned.action;
    if (action == Action::kNone || action == Action::kPrivate || action == Action::kConstant)
      continue;
    const device::Deed deed = planned.what.deed;
    const bool stores = deed == device::Deed::kWrite || deed == device::Deed::kAtomicStore;
    ends_sequences_ = ends_sequences_ || (action == Action::kAtomic && stores);
    const bool ends = action == Action::kReturn || action == Action::kExit;
    into.tells = into.tells || action != Action::kReturn;
    const bool accesses =
        action == Action::kLoad || action == Action::kStore || action == Action::kAtomic;
    const bool is_image = action == Action::kTexture || action == Action::kSurface;
    const bool is_known =
        accesses || ends || is_image || action == Action::kWarpSync || action == Action::kBarrier;
    // Shared memory is told by words there.
    const bool is_narrow = accesses && planned.what.memory != device::Memory::kGlobal &&
                           planned.what.bytes < gpu::compact::kUnit;
    into.tells_more = into.tells_more || !is_known || is_narrow;
  }
}

bool Kernels::can_be_hot(std::uint32_t kernel) const {
  using gpu::SyncOp;
  constexpr SyncOp kBarriers[] = {SyncOp::kBlockBarrier, SyncOp::kWarpSync, SyncOp::kAtomic,
                                  SyncOp::kNarrowAtomic};
  const Reach& reach = reach_[kernel];
  std::uint32_t others = reach.sync.bits;
  for (const SyncOp each : kBarriers) others &= ~(1U << static_cast<unsigned>(each));
  if (!reach.sync.known || others != 0 || functions_[kernel].tells_more) return false;
  return std::all_of(reach.functions.begin(), reach.functions.end(),
                     [&](std::uint32_t each) { return each == kernel || !functions_[each].tells; });
}

void Kernels::look_at_linkage() {
  for (const ptx::Function& each : module_.functions) {
    if (each.is_entry) continue;
    const bool open = each.linkage == ptx::Linkage::kVisible || each.linkage == ptx::Linkage::kWeak;
    linked_ = linked_ || (each.defined ? open : !is_provided(each.name));
  }
  for (const ptx::Variable& each : module_.variables) {
    linked_ =
        linked_ || (each.linkage == ptx::Linkage::kExtern && each.space != ptx::Space::kShared);
  }
}

Kernels::Reach Kernels::reach(std::uint32_t kernel) const {
  Reach made;
  made.sync.known = true;
  made.functions.push_back(kernel);
  std::vector<std::string> names;
  bool took_all = false;
  for (std::size_t at = 0; at < made.functions.size(); ++at) {
    const Function& each = functions_[made.functions[at]];
    made.sync.bits |= each.sync.bits;
    if (each.outside) made.sync.known = false;
    for (const std::uint32_t to : each.reached) add_once(made.functions, to);
    for (const std::string& name : each.untold) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (!each.indirect || took_all) continue;
    took_all = true;
    if (linked_) made.sync.known = false;
    for (const std::uint32_t to : taken_) add_once(made.functions, to);
  }
  for (const std::string& name : names) made.untold += (made.untold.empty() ? "" : ", ") + name;
  return made;
}

Result<void> Kernels::check() const {
  if (module_.address_size != 64) {
    return fail(module_.path + ": needed .address_size 64, found " +
                std::to_string(module_.address_size) + "; compile for 64 bits");
  }
  for (const ptx::Variable& each : module_.variables) {
    if (each.name != device::kStateSymbol) continue;
    return fail(module_.path + ": has a variable '" + std::string(each.name) +
                "': it was already rewritten; use the program's original PTX");
  }
  for (const Kernel& each : all()) {
    if (each.launch_offset + 8 <= kMostParameterBytes) continue;
    return fail(module_.path + ": kernel '" + each.name +
                "' has no room for one more parameter of 8 bytes");
  }
  return {};
}

std::vector<Kernel> Kernels::all() const {
  std::vector<Kernel> kernels;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    const ptx::Function& function = module_.functions[i];
    if (!function.is_entry || !function.defined) continue;
    const Reach& reach = reach_[i];
    Kernel made;
    made.name = std::string(function.name);
    made.checked = reach.why.empty();
    made.why = reach.why;
    if (made.checked && !reach.untold.empty()) made.why = "not told: " + reach.untold;
    made.sync = reach.sync;
    if (const ptx::Directive* const cluster = function.directive(".reqnctapercluster")) {
      made.cluster = cuda::dim_of(*cluster);
    }
    made.grid_of_clusters = function.directive(".blocksareclusters") != nullptr;
    made.parameters = function.parameter_count;
    made.places = ptx::parameter_places(function);
    const Place last = made.places.empty() ? Place{} : made.places.back();
    made.launch_offset = (last.end() + 7) / 8 * 8;
    kernels.push_back(std::move(made));
  }
  return kernels;
}

}  // namespace redflag::rewrite
