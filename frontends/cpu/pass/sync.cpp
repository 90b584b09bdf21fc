#include "frontends/cpu/pass/sync.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "frontends/cpu/pass/check.h"

namespace redflag::pass {
namespace {

// Functions of the C library that only compute: they take numbers, and may set errno.
constexpr const char* kComputing[] = {
    "acos",  "acosh",    "asin",      "asinh",  "atan", "atan2",     "atanh", "cbrt",
    "ceil",  "copysign", "cos",       "cosh",   "erf",  "exp",       "exp10", "exp2",
    "expm1", "fabs",     "floor",     "fmax",   "fmin", "fmod",      "hypot", "ldexp",
    "log",   "log10",    "log1p",     "log2",   "logb", "nearbyint", "pow",   "remainder",
    "rint",  "round",    "roundeven", "scalbn", "sin",  "sinh",      "sqrt",  "tan",
    "tanh",  "tgamma",   "trunc",
};
// Those that read or write what they are given, and do nothing else that others could see.
constexpr const char* kOnBytes[] = {
    "abs",        "sincos",  "sincosf", "sincosl", "labs",    "llabs",   "ffs",    "ffsl",
    "ffsll",      "isdigit", "isascii", "toascii", "memcmp",  "bcmp",    "memchr", "memrchr",
    "memcpy",     "mempcpy", "memmove", "memset",  "strlen",  "strnlen", "strcmp", "strncmp",
    "strcasecmp", "strchr",  "strrchr", "strcpy",  "strncpy", "stpcpy",  "strcat", "strncat",
    "strspn",     "strcspn", "strpbrk", "strstr",  "malloc",  "calloc",
};

const llvm::StringSet<>& computing() {
  static const llvm::StringSet<> kNames = [] {
    llvm::StringSet<> names;
    for (const std::string name : kComputing) {
      for (const char* suffix : {"", "f", "l"}) names.insert(name + suffix);
    }
    return names;
  }();
  return kNames;
}

const llvm::StringSet<>& on_bytes() {
  static const llvm::StringSet<> kNames = [] {
    llvm::StringSet<> names;
    for (const char* name : kOnBytes) names.insert(name);
    return names;
  }();
  return kNames;
}

// Called with the types that the library's function has: it is that one, unless the program has its
// own here, which may take locks.
bool is_named(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library,
              const llvm::StringSet<>& names) {
  llvm::LibFunc function{};
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclarationForLinker() &&
         library.getLibFunc(*callee, function) && names.contains(callee->getName());
}

// It comes back once more when somebody jumps to it: what happened in between is not known.
bool comes_back_again(const llvm::CallBase& call) {
  return call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
         call.getIntrinsicID() == llvm::Intrinsic::eh_sjlj_setjmp;
}

bool is_harmless_call(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library) {
  return only_computes(call, library) || is_named(call, library, on_bytes());
}

bool orders_something(llvm::AtomicOrdering order) {
  return llvm::isStrongerThan(order, llvm::AtomicOrdering::Monotonic);
}

// What `instrument` puts there. Programs call others of the ABI, too, and those may order something:
// __tsan_acquire, __tsan_release, __tsan_mutex_*, __tsan_switch_to_fiber.
constexpr const char* kPutThere[] = {"__redflag_",     "__tsan_atomic", "__tsan_memcpy",
                                     "__tsan_memmove", "__tsan_memset", "__tsan_vptr_"};

bool is_runtime_call(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && llvm::any_of(kPutThere, [&](const char* name) {
           return callee->getName().starts_with(name);
         });
}

// An atomic operation of the ABI, if not all of its orders are memory_order_relaxed: 0.
bool orders_something(const llvm::CallBase& call) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (!name.starts_with("__tsan_atomic")) return false;
  const unsigned orders = name.ends_with("compare_exchange_val") ? 2 : 1;
  for (unsigned i = 1; i <= orders; ++i) {
    const auto* order = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(call.arg_size() - i));
    if (order == nullptr || !order->isZero()) return true;
  }
  return false;
}

}  // namespace

bool only_computes(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library) {
  return is_named(call, library, computing());
}

bool may_synchronise(const llvm::Instruction& instruction, const llvm::TargetLibraryInfo& library) {
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    return fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return load->isAtomic() && orders_something(load->getOrdering());
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return store->isAtomic() && orders_something(store->getOrdering());
  }
  if (const auto* modify = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return orders_something(modify->getOrdering());
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return orders_something(exchange->getMergedOrdering());
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || is_mark(instruction)) return false;
  if (comes_back_again(*call)) return true;
  if (llvm::isa<llvm::IntrinsicInst>(call)) return false;
  if (call->isInlineAsm()) return true;
  if (is_runtime_call(*call)) return orders_something(*call);
  if (call->hasFnAttr(llvm::Attribute::NoSync) && call->hasFnAttr(llvm::Attribute::NoFree)) {
    return false;
  }
  return !is_harmless_call(*call, library);
}

bool always_continues(const llvm::Instruction& instruction,
                      const llvm::TargetLibraryInfo& library) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return !instruction.mayThrow();
  if (is_mark(instruction) || is_runtime_call(*call) || is_harmless_call(*call, library)) {
    return true;
  }
  return call->hasFnAttr(llvm::Attribute::WillReturn) && call->doesNotThrow();
}

}  // namespace redflag::pass
