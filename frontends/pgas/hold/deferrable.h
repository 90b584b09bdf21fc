// Deferrable: a real call of the library that can be made later, since it has its arguments by value.
//
// The wrappers hand the real call over as a function; those of C with copies of all arguments in it, those of
// Fortran with references, which are of no use once the wrapper has returned.
#pragma once

#include <type_traits>

#include "frontends/pgas/hold/holder.h"

namespace redflag::pgas::hold {

template <typename Real>
struct Deferrable : Real {};
template <typename Real>
Deferrable(Real) -> Deferrable<Real>;

template <typename Real>
inline constexpr bool kIsDeferrable = false;
template <typename Real>
inline constexpr bool kIsDeferrable<Deferrable<Real>> = true;

// The operation's real call, at once or later. What comes back of one that is made later is success: errors of it
// are then the library's to tell, as with any that it finds out later.
template <typename Real>
auto now_or_later(std::uint64_t operation, const Real& real, bool keeps_order) {
  using Result = std::invoke_result_t<const Real&>;
  if constexpr (kIsDeferrable<Real>) {
    Holder* const holding = operation == 0 ? nullptr : holder();
    if (holding != nullptr && holding->defers(operation)) {
      holding->defer(operation, [real] { (void)real(); }, keeps_order);
      return Result();
    }
  }
  return real();
}

}  // namespace redflag::pgas::hold
