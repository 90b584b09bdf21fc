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

// The usual step of finer data: two pairs before or after, everything ordered, nothing shared among
// the bytes. A granule of two ints, walked through in a new epoch, is split by the first access, and
// one pair again after the second. What the entry that goes had of other bytes goes to the second pair;
// where that has bytes of a third epoch, the step is not usual.
//
// False: it is not. `second`: the second word, before and after; 0 where it does not count.
template <bool is_write>
[[gnu::always_inline]] inline bool pair_step(const View& v, const Epochs& epochs,
                                             std::uint64_t cell, Entry bytes,
                                             std::uint64_t& becomes, std::uint64_t& second) {
  const Entry me = epoch_of(v.me);
  Pair first = Pair::of(cell);
  first.write &= ~kFiner;
  Pair other = Pair::of(second);
  other.write = without(other.write, first.write & kBytes);
  other.read = without(other.read, first.read & kBytes);
  const auto is_ordered = [&](Entry e) {
    return (e & bytes) == 0 || ((e & kShared) == 0 && v.covers(epochs, e));
  };
  if (!is_ordered(first.write) || !is_ordered(other.write) || !is_ordered(first.read) ||
      !is_ordered(other.read)) {
    return false;
  }
  // The thread's own entry takes the bytes, another one of the two stays.
  const auto take = [&](Entry& one, Entry& two) {
    one = without(one, bytes);
    two = without(two, bytes);
    if (((two ^ me) & (kFlag | kEpoch)) == 0) {
      const Entry own = two;
      two = one;
      one = own;
    } else if (((one ^ me) & (kFlag | kEpoch)) != 0) {
      if (one != 0 && two != 0) return false;
      two |= one;
      one = 0;
    }
    one |= me | bytes;
    return true;
  };
  if constexpr (is_write) {
    if (!take(first.write, other.write)) return false;
    first.read = without(first.read, bytes);
    other.read = without(other.read, bytes);
    if (first.read == 0) {
      first.read = other.read;
      other.read = 0;
    }
  } else if (!take(first.read, other.read)) {
    return false;
  }
  second = other.bits();
  if (second != 0) first.write |= kFiner;
  becomes = first.bits();
  return true;
}

}  // namespace redflag::live
