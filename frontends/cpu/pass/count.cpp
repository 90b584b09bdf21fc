// Count: how many instructions the program executes, for the hardware models that replay its trace.
//
// Each stretch of instructions adds its number to a counter of the thread (abi.h), before the first
// of its instructions that may leave an event: an access, a call. So what was counted when an event is
// recorded is all up to it, itself included. A stretch goes on over blocks that always follow
// each other; what remains at a block's end is added there. A loop of one block that leaves no event and
// runs a constant number of times is counted before it.
//
// What is counted is what is left of the IR when LLVM has optimised it, one for each instruction that
// usually becomes one of the processor's: weight_of() is the definition. Instructions of what was not compiled
// with this pass are not, except for functions of libc and libm that programs spend time in:
// library_work.inc says what a call of them executes. A call that does not come back, by an exception or
// exit(), leaves out what would have followed.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/pass/frames.h"
#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// An address that loads and stores compute by themselves.
bool is_only_address(const llvm::GetElementPtrInst& address) {
  return llvm::all_of(address.uses(), [](const llvm::Use& use) {
    const auto* user = llvm::cast<Instruction>(use.getUser());
    return use.get() == llvm::getLoadStorePointerOperand(user);
  });
}

// The C function that a call reaches, if it is one that can be named: of an intrinsic the one that it usually becomes.
llvm::StringRef library_name(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return {};
  if (!callee->isIntrinsic()) return callee->getName();
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
      return "memcpy";
    case llvm::Intrinsic::memmove:
      return "memmove";
    case llvm::Intrinsic::memset:
      return "memset";
    default:
      break;
  }
  if (call.getType()->isDoubleTy()) {
    return llvm::Intrinsic::getBaseName(callee->getIntrinsicID()).drop_front(strlen("llvm."));
  }
  return {};
}

// What the library executes in this call (library_work.inc).
std::uint64_t library_work(const llvm::CallBase& call) {
  return llvm::StringSwitch<std::uint64_t>(library_name(call))
#define LIBRARY_WORK(function, instructions) .Case(function, instructions)
#define COPY_WORK(function, operand)
#include "frontends/cpu/pass/library_work.inc"
#undef LIBRARY_WORK
#undef COPY_WORK
      .Default(0);
}

// The bytes that it passes over, if it is such a function.
llvm::Value* passed_bytes(const Instruction& each) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
  if (call == nullptr) return nullptr;
  const int operand = llvm::StringSwitch<int>(library_name(*call))
#define LIBRARY_WORK(function, instructions)
#define COPY_WORK(function, operand) .Case(function, operand)
#include "frontends/cpu/pass/library_work.inc"
#undef LIBRARY_WORK
#undef COPY_WORK
                          .Default(-1);
  const bool has_it =
      operand >= 0 && static_cast<unsigned>(operand) < call->arg_size() &&
      call->getArgOperand(static_cast<unsigned>(operand))->getType()->isIntegerTy(64);
  return has_it ? call->getArgOperand(static_cast<unsigned>(operand)) : nullptr;
}
// glibc's loops, measured as library_work.inc; what is short and of a constant size is a load and a store for each 16 bytes.
constexpr std::uint64_t kPassBegins = 10;
constexpr std::uint64_t kBytesAnInstruction = 10;
constexpr std::uint64_t kInPlace = 128;
std::uint64_t pass_work(std::uint64_t bytes) {
  return bytes <= kInPlace ? (bytes + 15) / 16 * 2 : kPassBegins + bytes / kBytesAnInstruction;
}

std::uint64_t constant_pass(const Instruction& each) {
  const auto* const bytes = llvm::dyn_cast_or_null<llvm::ConstantInt>(passed_bytes(each));
  return bytes == nullptr ? 0 : pass_work(bytes->getZExtValue());
}

// 1, or 0 where there is usually no instruction of the processor's: values that are renamed, notes to the
// compiler, addresses that loads and stores compute, space on the stack, and branches to the next block. More for calls of
// the library.
std::uint64_t weight_of(const Instruction& each, const llvm::DataLayout& layout) {
  switch (each.getOpcode()) {
    case Instruction::PHI:
    case Instruction::Freeze:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::LandingPad:
    case Instruction::Unreachable:
      return 0;
    case Instruction::GetElementPtr:
      return is_only_address(llvm::cast<llvm::GetElementPtrInst>(each)) ? 0 : 1;
    case Instruction::Alloca:
      return llvm::cast<llvm::AllocaInst>(each).isStaticAlloca() ? 0 : 1;
    case Instruction::Br:
      return llvm::cast<llvm::BranchInst>(each).isConditional() ? 1 : 0;
    case Instruction::Call: {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
      if (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic()) return 0;
      return 1 + library_work(llvm::cast<llvm::CallBase>(each)) + constant_pass(each);
    }
    case Instruction::Invoke:
      return 1 + library_work(llvm::cast<llvm::CallBase>(each)) + constant_pass(each);
    default:
      break;
  }
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(&each);
  return cast != nullptr && cast->isNoopCast(layout) ? 0 : 1;
}

bool may_leave_event(const Instruction& each) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&each)) {
    return !intrinsic->isAssumeLikeIntrinsic() && intrinsic->mayReadOrWriteMemory();
  }
  return llvm::isa<llvm::CallBase>(each) || each.mayReadOrWriteMemory();
}

class Counting {
 public:
  Counting(llvm::Function& function, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution)
      : function_(function), layout_(function.getDataLayout()) {
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) count_before(*loop, evolution);
  }

  void run() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (BasicBlock* block : order) count(*block);
  }

 private:
  // If it is one block that runs so often, all of it is counted in the block before.
  void count_before(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
    BasicBlock* const block = loop.getHeader();
    BasicBlock* const before = loop.getLoopPreheader();
    if (loop.getNumBlocks() != 1 || before == nullptr || llvm::any_of(*block, may_leave_event)) {
      return;
    }
    const std::uint64_t times = evolution.getSmallConstantTripCount(&loop);
    if (times == 0) return;  // not known
    std::uint64_t once = 0;
    for (const Instruction& each : *block) once += weight_of(each, layout_);
    carried_[before] += once * times;
    is_counted_.insert(block);
  }

  void count(BasicBlock& block) {
    if (is_counted_.contains(&block)) return;
    Instruction* const end = block.getTerminator();
    if (llvm::isa<llvm::CatchSwitchInst>(end)) return;  // nothing may stand before it
    const llvm::CallInst* const tail = block.getTerminatingMustTailCall();
    std::uint64_t sum = from_before(block);
    for (Instruction& each : llvm::make_early_inc_range(block)) {
      if (each.hasMetadata(llvm::LLVMContext::MD_nosanitize)) continue;
      sum += weight_of(each, layout_);
      if (&each == tail) {  // it and the return belong together
        add(each, sum + weight_of(*end, layout_));
        return;
      }
      if (!may_leave_event(each)) continue;
      llvm::Value* const bytes = passed_bytes(each);
      const bool varies = bytes != nullptr && !llvm::isa<llvm::ConstantInt>(bytes);
      add(each, varies ? sum + kPassBegins : sum, varies ? bytes : nullptr);
      sum = 0;
    }
    sum += std::exchange(carried_[&block], 0);
    if (goes_on(block) != nullptr) {
      rest_[&block] = sum;
    } else {
      add(*end, sum);
    }
  }

  // The only block that follows, if it follows no other.
  static BasicBlock* goes_on(BasicBlock& block) {
    BasicBlock* const next = block.getSingleSuccessor();
    const bool is_part = next != nullptr && next->getSinglePredecessor() == &block &&
                         next != &block && !next->isEHPad();
    return is_part ? next : nullptr;
  }
  std::uint64_t from_before(BasicBlock& block) const {
    BasicBlock* const before = block.getSinglePredecessor();
    return before != nullptr && goes_on(*before) == &block ? rest_.lookup(before) : 0;
  }

  // `bytes`: the library passes over so many besides.
  static void add(Instruction& before, std::uint64_t count, llvm::Value* bytes = nullptr) {
    if (count == 0) return;
    llvm::IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(before.getDebugLoc());
    llvm::Value* const counter = hot_field(builder, abi::kHotWork);
    llvm::LoadInst* const load = builder.CreateLoad(builder.getInt64Ty(), counter);
    llvm::Value* sum = builder.CreateAdd(load, builder.getInt64(count));
    if (bytes != nullptr) {
      sum =
          builder.CreateAdd(sum, builder.CreateUDiv(bytes, builder.getInt64(kBytesAnInstruction)));
    }
    llvm::StoreInst* const store = builder.CreateStore(sum, counter);
    llvm::MDNode* const none = llvm::MDNode::get(before.getContext(), {});
    load->setMetadata(llvm::LLVMContext::MD_nosanitize, none);
    store->setMetadata(llvm::LLVMContext::MD_nosanitize, none);
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const BasicBlock*, std::uint64_t> carried_;  // of a loop behind it
  llvm::DenseMap<const BasicBlock*, std::uint64_t> rest_;     // for the block that goes on
  llvm::SmallPtrSet<const BasicBlock*, 8> is_counted_;
};

}  // namespace

llvm::PreservedAnalyses Count::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  if (!is_programs_own(function)) return llvm::PreservedAnalyses::all();
  Counting counting(function, analyses.getResult<llvm::LoopAnalysis>(function),
                    analyses.getResult<llvm::ScalarEvolutionAnalysis>(function));
  counting.run();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace redflag::pass
