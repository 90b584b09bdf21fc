#include "frontends/cuda/ptx/match.h"

namespace redflag::ptx {
namespace {

struct Letter {
  char letter;
  Role role;
  bool address;
};
constexpr Letter kLetters[] = {
    {'d', Role::kDestination, false}, {'D', Role::kDestination, false}, {'s', Role::kSource, false},
    {'p', Role::kPredicate, false},   {'r', Role::kRead, true},         {'w', Role::kWritten, true},
    {'m', Role::kModified, true},     {'b', Role::kMbarrier, true},     {'n', Role::kNamed, true},
    {'t', Role::kTexture, true},      {'l', Role::kTarget, false},
};

const Letter& row_of(char letter) {
  for (const Letter& each : kLetters) {
    if (each.letter == letter) return each;
  }
  return kLetters[0];
}

bool fits(char letter, const Operand& operand) {
  if (row_of(letter).address) return operand.kind == OperandKind::kAddress;
  switch (letter) {
    case 'D':
      return operand.kind != OperandKind::kAddress && operand.kind != OperandKind::kImmediate;
    case 'd':
      return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kVector ||
             operand.kind == OperandKind::kDiscard;
    case 'l':
      return operand.kind == OperandKind::kLabel || operand.kind == OperandKind::kTable;
    default:
      return operand.kind != OperandKind::kAddress && operand.kind != OperandKind::kPair &&
             operand.kind != OperandKind::kTuple;
  }
}

// One form, front to back; an optional letter is taken whenever it fits. `role`, when given, gets
// that of operand `at`.
bool match_form(std::string_view form, std::span<const Operand> operands, std::size_t at,
                Role* role) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '?') continue;
    if (form[i] == '*') return true;
    const bool optional = i + 1 < form.size() && form[i + 1] == '?';
    if (next < operands.size() && fits(form[i], operands[next])) {
      if (role != nullptr && next == at) *role = row_of(form[i]).role;
      ++next;
    } else if (!optional) {
      return false;
    }
  }
  return next == operands.size();
}

}  // namespace

bool matches(std::string_view forms, std::span<const Operand> operands) {
  for (;;) {
    const std::size_t slash = forms.find('/');
    if (match_form(forms.substr(0, slash), operands, 0, nullptr)) return true;
    if (slash == std::string_view::npos) return false;
    forms.remove_prefix(slash + 1);
  }
}

Role match_role(std::string_view forms, std::span<const Operand> operands, std::size_t at) {
  for (;;) {
    const std::size_t slash = forms.find('/');
    Role role = Role::kOther;
    if (match_form(forms.substr(0, slash), operands, at, &role)) return role;
    if (slash == std::string_view::npos) return Role::kOther;
    forms.remove_prefix(slash + 1);
  }
}

}  // namespace redflag::ptx
