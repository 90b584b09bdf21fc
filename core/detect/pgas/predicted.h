// Predicted races: those that another run may have, though this one had them in order.
//
// Two accesses that conflict and are ordered only because a lock passed from the one's rank to the
// other's come the other way round, or together, where another run takes the locks in another order; unless
// both hold a lock that excludes them. The paper predicts from barrier phases and locksets alone
// ("Scaling Data Race Detection for PGAS Programs", section 2.1); here messages, flags and all other order but
// locks still count, so that what is predicted depends on nothing but who takes which lock first.
//
// Limits: a value that is read under a lock and decides whether the second access is made at all (a
// queue that is handed over) orders the two in every run, and is not seen. So a prediction is no proof;
// 'redflag confirm' tries it.
#pragma once

#include "core/detect/pgas/access.h"

namespace redflag::pgas {

inline bool is_certainly_before(const AccessView& a, const AccessView& b) {
  const Fate& end = a.fate;
  return (end.completed != kPending && b.knows_for_certain(end.completed_by, a.completed())) ||
         (end.delivered != kPending && b.knows_for_certain(end.delivered_by, end.delivered));
}

// Whoever excludes `a` by a lock excludes `b`, too.
inline bool holds_no_more(const AccessView& a, const AccessView& b) {
  return contains_all(b.shape.issued->held(), a.shape.issued->held());
}

// Only said of such that do not race in this run.
inline bool is_predicted(const AccessView& a, const AccessView& b) {
  return overlap(a, b) && !are_compatible(a, b) && !are_of_one_process(a.shape, b.shape) &&
         !is_certainly_before(a, b) && !is_certainly_before(b, a) && !are_ordered_atomics(a, b) &&
         !exclude(a.shape.issued->held(), b.shape.issued->held());
}

}  // namespace redflag::pgas
