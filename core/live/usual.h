// The usual step: one pair before, one pair after, everything ordered.
//
// Most changes of a cell are of this kind: all bytes have one history, it is ordered before the
// access, and the thread's epoch takes its place. The step is a function from a cell and an access to
// the new cell, a leaf without calls; whatever it does not know is for all_bytes() (granule.h), which
// knows everything. Deleting this file would change only speed.
//
//   rule (FastTrack)      W           R                       becomes
//   read same epoch       any         me, or W is me          nothing to do
//   write same epoch      me          any                     nothing to do
//   read exclusive        ordered     none, or ordered        R = me
//   write exclusive       ordered     none, or ordered        W = me, R without these bytes
//
// "nothing to do": an earlier access of this thread, in this epoch, found all that this one could, and
// no write came in between, since that would have changed W. A write may pass over R: who has read
// since this thread's write, without order after it, has found the race itself.
#pragma once

#include "core/live/view.h"

namespace redflag::live {

// Is there nothing to do? Two or three instructions, also in compiled code (frontends/cpu/pass/lower.cpp).
template <bool is_write>
[[gnu::always_inline]] inline bool is_done(Entry me, std::uint64_t cell, Entry bytes) {
  const Pair p = Pair::of(cell);
  if (((p.write ^ me) & (kEpoch | bytes)) == 0) return true;
  return !is_write && ((p.read ^ me) & (kFlag | kEpoch | bytes)) == 0;
}

// False: this step is not a usual one.
template <bool is_write>
[[gnu::always_inline]] inline bool usual_step(const View& v, const Epochs& epochs,
                                              std::uint64_t cell, Entry bytes,
                                              std::uint64_t& becomes) {
  const Pair from = Pair::of(cell);
  const Entry me = epoch_of(v.me);
  if ((from.write & kFiner) != 0) return false;
  Pair to = from;
  if constexpr (is_write) {
    if (epoch_of(from.write) == me) {
      to.write |= bytes;
    } else {
      if (without(from.write, bytes) != 0) return false;
      if (from.write != 0 && !v.covers(epochs, from.write)) return false;
      to.write = me | bytes;
    }
    if ((from.read & bytes) != 0) {
      if ((from.read & kShared) != 0 || !v.covers(epochs, from.read)) return false;
      to.read = without(from.read, bytes);
    }
  } else {
    if ((from.write & bytes) != 0 && !v.covers(epochs, from.write)) return false;
    if (((from.read ^ me) & (kShared | kEpoch)) == 0) {
      to.read |= bytes;
    } else {
      if ((from.read & kShared) != 0 || without(from.read, bytes) != 0) return false;
      if (from.read != 0 && !v.covers(epochs, from.read)) return false;
      to.read = me | bytes;
    }
  }
  becomes = to.bits();
  return true;
}

// The usual steps of finer data, with the cell locked. A granule of two ints, walked through in a new
// epoch, is split by the first and is whole again after the second:
//
//   split    one pair, and the access has not all of its bytes: the rest of the entry that it
//            replaces goes to the second pair
//   widen    the cell's entry is of this epoch and gets more bytes; when the second pair has no bytes
//            of its own left, it does not count any more
//
// False: this step is neither. `second` is what the second word becomes, if the cell becomes finer.
template <bool is_write>
[[gnu::always_inline]] inline bool finer_step(const View& v, const Epochs& epochs,
                                              std::uint64_t cell, Entry bytes,
                                              std::uint64_t& becomes, std::uint64_t& second) {
  Pair to = Pair::of(cell);
  const Entry me = epoch_of(v.me);
  const auto is_ordered = [&](Entry e) {
    return (e & bytes) == 0 || ((e & kShared) == 0 && v.covers(epochs, e));
  };
  if ((to.write & kFiner) == 0) {
    if (!is_ordered(to.write) || epoch_of(to.write) == kMixed) return false;
    Pair rest;
    if (is_write) {
      if (!is_ordered(to.read)) return false;
      rest.write = without(to.write, bytes);
      to.write = me | bytes;
      to.read = (to.read & bytes) != 0 ? without(to.read, bytes) : to.read;
    } else {
      if ((to.read & kShared) != 0 || !is_ordered(to.read)) return false;
      rest.read = without(to.read, bytes);
      to.read = me | bytes;
    }
    second = rest.bits();
    if (second != 0) to.write |= kFiner;
    becomes = to.bits();
    return true;
  }
  const Pair other = Pair::of(second);
  const Entry other_write = without(other.write, to.write & kBytes);
  const Entry other_read = without(other.read, to.read & kBytes);
  if (!is_ordered(other_write) || (to.read & kShared) != 0 || (other_read & kShared) != 0) {
    return false;
  }
  if (is_write) {
    if (((to.write ^ me) & kEpoch) != 0 || (to.read & bytes) != 0 || (other_read & bytes) != 0) {
      return false;
    }
    to.write |= bytes;
  } else {
    if (((to.read ^ me) & kEpoch) != 0 || !is_ordered(to.write & ~kFiner) ||
        !is_ordered(other_read)) {
      return false;
    }
    to.read |= bytes;
  }
  if (without(other_write, to.write & kBytes) == 0 && without(other_read, to.read & kBytes) == 0) {
    to.write &= ~kFiner;
  }
  becomes = to.bits();
  return true;
}

}  // namespace redflag::live
