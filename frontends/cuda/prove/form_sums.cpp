// Forms: their sums and products.
//
// A sum of forms is one; a product is if one side is a term. Pointers stay apart from constants as long as nothing but
// sums is made of them, since one of them says which memory an address is of: multiplied they are numbers. One that is
// taken away stays apart too: p + (q - p) is q, and what else has q - p in it can be compared, but is no address. The address that the
// driver gives has no value here.
#include <algorithm>

#include "frontends/cuda/prove/forms.h"

namespace redflag::prove {
namespace {

void unite(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  for (const std::uint32_t each : from) {
    if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
  }
}

}  // namespace

bool Forms::has_open(const Form& form) {
  return std::any_of(form.parts.begin(), form.parts.end(),
                     [](const Part& each) { return each.variable >= kSelf; });
}

Form Forms::unknown(unsigned bits) {
  Form made;
  made.is_exact = false;
  made.is_wild = bits == 64;  // it may be a pointer
  return made;
}
Form Forms::number(std::int64_t value) {
  return term(terms_.number(value));
}
Form Forms::term(TermId id) {
  Form made;
  made.constant = id;
  return made;
}
Form Forms::variable(Variable which) {
  Form made;
  made.parts.push_back({which, terms_.number(1)});
  return made;
}

Form Forms::sum(const Form& a, const Form& b, bool subtract) {
  Form made = a;
  made.is_exact = a.is_exact && b.is_exact;
  made.is_wild = a.is_wild || b.is_wild;
  unite(made.checks, b.checks);
  if (b.symbol >= 0 && (a.symbol >= 0 || subtract)) made.is_wild = true;
  if (b.symbol >= 0) made.symbol = b.symbol;
  made.constant = terms_.add(a.constant, subtract ? terms_.negate(b.constant) : b.constant);
  if (subtract && has_system(b)) made.is_wild = true;
  for (const TermId each : b.pointers) {
    const TermId added = subtract ? opposite(each) : each;
    const auto back = std::find(made.pointers.begin(), made.pointers.end(), opposite(added));
    if (back != made.pointers.end()) {
      made.pointers.erase(back);
    } else {
      made.pointers.push_back(added);
    }
  }
  for (const Part& each : b.parts) {
    const TermId by = subtract ? terms_.negate(each.by) : each.by;
    const auto at = std::find_if(made.parts.begin(), made.parts.end(),
                                 [&](const Part& part) { return part.variable >= each.variable; });
    if (at != made.parts.end() && at->variable == each.variable) {
      at->by = terms_.add(at->by, by);
    } else {
      made.parts.insert(at, {each.variable, by});
    }
  }
  std::erase_if(made.parts, [&](const Part& part) { return terms_.literal(part.by) == 0; });
  return made;
}

bool Forms::is_taken_away(TermId pointer) const {
  const Term& term = terms_.all()[pointer];
  return term.op == TermOp::kSub && term.a == kZero;
}
TermId Forms::opposite(TermId pointer) {
  return is_taken_away(pointer) ? terms_.all()[pointer].b : terms_.negate(pointer);
}
bool Forms::has_taken_away(const Form& form) const {
  return std::any_of(form.pointers.begin(), form.pointers.end(),
                     [&](TermId each) { return is_taken_away(each); });
}
// Both are in it: a way from one pointer to another, maybe, which added to a third one leads who knows where.
bool Forms::is_way(const Form& form) const {
  return has_taken_away(form) && !std::all_of(form.pointers.begin(), form.pointers.end(),
                                              [&](TermId each) { return is_taken_away(each); });
}

bool Forms::has_system(const Form& form) const {
  return std::any_of(form.pointers.begin(), form.pointers.end(),
                     [&](TermId each) { return terms_.all()[each].op == TermOp::kSystem; });
}

std::optional<TermId> Forms::as_term(const Form& form) {
  if (!form.is_exact || form.is_wild || !form.parts.empty() || form.symbol >= 0) return {};
  if (!form.checks.empty() || has_system(form) || is_way(form)) return {};
  TermId made = form.constant;
  for (const TermId each : form.pointers) made = terms_.add(made, each);
  return made;
}

Form Forms::scaled(const Form& form, TermId by) {
  Form made = form;
  made.constant = terms_.multiply(form.constant, by);
  for (Part& each : made.parts) each.by = terms_.multiply(each.by, by);
  std::erase_if(made.parts, [&](const Part& part) { return terms_.literal(part.by) == 0; });
  const bool is_once = terms_.literal(by) == 1;
  if (!is_once && (form.symbol >= 0 || has_system(form) || is_way(form))) made.is_wild = true;
  if (!is_once && !form.pointers.empty()) {
    // A number that the kernel was given.
    for (const TermId each : form.pointers) {
      made.constant = terms_.add(made.constant, terms_.multiply(each, by));
    }
    made.pointers.clear();
  }
  return made;
}

Form Forms::product(const Form& a, const Form& b) {
  if (const std::optional<TermId> by = as_term(b)) return scaled(a, *by);
  if (const std::optional<TermId> by = as_term(a)) return scaled(b, *by);
  Form made = unknown(32);
  made.is_wild = a.is_wild || b.is_wild;
  return made;
}

Form Forms::widened(const Form& form, bool is_signed) {
  if (!form.is_exact || form.is_wild) return unknown(32);  // a number
  if (form.symbol >= 0) return unknown(64);
  if (const std::optional<TermId> same = as_term(form)) {  // for all threads
    const TermId narrow = terms_.make({.op = TermOp::kAdd, .bits = 32, .a = *same, .b = kZero});
    if (is_signed) return term(narrow);
    return term(terms_.make(
        {.op = TermOp::kAnd, .a = narrow, .b = terms_.number(std::int64_t{0xffffffff})}));
  }
  Form made = form;
  const Check check{form, is_signed};
  const auto at = std::find(into_.checks.begin(), into_.checks.end(), check);
  made.checks.push_back(static_cast<std::uint32_t>(at - into_.checks.begin()));
  if (at == into_.checks.end()) into_.checks.push_back(check);
  return made;
}

}  // namespace redflag::prove
