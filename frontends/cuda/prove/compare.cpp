#include "frontends/cuda/prove/compare.h"

namespace redflag::prove {
namespace {

std::optional<Relation> relation_of(ptx::Compare compare) {
  switch (compare) {
    case ptx::Compare::kLt:
    case ptx::Compare::kLo:
      return Relation::kLess;
    case ptx::Compare::kLe:
    case ptx::Compare::kLs:
      return Relation::kLessEqual;
    case ptx::Compare::kGt:
    case ptx::Compare::kHi:
      return Relation::kGreater;
    case ptx::Compare::kGe:
    case ptx::Compare::kHs:
      return Relation::kGreaterEqual;
    case ptx::Compare::kEq:
      return Relation::kEqual;
    case ptx::Compare::kNe:
      return Relation::kNotEqual;
    default:
      return {};
  }
}

}  // namespace

Kind kind_of(ptx::Type type) {
  using ptx::TypeClass;
  const ptx::TypeInfo& info = ptx::info(type);
  const bool is_whole = info.type_class == TypeClass::kBits ||
                        info.type_class == TypeClass::kUnsigned ||
                        info.type_class == TypeClass::kSigned;
  return {is_whole && info.lanes == 1, info.type_class == TypeClass::kSigned, info.bits};
}

std::optional<Test> test_of(const ptx::Instruction& from) {
  if (from.op != ptx::Op::kSetp || from.operands().size() != 3) return {};
  const Kind kind = kind_of(from.type());
  const std::optional<Relation> relation = relation_of(from.modifiers.compare);
  const bool is_one = from.operands()[0].is_register();  // not p|q
  if (!kind.is_whole || kind.bits < 32 || kind.bits > 64 || !relation || !is_one) return {};
  return Test{*relation, kind};
}

Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::kLess:
      return Relation::kGreaterEqual;
    case Relation::kLessEqual:
      return Relation::kGreater;
    case Relation::kGreater:
      return Relation::kLessEqual;
    case Relation::kGreaterEqual:
      return Relation::kLess;
    case Relation::kEqual:
      return Relation::kNotEqual;
    case Relation::kNotEqual:
      return Relation::kEqual;
  }
  return Relation::kEqual;
}

}  // namespace redflag::prove
