// Code: a PTX function made ready to run: an array of micro-operations.
//
// Each function is decoded once per kernel that reaches it (decode.h). An operand is a Ref: an offset
// into one of three places, the frame of the call (registers, 32 words each, by lane), the pool of
// constants (immediates, filled in once for all lanes) and the warp's special registers. So finding
// an operand is one add, and a converged instruction is one loop over 32 words.
// One instruction may be several micro-operations: operands that an operation cannot take as they
// are (!p, the clock, the address of a local variable) are put into temporary registers first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/model/gpu.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/values/value_op.h"

namespace redflag::cuda {

struct Run;
struct MicroOp;
using Handler = void (*)(Run& run, const MicroOp& op);

// Byte offset, a multiple of four, with the place in its two low bits.
using Ref = std::uint32_t;
enum class Place : std::uint32_t { kFrame, kPool, kSpecial };
constexpr Ref make_ref(Place place, std::uint32_t offset) {
  return offset | static_cast<std::uint32_t>(place);
}
inline constexpr Ref kNoRef = 0xffffffff;
inline constexpr Ref kAlways = make_ref(Place::kPool, 0);  // the guard of who has none

struct MicroOp {
  Handler handler = nullptr;  // nullptr: `value` does it
  ValueOp value = nullptr;
  const Ref* refs = nullptr;      // results, then sources
  const void* extra = nullptr;    // what the handler knows it to be
  std::uint32_t instruction = 0;  // in the function
  Ref guard = kAlways;
  gpu::Lanes guard_flip = 0;  // all bits: the guard is negated
  std::uint32_t constant = 0;
  std::uint16_t shift = 0;
  std::uint8_t results = 0;
  std::uint8_t sources = 0;
  std::uint32_t target = 0;      // of a branch, into Code::ops
  std::uint32_t reconverge = 0;  // of a branch or call
};
static_assert(sizeof(MicroOp) <= 64);

// A formal or actual parameter, or a return value.
struct Slot {
  bool in_register = false;
  std::uint8_t bits = 0;    // of the register
  Ref ref = kNoRef;         // register; else the frame's offset of lane 0's bytes
  std::uint32_t bytes = 0;  // of each lane
};

struct CallOp;

// How a memory instruction finds its addresses and what it means.
struct MemoryOp {
  ptx::Space space = ptx::Space::kNone;
  ptx::Space source_space = ptx::Space::kNone;
  Order order = Order::kPlain;
  Scope scope = Scope::kSystem;
  bool is_volatile = false;
  bool is_strong = false;  // an atomic load or store
  bool sign_extend = false;
  bool is_const = false;     // nothing that anybody writes: never told
  std::uint8_t element = 0;  // bytes
  std::uint8_t vector = 1;
  std::uint8_t bytes = 0;  // element * vector
  std::uint8_t align = 0;
  std::uint8_t register_bits = 0;  // of the data registers
  std::uint8_t base_bits = 0;      // of the address register; 0: no register
  Ref base = kNoRef;
  std::uint8_t source_base_bits = 0;  // the second address, of copies
  Ref source_base = kNoRef;
  std::int64_t offset = 0;  // with the symbol's address
  std::int64_t source_offset = 0;
  ptx::Operation operation = ptx::Operation::kNone;
  ptx::Type type = ptx::Type::kNone;
  ptx::Compare compare = ptx::Compare::kNone;
  bool flag = false;   // what the handler knows it to be
  bool taken = false;  // an atomic's result is read by somebody
  std::uint32_t number = 0;
  const ptx::Instruction* instruction = nullptr;
};

// How a copy or an mbarrier operation goes.
struct AsyncOp {
  MemoryOp memory;  // destination, or the mbarrier; with it the source of a copy
  ptx::Op op = ptx::Op::kUnknown;
  Ref result = kNoRef;  // token or predicate
  Ref number = kNoRef;  // count, bytes, groups, token or parity
  Ref filled = kNoRef;  // cp.async: bytes to read; the rest is zero
  Ref ignore = kNoRef;  // cp.async: predicate, read nothing
  bool parity = false, expects = false, no_complete = false, no_increment = false, all = false;
  bool has_mbarrier = false;  // completes bytes there
  Ref blocks = kNoRef;        // cp.async.bulk with .multicast: ranks in the cluster, by bit
  std::uint8_t mbarrier_bits = 0;
  ptx::Space mbarrier_space = ptx::Space::kNone;
  Ref mbarrier = kNoRef;
  std::int64_t mbarrier_offset = 0;
};

// A matrix of wmma.load and wmma.store.
struct FragmentOp {
  MemoryOp memory;
  std::uint8_t rows = 0, columns = 0;
  std::uint8_t per_lane = 0;  // elements
  std::uint8_t per_register = 0;
  bool by_column = false;  // in memory
  Ref stride = kNoRef;     // elements from one line to the next; kNoRef: none between them
};

struct Code {
  const ptx::Function* function = nullptr;
  const ptx::Module* module = nullptr;
  std::uint32_t module_index = 0;
  std::uint32_t index = 0;       // in its program
  std::uint32_t first_site = 0;  // of instruction 0
  std::vector<MicroOp> ops;
  std::uint32_t end = 0;  // where threads meet that return: the last two operations
  std::uint32_t frame_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::vector<Slot> parameters, returns;
  // Owned by the code, referred to by its operations.
  std::vector<std::unique_ptr<Ref[]>> refs;
  std::vector<std::unique_ptr<MemoryOp>> memory;
  std::vector<std::shared_ptr<void>> others;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> tables;
  std::byte* pool = nullptr;
  std::shared_ptr<std::byte> pool_owner;

  gpu::SiteId site(const MicroOp& op) const {
    return static_cast<gpu::SiteId>(first_site + op.instruction);
  }
};

enum class BarrierKind : std::uint8_t { kSync, kArrive, kReduce };
struct BarrierOp {
  BarrierKind kind = BarrierKind::kSync;
  ptx::Operation operation = ptx::Operation::kNone;  // of kReduce
  Ref number = kNoRef;
  Ref threads = kNoRef;  // kNoRef: all of the block
  Ref vote = kNoRef;     // kReduce: the predicate
  Ref result = kNoRef;
  bool aligned = false;  // bar.*, and barrier.*.aligned: whole warps only
};

enum class CollectiveKind : std::uint8_t { kSync, kShuffle, kVote, kMatch, kReduce, kElect };
struct CollectiveOp {
  CollectiveKind kind = CollectiveKind::kSync;
  ptx::Mod how = ptx::Mod::kBeforeWords;             // up, down, bfly, idx; all, any, uni, ballot
  ptx::Operation operation = ptx::Operation::kNone;  // of kReduce
  ptx::Type type = ptx::Type::kNone;
  bool magnitude = false;  // redux .abs
  bool keeps_nan = false;  // redux .NaN
  Ref members = kNoRef;    // kNoRef: those who execute it
  Ref result = kNoRef;
  Ref predicate = kNoRef;  // of d|p
  Ref source = kNoRef, second = kNoRef, third = kNoRef;
};

enum class Builtin : std::uint8_t { kNone, kPrintf, kMalloc, kFree, kAssert };

struct CallOp {
  const Code* callee = nullptr;  // nullptr: indirect, or a builtin
  Builtin builtin = Builtin::kNone;
  Ref target = kNoRef;  // indirect: the register
  std::vector<Slot> arguments, returns;
};

// Where a special register's words lie in the warp's area.
inline constexpr std::uint32_t kSpecialStride = 256;
constexpr std::uint32_t special_offset(ptx::Special special, unsigned component) {
  return (static_cast<std::uint32_t>(special) * 4 + component) * kSpecialStride;
}
inline constexpr std::uint32_t kSpecialBytes =
    static_cast<std::uint32_t>(ptx::kSpecials.size()) * 4 * kSpecialStride;

// Generic addresses: host pointers are below 2^47; these windows are above.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 48;
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{3} << 48;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
// Shared addresses: an offset in the own block, or with the rank of a block of the cluster, plus one, above.
inline constexpr unsigned kRankShift = 24;

constexpr std::uint64_t function_address(std::uint32_t module, std::uint32_t function) {
  return kFunctionWindow + ((std::uint64_t{module} << 20 | function) << 4);
}

}  // namespace redflag::cuda
