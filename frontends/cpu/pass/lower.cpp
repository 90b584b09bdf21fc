// Lower: code for the checks that are left.
//
// The same-epoch test in line (core/live/usual.h): the granule's cell is loaded, at a constant distance
// from the memory, and its last write, for a read also its last read, is compared with the thread's
// epoch and the bytes of the access. A check of bytes that may lie in two or three granules compares all of
// them. What this does not settle goes to a call on a cold path, which keeps the registers (abi.h).
//
//   cell = *(p ^ kCellDistance); ((cell.write ^ me) & (epoch | bytes)) == 0 ? on : cold
//
// In line only where it is often done, in loops: elsewhere the same comparison is called
// (__redflag_check_*), which keeps the code small.
//
// Wider checks, and those of volatile accesses and virtual tables' pointers, which the runtime must
// tell apart, are calls. Sound: an entry of this epoch says that this very access, or one that covers
// it, was checked in this epoch and nobody's came in between (core/live/usual.h).
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "frontends/cpu/abi/abi.h"
#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/copies.h"
#include "frontends/cpu/pass/frames.h"
#include "frontends/cpu/pass/passes.h"

namespace redflag::pass {
namespace {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr std::uint64_t kGranule = std::uint64_t{1} << abi::kGranuleShift;
constexpr std::uint64_t kMostCells = 3;
constexpr std::uint64_t kShort = 64;  // bytes that are looked up one granule after another
constexpr std::uint64_t kOften = 2;   // times for each call of the function

bool has_own_function(std::uint64_t size) {
  return std::find(std::begin(abi::kSizes), std::end(abi::kSizes), size) != std::end(abi::kSizes);
}

// Where `local` dropped the only checks and nothing is called, nobody looks at the frame.
bool drop_idle_frame(llvm::Function& function, const llvm::TargetLibraryInfo& library) {
  llvm::SmallVector<Instruction*, 8> stores;
  for (Instruction& each : llvm::instructions(function)) {
    const bool looks = only_checks(each) || calls_something(each, library);
    if (looks || llvm::isa<llvm::MemIntrinsic>(each)) return false;
    if (is_of_frame(each)) stores.push_back(&each);
  }
  llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
  for (Instruction* each : stores) {
    unused.append(each->value_op_begin(), each->value_op_end());
    each->eraseFromParent();
  }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  return !stores.empty();
}

class Lowering {
 public:
  // `often`: nullptr: nothing is in line.
  Lowering(llvm::Function& function, const llvm::BlockFrequencyInfo* often)
      : function_(function), layout_(function.getDataLayout()), often_(often) {
    if (often == nullptr) return;
    const std::uint64_t once = often->getEntryFreq().getFrequency();
    for (llvm::BasicBlock& block : function) {
      if (often->getBlockFreq(&block).getFrequency() / kOften >= once) hot_.insert(&block);
    }
  }

  bool run() {
    llvm::SmallVector<Instruction*, 64> marks;
    for (Instruction& each : llvm::instructions(function_)) {
      if (is_mark(each)) marks.push_back(&each);
    }
    for (Instruction* each : marks) {
      in_line_ = hot_.contains(each->getParent());
      if (const std::optional<Check> check = Check::of(*each)) lower(*check);
      if (const std::optional<Range> range = Range::of(*each)) lower(*range);
      if (const std::optional<Rows> rows = Rows::of(*each)) lower(*rows);
      each->eraseFromParent();
    }
    return !marks.empty();
  }

 private:
  void lower(const Check& check) {
    const std::uint64_t align =
        std::max(check.align(), llvm::getKnownAlignment(check.address(), layout_)).value();
    const std::uint64_t cells =
        (check.size() + kGranule - std::min(align, kGranule) + kGranule - 1) / kGranule;
    IRBuilder<> builder(&check.call());
    if (!in_line_ || !check.is_plain() || cells > kMostCells) return call(builder, check, false);
    llvm::BasicBlock* const block = check.call().getParent();
    Instruction* const cold = compare(check, cells, align);
    if (check.call().getParent() != block) hot_.insert(check.call().getParent());
    builder.SetInsertPoint(cold);
    builder.SetCurrentDebugLocation(check.call().getDebugLoc());
    call(builder, check, true);
  }

  // The comparison, before the check; the end of the block to go to where it does not hold.
  Instruction* compare(const Check& check, std::uint64_t cells, std::uint64_t align) {
    IRBuilder<> builder(&check.call());
    llvm::Type* const i64 = builder.getInt64Ty();
    llvm::Type* const i32 = builder.getInt32Ty();
    Value* const address = builder.CreatePtrToInt(check.address(), i64);
    Value* const me = builder.CreateLoad(i32, hot_field(builder, abi::kHotMe));
    Value* unknown = nullptr;
    for (std::uint64_t k = 0; k < cells; ++k) {
      Value* const differs = one_cell(builder, check, address, me, k, cells, align);
      unknown = unknown == nullptr ? differs : builder.CreateOr(unknown, differs);
    }
    return split(unknown, &check.call(), nullptr);
  }

  // Is there something to do about the k-th of the granules that the bytes may lie in?
  Value* one_cell(IRBuilder<>& builder, const Check& check, Value* address, Value* me,
                  std::uint64_t k, std::uint64_t cells, std::uint64_t align) {
    llvm::Type* const i64 = builder.getInt64Ty();
    llvm::Type* const i32 = builder.getInt32Ty();
    const std::uint64_t size = check.size();
    Value* const low = align >= kGranule
                           ? builder.getInt64(0)
                           : builder.CreateAnd(address, builder.getInt64(kGranule - 1));
    Value* const first =
        align >= kGranule ? address : builder.CreateAnd(address, builder.getInt64(~(kGranule - 1)));
    Value* const granule = builder.CreateAdd(first, builder.getInt64(k * kGranule));
    Value* const place = builder.CreateIntToPtr(
        builder.CreateXor(granule, builder.getInt64(abi::kCellDistance)), builder.getPtrTy());
    Value* const cell = builder.CreateAlignedLoad(i64, place, llvm::Align(kGranule));
    // Of this granule the bytes that `size` ones from `low` on have.
    Value* bytes = builder.getInt64(abi::kEntryBytes);
    if (size < kGranule * cells || align < kGranule) {
      const std::uint64_t ones = size >= 32 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
      bytes = builder.CreateShl(builder.getInt64(ones), low);
      bytes = builder.CreateLShr(bytes, k * kGranule);
      bytes = builder.CreateAnd(bytes, builder.getInt64(abi::kEntryBytes));
    }
    Value* const wanted = builder.CreateOr(builder.CreateTrunc(bytes, i32),
                                           builder.getInt32(abi::kEntryOfMe & ~abi::kEntryBytes));
    const auto differs = [&](Value* entry, Value* bits) {
      Value* const other = builder.CreateAnd(builder.CreateXor(entry, me), bits);
      Value* const is_other = builder.CreateICmpNE(other, builder.getInt32(0));
      if (k == 0) return is_other;
      // A granule that the access does not reach after all.
      return builder.CreateAnd(
          is_other, builder.CreateICmpNE(builder.CreateTrunc(bytes, i32), builder.getInt32(0)));
    };
    Value* const by_write = differs(builder.CreateTrunc(cell, i32), wanted);
    if (check.writes()) return by_write;
    Value* const read = builder.CreateTrunc(builder.CreateLShr(cell, 32), i32);
    return builder.CreateAnd(
        by_write, differs(read, builder.CreateOr(wanted, builder.getInt32(abi::kEntryFlag))));
  }

  // Before `at` a branch to `cold` (nullptr: a new block that comes back); its end.
  Instruction* split(Value* condition, Instruction* at, llvm::BasicBlock* cold) {
    llvm::MDNode* const rarely =
        llvm::MDBuilder(function_.getContext()).createBranchWeights(1, 100000);
    if (cold == nullptr) {
      return llvm::SplitBlockAndInsertIfThen(condition, at->getIterator(), false, rarely);
    }
    llvm::BasicBlock* const block = at->getParent();
    llvm::BasicBlock* const rest = block->splitBasicBlock(at->getIterator());
    block->getTerminator()->eraseFromParent();
    llvm::BranchInst* branch = llvm::BranchInst::Create(cold, rest, condition, block);
    branch->setMetadata(llvm::LLVMContext::MD_prof, rarely);
    cold->getTerminator()->setSuccessor(0, rest);
    return cold->getTerminator();
  }

  // The check as a call: on a cold path one that keeps the registers.
  void call(IRBuilder<>& builder, const Check& check, bool keeps_registers) {
    std::string name = check.writes() ? "write" : "read";
    llvm::SmallVector<Value*, 2> arguments{check.address()};
    const std::uint64_t size = check.size();
    if ((check.kind() & kPolls) != 0) {
      keeps_registers = false;
      name = "__redflag_poll_read";
      arguments.push_back(builder.getInt64(size));
    } else if (!check.is_plain() && has_own_function(size)) {
      name = special_name(check);
    } else if (has_own_function(size)) {
      name = (keeps_registers ? "__redflag_" : "__redflag_check_") + name + std::to_string(size);
      keeps_registers = true;
    } else if (keeps_registers || size <= kShort) {
      keeps_registers = true;
      name = "__redflag_" + name + "_n";
      arguments.push_back(builder.getInt64(size));
    } else {
      name = "__redflag_" + name + "_range";
      arguments.push_back(builder.getInt64(size));
    }
    emit(builder, name, arguments, keeps_registers);
  }

  // Names of the ABI for what the runtime tells apart.
  static std::string special_name(const Check& check) {
    if ((check.kind() & kVptr) != 0 && !check.writes()) return "__tsan_vptr_read";
    const std::string bytes = std::to_string(check.size());
    const bool is_volatile = (check.kind() & kVolatile) != 0;
    return std::string("__tsan_") + (check.size() > 1 ? "unaligned_" : "") +
           (is_volatile ? "volatile_" : "") + (check.writes() ? "write" : "read") + bytes;
  }

  // What may be none at all, as a gathered walk's mostly is, is not worth a call then: the code for
  // it goes where the builder is afterwards. A mark that directly follows another one which went
  // there, and is as many, goes there, too. Between the two stood no other instruction: so all that
  // this one uses is computed before the block, nothing synchronises in between, and no other mark
  // is overtaken.
  void skip_none(IRBuilder<>& builder, llvm::CallInst& mark, Value* count) {
    if (llvm::isa<llvm::ConstantInt>(count) || often_ == nullptr) return;
    if (some_of_ != count || next_ != &mark) {
      Value* const some = builder.CreateICmpNE(count, builder.getInt64(0));
      some_ = llvm::SplitBlockAndInsertIfThen(some, mark.getIterator(), false);
      if (in_line_) hot_.insert(mark.getParent());
      some_of_ = count;
    }
    next_ = mark.getNextNode();
    builder.SetInsertPoint(some_);
    builder.SetCurrentDebugLocation(mark.getDebugLoc());
  }

  void lower(const Rows& rows) {
    IRBuilder<> builder(&rows.call());
    skip_none(builder, rows.call(), rows.rows());
    llvm::SmallVector<Value*, 6> arguments;
    for (const unsigned i : {0U, 1U, 2U, 3U, 5U, 6U}) {
      arguments.push_back(rows.call().getArgOperand(i));
    }
    emit(builder, rows.writes() ? "__redflag_write_rows" : "__redflag_read_rows", arguments, false);
  }

  void lower(const Range& range) {
    IRBuilder<> builder(&range.call());
    skip_none(builder, range.call(), range.count());
    const std::string name = std::string("__redflag_") + (range.writes() ? "write" : "read");
    const auto* step = llvm::dyn_cast<llvm::ConstantInt>(range.step());
    // Steps that leave nothing out, or overlap, as those of a vector and its neighbours do.
    const auto size = static_cast<std::int64_t>(range.size());
    const std::int64_t apart = step != nullptr ? step->getSExtValue() : 0;
    const bool is_some = !llvm::isa<llvm::ConstantInt>(range.count()) && often_ != nullptr;
    if (apart == size || (apart > 0 && apart < size && is_some)) {
      Value* bytes = builder.CreateMul(range.count(), builder.getInt64(step->getZExtValue()));
      if (apart != size) bytes = builder.CreateAdd(bytes, builder.getInt64(size - apart));
      emit(builder, name + "_range", {range.start(), bytes}, false);
      return;
    }
    emit(builder, name + "_strided",
         {range.start(), range.step(), range.count(), builder.getInt64(range.size())}, false);
  }

  void emit(IRBuilder<>& builder, const std::string& name, llvm::ArrayRef<Value*> arguments,
            bool keeps_registers) {
    llvm::SmallVector<llvm::Type*, 4> types;
    for (const Value* each : arguments) types.push_back(each->getType());
    llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        name, llvm::FunctionType::get(builder.getVoidTy(), types, false));
    auto* target = llvm::dyn_cast<llvm::Function>(callee.getCallee());
    if (target != nullptr) {
      target->setDoesNotThrow();
      if (keeps_registers) target->setCallingConv(llvm::CallingConv::PreserveMost);
    }
    llvm::CallInst* const call = builder.CreateCall(callee, arguments);
    call->setDoesNotThrow();
    if (keeps_registers) call->setCallingConv(llvm::CallingConv::PreserveMost);
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const llvm::BlockFrequencyInfo* const often_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> hot_;
  bool in_line_ = false;  // the mark at hand
  // Of the last mark that may be none: of how many, the end of the block for where it is some, and
  // the instruction directly behind the mark.
  const Value* some_of_ = nullptr;
  Instruction* some_ = nullptr;
  const Instruction* next_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses Lower::run(llvm::Function& function,
                                   llvm::FunctionAnalysisManager& analyses) {
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  if (drop_idle_frame(function, library)) return llvm::PreservedAnalyses::none();
  const auto& often = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  return Lowering(function, &often).run() ? llvm::PreservedAnalyses::none()
                                          : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses LowerToCalls::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager& analyses) {
  const auto& library = analyses.getResult<llvm::TargetLibraryAnalysis>(function);
  if (drop_idle_frame(function, library)) return llvm::PreservedAnalyses::none();
  return Lowering(function, nullptr).run() ? llvm::PreservedAnalyses::none()
                                           : llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
