// Instrument: as LLVM's own ThreadSanitizer pass does, but with checks that can still be moved.
//
// Before every load and store of memory a check is put; atomics become calls of the ABI (atomics.cpp);
// memory intrinsics of a small known size become checks and stay what they are, others become the
// ABI's calls, which check; functions that do anything of the kind, or call others, get a frame
// (frames.cpp). Vectors of any width, long double (its ten bytes) and odd sizes are accesses like
// others; of masked vectors, gathers and scatters each lane is one, and of vectors of which only some
// lanes are used, those.
//
// Of functions without the attribute sanitize_thread (__attribute__((no_sanitize("thread"))), and
// what -fsanitize-ignorelist takes out) no access is checked, but their atomics, which may order
// what others do, are called, and they get a frame; nothing is done with those that say
// disable_sanitizer_instrumentation. Not instrumented: counters of coverage and profiles; other
// address spaces; what the user does not want (-fno-sanitize-thread-atomics and so on, plugin.cpp).
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "frontends/cpu/pass/atomics.h"
#include "frontends/cpu/pass/check.h"
#include "frontends/cpu/pass/frames.h"
#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/polled.h"
#include "frontends/cpu/pass/sync.h"

namespace redflag::pass {
namespace {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr std::uint64_t kSmallCopy = 64;  // bytes, checked in place

// Variables that the compiler itself put there.
bool is_compilers_own(const Value* address) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(address->stripInBoundsOffsets());
  if (global == nullptr) return false;
  if (global->hasSection() && global->getSection().ends_with("__llvm_prf_cnts")) return true;
  return global->getName().starts_with("__llvm_gcov") ||
         global->getName().starts_with("__llvm_gcda") ||
         global->getName().starts_with("__llvm_prof");
}

bool is_checked(const Value* address) {
  if (address->getType()->getPointerAddressSpace() != 0) return false;
  return !address->isSwiftError() && !is_compilers_own(address);
}

bool is_vptr(const Instruction& instruction) {
  const llvm::MDNode* tag = instruction.getMetadata(llvm::LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

std::uint32_t kind_of(const Instruction& instruction, bool writes) {
  std::uint32_t kind = writes ? kWrites : 0;
  if (is_vptr(instruction)) kind |= kVptr;
  if (instruction.isVolatile()) kind |= kVolatile;
  return kind;
}

// Is each lane of the result made of the same lane of its operands alone?
bool is_lane_by_lane(const llvm::User& user) {
  return llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::UnaryOperator>(user) ||
         llvm::isa<llvm::FreezeInst>(user);
}

constexpr unsigned kMostValues = 64;  // computed from one load before lanes are picked

// Adds the lanes of the vector that this use picks; false: it is another use.
bool add_picked(const llvm::Use& use, llvm::SmallBitVector& used) {
  const auto lanes = static_cast<int>(used.size());
  if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(use.getUser())) {
    const int first = use.getOperandNo() == 0 ? 0 : lanes;
    for (const int lane : shuffle->getShuffleMask()) {
      if (lane >= first && lane < first + lanes) used.set(static_cast<unsigned>(lane - first));
    }
    return true;
  }
  const auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(use.getUser());
  if (extract == nullptr) return false;
  const auto* lane = llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand());
  if (lane == nullptr || lane->getValue().uge(used.size())) return false;
  used.set(static_cast<unsigned>(lane->getZExtValue()));
  return true;
}

// The lanes of a loaded vector that anybody looks at: all, unless every use picks some of them, itself
// or behind arithmetic that keeps lanes apart.
llvm::SmallBitVector used_lanes(const llvm::LoadInst& load) {
  llvm::SmallBitVector all(1, true);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
  if (vector == nullptr || load.isVolatile() || load.use_empty()) return all;
  const llvm::TypeSize bits = load.getDataLayout().getTypeSizeInBits(vector->getElementType());
  if (bits.getFixedValue() % 8 != 0) return all;
  llvm::SmallBitVector used(vector->getNumElements());
  llvm::SmallSetVector<const llvm::Value*, 16> values;
  values.insert(&load);
  for (unsigned i = 0; i < values.size(); ++i) {
    for (const llvm::Use& use : values[i]->uses()) {
      if (add_picked(use, used)) continue;
      if (!is_lane_by_lane(*use.getUser()) || values.size() == kMostValues) return all;
      values.insert(use.getUser());
    }
  }
  return used;
}

class Instrumenter {
 public:
  Instrumenter(llvm::Function& function, const llvm::TargetLibraryInfo& library,
               const PolledLoads& polled, const Instrument& how)
      : function_(function),
        library_(library),
        layout_(function.getDataLayout()),
        polled_(polled),
        lanes_(how.lanes),
        wanted_(how.wanted) {}

  bool run() {
    const bool sanitize = function_.hasFnAttribute(llvm::Attribute::SanitizeThread);
    llvm::SmallVector<Instruction*, 64> instructions;
    bool calls = false;
    for (Instruction& each : llvm::instructions(function_)) {
      if (each.hasMetadata(llvm::LLVMContext::MD_nosanitize)) continue;
      instructions.push_back(&each);
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&each)) {
        calls |= !llvm::isa<llvm::IntrinsicInst>(call) || llvm::isa<llvm::MemIntrinsic>(call);
      }
    }
    bool changed = false;
    for (Instruction* each : instructions) {
      if (is_atomic(*each)) {
        changed |= wanted_.atomics && lower_atomic(*each);
      } else if (sanitize) {
        changed |= instrument(*each);
      }
    }
    if (wanted_.frames && (changed || calls)) {
      add_frame(function_);
      changed = true;
    }
    // LLVM's own pass, which runs as well, has nothing left to do here.
    if (sanitize) function_.removeFnAttr(llvm::Attribute::SanitizeThread);
    return changed || sanitize;
  }

 private:
  bool instrument(Instruction& at) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      if (const llvm::SmallBitVector used = used_lanes(*load);
          !used.all() && lanes_ == Lanes::kUsed) {
        return check_lanes(*load, used);
      }
      return check(at, load->getPointerOperand(), load->getAlign(), load->getType(), false);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      return check_store(*store);
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
        call != nullptr && !only_computes(*call, library_)) {
      llvm::maybeMarkSanitizerLibraryCallNoBuiltin(call, &library_);
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&at)) return intrinsic_(*intrinsic);
    return false;
  }

  // Does `at`, a load, a store or an intrinsic that is one, access this, and is that to be checked?
  bool is_wanted(const Instruction& at, const Value* address) const {
    const bool copies = llvm::isa<llvm::MemIntrinsic>(at);
    return (copies ? wanted_.copies : wanted_.accesses) && is_checked(address);
  }

  bool check(Instruction& at, Value* address, llvm::Align align, llvm::Type* type, bool writes) {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    if (!is_wanted(at, address) || size.isScalable() || size.isZero()) return false;
    IRBuilder<> builder(&at);
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&at);
    const std::uint32_t polls = load != nullptr && polled_.contains(load) ? kPolls : 0;
    Check::create(builder, address, align, size.getFixedValue(), kind_of(at, writes) | polls);
    return true;
  }

  // A vectorised loop over every other element loads those in between as well, which the program never
  // reads: only lanes that are used are accesses of its own. Neighbours are one.
  bool check_lanes(llvm::LoadInst& load, const llvm::SmallBitVector& used) {
    const std::uint64_t size =
        layout_.getTypeStoreSize(llvm::cast<llvm::VectorType>(load.getType())->getElementType());
    if (!is_wanted(load, load.getPointerOperand())) return false;
    IRBuilder<> builder(&load);
    for (int lane = used.find_first(); lane >= 0;) {
      const int end = used.find_next_unset(static_cast<unsigned>(lane));
      const std::uint64_t offset = static_cast<std::uint64_t>(lane) * size;
      const auto count =
          static_cast<std::uint64_t>((end < 0 ? static_cast<int>(used.size()) : end) - lane);
      Value* const at =
          builder.CreateConstGEP1_64(builder.getInt8Ty(), load.getPointerOperand(), offset);
      Check::create(builder, at, llvm::commonAlignment(load.getAlign(), offset), count * size,
                    kind_of(load, false));
      lane = end < 0 ? -1 : used.find_next(static_cast<unsigned>(end));
    }
    return true;
  }

  // The ABI wants to see what becomes of a virtual table's pointer: storing the same again is no write.
  bool check_store(llvm::StoreInst& store) {
    Value* const address = store.getPointerOperand();
    Value* const value = store.getValueOperand();
    if (!is_vptr(store) || !value->getType()->isPointerTy() || !is_wanted(store, address)) {
      return check(store, address, store.getAlign(), value->getType(), true);
    }
    IRBuilder<> builder(&store);
    llvm::Module& module = *function_.getParent();
    const llvm::FunctionCallee update = module.getOrInsertFunction(
        "__tsan_vptr_update", builder.getVoidTy(), builder.getPtrTy(), builder.getPtrTy());
    builder.CreateCall(update, {address, value});
    return true;
  }

  bool intrinsic_(llvm::IntrinsicInst& intrinsic) {
    if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&intrinsic)) return fill(*set);
    if (auto* move = llvm::dyn_cast<llvm::MemTransferInst>(&intrinsic)) return transfer(*move);
    switch (intrinsic.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
        return lanes(intrinsic, intrinsic.getArgOperand(0), intrinsic.getArgOperand(2),
                     intrinsic.getType(), false);
      case llvm::Intrinsic::masked_store:
        return lanes(intrinsic, intrinsic.getArgOperand(1), intrinsic.getArgOperand(3),
                     intrinsic.getArgOperand(0)->getType(), true);
      case llvm::Intrinsic::masked_gather:
        return lanes(intrinsic, intrinsic.getArgOperand(0), intrinsic.getArgOperand(2),
                     intrinsic.getType(), false);
      case llvm::Intrinsic::masked_scatter:
        return lanes(intrinsic, intrinsic.getArgOperand(1), intrinsic.getArgOperand(3),
                     intrinsic.getArgOperand(0)->getType(), true);
      default:
        return false;
    }
  }

  // Each lane whose bit of the mask is set, by a call: __redflag_{read,write}_lane(p, size, is set).
  bool lanes(Instruction& at, Value* address, Value* mask, llvm::Type* type, bool writes) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector == nullptr) return false;
    const std::uint64_t size = layout_.getTypeStoreSize(vector->getElementType());
    IRBuilder<> builder(&at);
    const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        writes ? "__redflag_write_lane" : "__redflag_read_lane", builder.getVoidTy(),
        builder.getPtrTy(), builder.getInt64Ty(), builder.getInt1Ty());
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Value* lane = address->getType()->isVectorTy()
                        ? builder.CreateExtractElement(address, i)
                        : builder.CreateConstGEP1_64(vector->getElementType(), address, i);
      if (!is_wanted(at, lane)) return false;
      Value* set = builder.CreateExtractElement(mask, i);
      if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(set)) {
        if (known->isOne()) Check::create(builder, lane, llvm::Align(1), size, kind_of(at, writes));
        continue;
      }
      llvm::CallInst* const call = builder.CreateCall(callee, {lane, builder.getInt64(size), set});
      call->addParamAttr(0, llvm::Attribute::NoCapture);
      call->addParamAttr(2, llvm::Attribute::ZExt);  // as C's bool is handed over
    }
    return true;
  }

  static bool is_small(const llvm::MemIntrinsic& of) {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(of.getLength());
    return size != nullptr && size->getZExtValue() <= kSmallCopy;
  }

  bool fill(llvm::MemSetInst& set) {
    if (!is_wanted(set, set.getDest())) return false;
    IRBuilder<> builder(&set);
    if (is_small(set)) {
      const std::uint64_t size = llvm::cast<llvm::ConstantInt>(set.getLength())->getZExtValue();
      if (size != 0) {
        Check::create(builder, set.getDest(), set.getDestAlign().valueOrOne(), size,
                      kind_of(set, true));
      }
      return true;
    }
    const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        "__tsan_memset", builder.getPtrTy(), builder.getPtrTy(), builder.getInt32Ty(),
        builder.getInt64Ty());
    builder.CreateCall(
        callee, {set.getDest(), builder.CreateIntCast(set.getValue(), builder.getInt32Ty(), false),
                 builder.CreateIntCast(set.getLength(), builder.getInt64Ty(), false)});
    set.eraseFromParent();
    return true;
  }

  bool transfer(llvm::MemTransferInst& move) {
    if (!is_wanted(move, move.getDest()) || !is_wanted(move, move.getSource())) return false;
    IRBuilder<> builder(&move);
    if (is_small(move)) {
      const std::uint64_t size = llvm::cast<llvm::ConstantInt>(move.getLength())->getZExtValue();
      if (size == 0) return false;
      Check::create(builder, move.getSource(), move.getSourceAlign().valueOrOne(), size,
                    kind_of(move, false));
      Check::create(builder, move.getDest(), move.getDestAlign().valueOrOne(), size,
                    kind_of(move, true));
      return true;
    }
    const llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(
        llvm::isa<llvm::MemMoveInst>(move) ? "__tsan_memmove" : "__tsan_memcpy", builder.getPtrTy(),
        builder.getPtrTy(), builder.getPtrTy(), builder.getInt64Ty());
    builder.CreateCall(callee,
                       {move.getDest(), move.getSource(),
                        builder.CreateIntCast(move.getLength(), builder.getInt64Ty(), false)});
    move.eraseFromParent();
    return true;
  }

  llvm::Function& function_;
  const llvm::TargetLibraryInfo& library_;
  const llvm::DataLayout& layout_;
  const PolledLoads& polled_;
  const Lanes lanes_;
  const Wanted wanted_;
};

}  // namespace

llvm::PreservedAnalyses Instrument::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  if (!is_programs_own(function)) return llvm::PreservedAnalyses::all();
  const PolledLoads polled =
      polled_loads(function, analyses.getResult<llvm::LoopAnalysis>(function));
  Instrumenter instrumenter(function, analyses.getResult<llvm::TargetLibraryAnalysis>(function),
                            polled, *this);
  return instrumenter.run() ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace redflag::pass
