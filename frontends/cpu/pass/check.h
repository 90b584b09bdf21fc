// Checks as IR: what the passes of this folder hand to each other.
//
// `instrument` puts a call of @redflag.check before every access; the passes that follow drop, merge and
// move these calls; `lower` makes code of those that are left. So each pass is a function pass like
// any other, can be left out, and can be read and tested by itself (tests/pass/*.ll):
//
//   call void @redflag.check(ptr align A %p, i64 SIZE, i32 KIND)            SIZE bytes at %p
//   call void @redflag.range(ptr %p, i64 %step, i64 %count, i64 SIZE, i32 KIND)
//                                     SIZE bytes at %p, %p + %step, ..., %count times; none if it is 0
//   call void @redflag.rows(ptr %p, i64 %step, i64 %count, i64 SIZE, i32 KIND, i64 %rows, i64 %pitch)
//                                     such ranges at %p, %p + %pitch, ..., %rows times; none if it is 0
//
// SIZE and KIND are constants. The call's debug location is the access's own: reports name its line,
// wherever the call went. They are declared to touch no memory that the program can see, and they
// always return, so the analyses of LLVM look past them.
//
// What makes a move or a drop sound is the same everywhere: between two synchronisations of a thread
// (sync.h) nobody can tell in which order, or how often, it made its accesses; so a check may stand
// anywhere in that stretch, and one that covers another replaces it.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

namespace redflag::pass {

// KIND, as bits.
inline constexpr std::uint32_t kWrites = 1;
inline constexpr std::uint32_t kVolatile = 2;
inline constexpr std::uint32_t kVptr = 4;   // of a virtual table's pointer
inline constexpr std::uint32_t kPolls = 8;  // a loop waits for it (polled.h)

inline constexpr const char* kCheckName = "redflag.check";
inline constexpr const char* kRangeName = "redflag.range";
inline constexpr const char* kRowsName = "redflag.rows";

// One call of @redflag.check.
class Check {
 public:
  static std::optional<Check> of(llvm::Instruction& instruction);
  static Check create(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Align align,
                      std::uint64_t size, std::uint32_t kind);

  llvm::CallInst& call() const { return *call_; }
  llvm::Value* address() const { return call_->getArgOperand(0); }
  llvm::Align align() const { return call_->getParamAlign(0).valueOrOne(); }
  std::uint64_t size() const { return constant(1); }
  std::uint32_t kind() const { return static_cast<std::uint32_t>(constant(2)); }
  bool writes() const { return (kind() & kWrites) != 0; }
  // Neither volatile, nor a vptr, nor polled: those are reported as such, and are left alone.
  bool is_plain() const { return (kind() & ~kWrites) == 0; }
  void erase() const { call_->eraseFromParent(); }

 private:
  explicit Check(llvm::CallInst* call) : call_(call) {}
  std::uint64_t constant(unsigned i) const {
    return llvm::cast<llvm::ConstantInt>(call_->getArgOperand(i))->getZExtValue();
  }
  llvm::CallInst* call_;
};

// One call of @redflag.range.
class Range {
 public:
  static std::optional<Range> of(llvm::Instruction& instruction);
  static Range create(llvm::IRBuilder<>& builder, llvm::Value* start, llvm::Value* step,
                      llvm::Value* count, std::uint64_t size, std::uint32_t kind);

  llvm::CallInst& call() const { return *call_; }
  llvm::Value* start() const { return call_->getArgOperand(0); }
  llvm::Value* step() const { return call_->getArgOperand(1); }
  llvm::Value* count() const { return call_->getArgOperand(2); }
  std::uint64_t size() const { return constant(3); }
  std::uint32_t kind() const { return static_cast<std::uint32_t>(constant(4)); }
  bool writes() const { return (kind() & kWrites) != 0; }
  // Of a gathered walk (gathered.h): what there is in the end, or when it breaks off, which it rarely does.
  enum class Gathered : std::uint8_t { kInTheEnd, kBrokenOff };
  void set_gathered(Gathered when) const;
  bool is_gathered() const;
  bool is_rare() const;
  void erase() const { call_->eraseFromParent(); }

 private:
  explicit Range(llvm::CallInst* call) : call_(call) {}
  std::uint64_t constant(unsigned i) const {
    return llvm::cast<llvm::ConstantInt>(call_->getArgOperand(i))->getZExtValue();
  }
  llvm::CallInst* call_;
};

// One call of @redflag.rows.
class Rows {
 public:
  static std::optional<Rows> of(llvm::Instruction& instruction);
  // As often as `rows` says, each `pitch` further, what `like` is of from `start` on.
  static Rows create(llvm::IRBuilder<>& builder, const Range& like, llvm::Value* start,
                     llvm::Value* step, llvm::Value* count, llvm::Value* rows, llvm::Value* pitch);

  llvm::CallInst& call() const { return *call_; }
  llvm::Value* rows() const { return call_->getArgOperand(5); }
  bool writes() const;

 private:
  explicit Rows(llvm::CallInst* call) : call_(call) {}
  llvm::CallInst* call_;
};

// A check, a range or rows of them.
bool is_mark(const llvm::Instruction& instruction);

}  // namespace redflag::pass
