#include "frontends/cuda/ptx/opcode.h"

#include <unordered_map>

namespace redflag::ptx {
namespace {

// Groups of modifier classes, for the last column of opcodes.inc.
constexpr ModClasses kTyped = bit(ModClass::kType);
constexpr ModClasses kSpace = bit(ModClass::kSpace);
constexpr ModClasses kOrder = bit(ModClass::kOrder);
constexpr ModClasses kScope = bit(ModClass::kScope);
constexpr ModClasses kOperation = bit(ModClass::kOperation);
constexpr ModClasses kHalf = bit(ModClass::kHalf);
constexpr ModClasses kVector = bit(ModClass::kVector);
constexpr ModClasses kMath = bit(ModClass::kMath);
constexpr ModClasses kSync = bit(ModClass::kSync);
constexpr ModClasses kCache = bit(ModClass::kCache);
constexpr ModClasses kAddress = bit(ModClass::kAddress);
constexpr ModClasses kMatrix = bit(ModClass::kMatrix);
constexpr ModClasses kLetter = bit(ModClass::kLetter);
constexpr ModClasses kClamp = bit(ModClass::kClamp);
constexpr ModClasses kArith = kTyped | bit(ModClass::kRounding) | kMath;
constexpr ModClasses kComparing = bit(ModClass::kCompare) | kHalf | kOperation;
constexpr ModClasses kMemory = kTyped | kSpace | kOrder | kScope | kVector | kCache | kAddress;
constexpr ModClasses kSyncing = kTyped | kSync | kOperation;
constexpr ModClasses kFencing = kOrder | kScope | kSync | kSpace;
constexpr ModClasses kTensor = kMatrix | bit(ModClass::kTexture) | bit(ModClass::kShape);
constexpr ModClasses kTexturing =
    kTyped | bit(ModClass::kTexture) | kVector | kLetter | kClamp | kCache;
constexpr ModClasses kMatrices = kArith | kMemory | kSync | kMatrix | kLetter | kOperation |
                                 bit(ModClass::kShape) | bit(ModClass::kTexture);
constexpr ModClasses kVideo = kArith | kOperation | bit(ModClass::kCompare) | kHalf | kClamp;

constexpr auto kOps = std::to_array<OpInfo>({
    {"", "*", Effect::kNone, Flow::kNone, 0},
#define OP(name, text, operands, effect, flow, modifiers) \
  {text, operands, Effect::k##effect, Flow::k##flow, modifiers},
#include "frontends/cuda/ptx/opcodes.inc"
#undef OP
});

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}

OpPrefix find_op_prefix(std::string_view name) {
  static const std::unordered_map<std::string_view, OpPrefix> index = [] {
    std::unordered_map<std::string_view, OpPrefix> map;
    for (std::size_t i = 1; i < kOps.size(); ++i) {
      const std::string_view whole = kOps[i].name;
      map[whole].op = static_cast<Op>(i);
      for (std::size_t dot = whole.find('.'); dot != std::string_view::npos;
           dot = whole.find('.', dot + 1)) {
        map[whole.substr(0, dot)].longer = true;
      }
    }
    return map;
  }();
  const auto it = index.find(name);
  return it == index.end() ? OpPrefix{} : it->second;
}

Op find_op(std::string_view name) {
  return find_op_prefix(name).op;
}

bool compares(Op op) {
  return op == Op::kSetp || op == Op::kSet;
}

}  // namespace redflag::ptx
