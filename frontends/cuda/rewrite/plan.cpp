#include "frontends/cuda/rewrite/plan.h"

#include <algorithm>

#include "frontends/cuda/meaning/orders.h"

namespace redflag::rewrite {

using cuda::order_of;
using cuda::scope_of;
using device::Deed;
using device::Memory;
using device::What;
using ptx::Instruction;
using ptx::Mod;
using ptx::Op;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

Memory memory_of(Space space) {
  switch (space) {
    case Space::kGlobal:
      return Memory::kGlobal;
    case Space::kShared:
    case Space::kSharedCta:
      return Memory::kShared;
    case Space::kSharedCluster:
      return Memory::kSharedCluster;
    default:
      return Memory::kGeneric;
  }
}

// A generic access that names a variable is of that variable's space.
Space space_of(const ptx::Module& module, const ptx::Function& function, Space written,
               const Operand& address) {
  if (written != Space::kNone || address.base != OperandKind::kSymbol) return written;
  if (address.symbol_kind == ptx::SymbolKind::kVariable) {
    return module.variables[address.index].space;
  }
  if (address.symbol_kind == ptx::SymbolKind::kLocal) {
    return function.variables[address.index].space;
  }
  return written;
}

const Operand* first_address(const Instruction& from) {
  const auto operands = from.operands();
  const auto at = std::find_if(operands.begin(), operands.end(), [](const Operand& each) {
    return each.kind == OperandKind::kAddress;
  });
  return at == operands.end() ? nullptr : &*at;
}

// One plan is made at a time: what its functions share.
class Planner {
 public:
  Planner(const ptx::Module& module, const ptx::Function& function, const Mentions& mentions,
          const Instruction& from)
      : module_(module), function_(function), mentions_(mentions), from_(from) {}

  Plan make();

 private:
  const ptx::Modifiers& mods() const { return from_.modifiers; }
  void at(const Operand* address, Space written) {
    made_.address = address;
    if (address == nullptr) return;
    made_.space = space_of(module_, function_, written, *address);
    made_.what.memory = memory_of(made_.space);
  }
  // False: nobody else can see it, and the action says so.
  bool shared_at(const Operand* address, Space written) {
    at(address, written);
    if (made_.space == Space::kLocal || is_param(made_.space)) made_.action = Action::kPrivate;
    if (made_.space == Space::kConst) made_.action = Action::kConstant;
    return made_.action != Action::kPrivate && made_.action != Action::kConstant;
  }
  std::uint8_t bytes() const {
    return static_cast<std::uint8_t>(ptx::bytes_of(mods().type()) *
                                     std::max<unsigned>(mods().vector, 1));
  }
  void order(Order otherwise, Scope scope) {
    made_.what.order = order_of(mods().order);
    if (made_.what.order == Order::kPlain) made_.what.order = otherwise;
    made_.what.scope = scope_of(mods().scope, scope);
  }
  void load_store(bool stores);
  void read_modify_write();
  void barrier(bool arrives);
  void mbarrier(Action action);
  void copy();

  const ptx::Module& module_;
  const ptx::Function& function_;
  const Mentions& mentions_;
  const Instruction& from_;
  Plan made_;
};

void Planner::load_store(bool stores) {
  const auto operands = from_.operands();
  made_.data = stores ? &operands[1] : nullptr;
  if (!shared_at(&operands[stores ? 0 : 1], mods().space)) return;
  const ptx::Order written = mods().order;
  const bool read_only = from_.has(Mod::kNc) || from_.op == Op::kLdu;
  const bool strong = !read_only && written != ptx::Order::kNone && written != ptx::Order::kWeak &&
                      written != ptx::Order::kVolatile;
  What& what = made_.what;
  what.bytes = bytes();
  what.is_volatile = written == ptx::Order::kVolatile;
  order(Order::kPlain, strong ? Scope::kDevice : Scope::kSystem);
  made_.action = strong || what.is_volatile ? Action::kAtomic
                 : stores                   ? Action::kStore
                                            : Action::kLoad;
  what.deed = strong ? (stores ? Deed::kAtomicStore : Deed::kAtomicLoad)
                     : (stores ? Deed::kWrite : Deed::kRead);
}

void Planner::read_modify_write() {
  const bool gives = from_.op == Op::kAtom;
  const auto operands = from_.operands();
  if (!shared_at(&operands[gives ? 1 : 0], mods().space)) return;
  const bool swaps = mods().operation == ptx::Operation::kCas;
  const std::size_t value = (gives ? 2U : 1U) + (swaps ? 1U : 0U);
  made_.action = Action::kAtomic;
  if ((swaps || mods().operation == ptx::Operation::kExch) && value < operands.size()) {
    made_.data = &operands[value];
  }
  What& what = made_.what;
  what.deed = Deed::kAtomicRmw;
  what.bytes = bytes();
  order(Order::kRelaxed, Scope::kDevice);
  const bool taken = gives && mentions_.is_taken(operands[0]);
  what.rmw = swaps                                       ? device::Rmw::kCompareSwap
             : !taken                                    ? device::Rmw::kReduction
             : mods().operation == ptx::Operation::kExch ? device::Rmw::kExchange
                                                         : device::Rmw::kOther;
}

void Planner::barrier(bool arrives) {
  made_.action = arrives ? Action::kBarrierArrive : Action::kBarrier;
  made_.what.order = Order::kAcqRel;
  made_.what.scope = Scope::kBlock;
  const std::string_view name = ptx::info(from_.op).name;
  made_.what.aligned = name.starts_with("bar.") || from_.has(Mod::kAligned);
}

void Planner::mbarrier(Action action) {
  made_.action = action;
  at(first_address(from_), mods().space);
  made_.what.bytes = 8;
  const bool counts = from_.op == Op::kMbarrierExpectTx || from_.op == Op::kMbarrierCompleteTx;
  order(action == Action::kMbarrierWait ? Order::kAcquire
        : counts                        ? Order::kRelaxed
                                        : Order::kRelease,
        Scope::kBlock);
  made_.what.aligned = from_.op == Op::kMbarrierArriveDrop;
}

void Planner::copy() {
  const auto operands = from_.operands();
  const bool bulk = from_.op == Op::kCpAsyncBulk;
  at(&operands[0], mods().space);
  made_.source = &operands[1];
  made_.action = Action::kAsyncCopy;
  if (bulk) {
    if (operands.size() > 3 && operands[3].kind == OperandKind::kAddress) made_.gate = &operands[3];
    if (from_.has(Mod::kMulticast) || from_.has(Mod::kCpMask)) made_.action = Action::kNone;
  }
}

Plan Planner::make() {
  switch (from_.op) {
    case Op::kLd:
    case Op::kLdu:
      load_store(false);
      break;
    case Op::kSt:
      load_store(true);
      break;
    case Op::kAtom:
    case Op::kRed:
      read_modify_write();
      break;
    case Op::kDiscard:
      if (!shared_at(first_address(from_), mods().space)) break;
      made_.action = Action::kDiscard;
      made_.what.deed = Deed::kWrite;
      made_.what.bytes = 64;
      break;
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kWmmaLoad:
    case Op::kWmmaStore: {
      if (!untold(from_).empty()) break;
      const bool rows = from_.op == Op::kLdmatrix || from_.op == Op::kStmatrix;
      const bool stores = from_.op == Op::kStmatrix || from_.op == Op::kWmmaStore;
      at(first_address(from_), mods().space);
      made_.action = rows ? Action::kMatrix : Action::kFragment;
      made_.data = &from_.operands()[stores ? 1 : 0];
      made_.what.deed = stores ? Deed::kWrite : Deed::kRead;
      made_.what.bytes = 16;
      break;
    }
    case Op::kTex:
    case Op::kTld4:
    case Op::kSuld:
    case Op::kSust:
    case Op::kSured:
      return plan_image(from_);
    case Op::kMembar:
    case Op::kFence:
    case Op::kFenceMbarrierInit:
      made_.action = Action::kFence;
      order(from_.op == Op::kMembar ? Order::kSeqCst : Order::kAcqRel, Scope::kSystem);
      break;
    case Op::kBarWarpSync:
      made_.action = Action::kWarpSync;
      made_.what.order = Order::kAcqRel;
      made_.what.scope = Scope::kWarp;
      break;
    case Op::kBar:
    case Op::kBarSync:
    case Op::kBarRed:
    case Op::kBarCtaSync:
    case Op::kBarCtaRed:
    case Op::kBarrierSync:
    case Op::kBarrierRed:
    case Op::kBarrierCtaSync:
    case Op::kBarrierCtaRed:
      barrier(false);
      break;
    case Op::kBarArrive:
    case Op::kBarCtaArrive:
    case Op::kBarrierArrive:
    case Op::kBarrierCtaArrive:
      barrier(true);
      break;
    case Op::kBarrierClusterArrive:
    case Op::kBarrierClusterWait: {
      const bool arrives = from_.op == Op::kBarrierClusterArrive;
      made_.action = arrives ? Action::kClusterArrive : Action::kClusterPass;
      order(arrives ? Order::kRelease : Order::kAcquire, Scope::kCluster);
      break;
    }
    case Op::kMbarrierInit:
      mbarrier(Action::kMbarrierInit);
      break;
    case Op::kMbarrierInval:
      mbarrier(Action::kMbarrierInval);
      break;
    case Op::kMbarrierArrive:
    case Op::kMbarrierArriveDrop:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
      mbarrier(Action::kMbarrierArrive);
      break;
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
      mbarrier(Action::kMbarrierWait);
      break;
    case Op::kCpAsync:
    case Op::kCpAsyncBulk:
      copy();
      break;
    case Op::kCpAsyncCommitGroup:
    case Op::kCpAsyncBulkCommitGroup:
      made_.action = Action::kAsyncCommit;
      break;
    case Op::kCpAsyncWaitGroup:
    case Op::kCpAsyncWaitAll:
    case Op::kCpAsyncBulkWaitGroup:
      made_.action = Action::kAsyncWait;
      break;
    case Op::kCpAsyncMbarrierArrive:
      made_.action = Action::kAsyncArrive;
      at(first_address(from_), mods().space);
      made_.what.bytes = 8;
      break;
    case Op::kStAsync:
    case Op::kRedAsync: {
      const auto operands = from_.operands();
      if (operands.size() < 3 || operands[2].kind != OperandKind::kAddress) break;
      const bool stores = from_.op == Op::kStAsync;
      made_.action = stores ? Action::kAsyncStore : Action::kAsyncReduce;
      made_.gate = &operands[2];
      at(&operands[0], mods().space);
      made_.what.bytes = bytes();
      if (stores) break;
      made_.what.deed = Deed::kAtomicRmw;
      made_.what.order = Order::kRelaxed;
      made_.what.scope = Scope::kCluster;
      made_.what.rmw = device::Rmw::kReduction;
      break;
    }
    case Op::kRet:
      made_.action = function_.is_entry ? Action::kReturn : Action::kNone;
      break;
    case Op::kExit:
      made_.action = Action::kExit;
      break;
    default:
      break;
  }
  return made_;
}

}  // namespace

Plan plan(const ptx::Module& module, const ptx::Function& function, const Mentions& mentions,
          const Instruction& instruction) {
  return Planner(module, function, mentions, instruction).make();
}

bool is_access(Action action) {
  switch (action) {
    case Action::kPrivate:
    case Action::kConstant:
    case Action::kLoad:
    case Action::kStore:
    case Action::kDiscard:
    case Action::kAtomic:
    case Action::kMatrix:
    case Action::kFragment:
    case Action::kTexture:
    case Action::kSurface:
    case Action::kAsyncCopy:
    case Action::kAsyncStore:
    case Action::kAsyncReduce:
      return true;
    default:
      return false;
  }
}

}  // namespace redflag::rewrite
