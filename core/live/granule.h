// Granule: the whole state of 8 bytes, byte by byte, and the rules for any access to them.
//
// This is the definition that everything faster must agree with. A granule's state is packed into as
// little as it needs:
//
//   one pair     the cell: one epoch has written, one has read, or nobody
//   two pairs    the cell and the second word: two epochs of each kind. The cell has the later ones,
//                and where its entry has a byte, the second word's entry of that kind does not count
//   a record     the cell, and an epoch for each byte in a FinerBytes that the second word names
//
// Rules, for each byte of an access by `me`; "ordered": the thread's clock covers that epoch:
//
//   read    W not ordered           a race
//           R none, ordered, or me  R = me
//           R one reader, not ordered   R = shared: that reader goes to the common column, me to its own
//           R shared                me goes to its own column
//   write   W not ordered           a race
//           R not ordered           a race; of a shared one, any reader in a column
//           always                  W = me, R = none
//   mixed   W is kMixed             a record outside knows these bytes: left as they are, and named
//
// Pure: no memory but what it is given. Reader and writer of the words is cells.h.
#pragma once

#include "core/live/view.h"

namespace redflag::live {

// What an access races with: entries of earlier accesses, each with the bytes that both touched. Of
// each byte the first that is found, and what was written before what was read.
struct Conflicts {
  struct One {
    Entry earlier;
    bool wrote;
  };
  One one[kGranule];
  unsigned count = 0;
  Entry racy = 0;   // bytes
  Entry mixed = 0;  // bytes that a record knows

  bool any() const { return count != 0; }
  void add(Entry epoch, Entry bytes, bool wrote) {
    bytes &= ~racy;
    racy |= bytes;
    if (bytes == 0) return;
    for (unsigned i = 0; i < count; ++i) {
      if (one[i].wrote == wrote && epoch_of(one[i].earlier) == epoch_of(epoch)) {
        one[i].earlier |= bytes;
        return;
      }
    }
    one[count++] = {epoch_of(epoch) | bytes, wrote};
  }
};

// The epochs of each byte: written, read. A read may be kShared; 0: none.
struct FinerBytes {
  Entry write[kGranule];
  Entry read[kGranule];
};
static_assert(sizeof(FinerBytes) == 64);

// The second word: a pair, or (flag of its write) the index of a record in its upper half.
constexpr bool names_record(std::uint64_t second) {
  return (static_cast<Entry>(second) & kFlag) != 0;
}
constexpr std::uint32_t record_of(std::uint64_t second) {
  return static_cast<std::uint32_t>(second >> 32);
}
constexpr std::uint64_t to_record(std::uint32_t index) {
  return std::uint64_t{index} << 32 | kFlag;
}

// The state as one epoch a byte. `record`: what `second` names, or nullptr.
inline FinerBytes unpack(std::uint64_t cell, std::uint64_t second, const FinerBytes* record) {
  FinerBytes all;
  const Pair first = Pair::of(cell);
  const bool is_pair = (first.write & kFiner) != 0 && record == nullptr;
  const Pair other = is_pair ? Pair::of(second) : Pair{};
  for (unsigned b = 0; b < kGranule; ++b) {
    const Entry bit = Entry{1} << b;
    all.write[b] = (first.write & bit) != 0   ? epoch_of(first.write)
                   : record != nullptr        ? record->write[b]
                   : (other.write & bit) != 0 ? epoch_of(other.write)
                                              : 0;
    all.read[b] = (first.read & bit) != 0   ? first.read & (kEpoch | kShared)
                  : record != nullptr       ? record->read[b]
                  : (other.read & bit) != 0 ? other.read & (kEpoch | kShared)
                                            : 0;
  }
  return all;
}

// The two entries that stand for bytes of at most two epochs; false: there are more.
inline bool two_entries(const Entry* byte, Entry me, Entry& first, Entry& other) {
  first = 0;
  other = 0;
  for (unsigned b = 0; b < kGranule; ++b) {
    const Entry bit = Entry{1} << b;
    if (byte[b] == 0) continue;
    if (first == 0 || (first & (kEpoch | kFlag)) == byte[b]) {
      first = (first & kBytes) | byte[b] | bit;
    } else if (other == 0 || (other & (kEpoch | kFlag)) == byte[b]) {
      other = (other & kBytes) | byte[b] | bit;
    } else {
      return false;
    }
  }
  // The cell has the later one, mostly this thread's.
  if (other != 0 && (other & (kEpoch | kFlag)) == me) {
    const Entry swapped = first;
    first = other;
    other = swapped;
  }
  return true;
}

// The same state packed again: true: into `cell` and, if it is finer, `second`. False: it needs the
// record that it is in; `cell` has the entries of `me`.
inline bool pack(const FinerBytes& all, Entry me, std::uint64_t& cell, std::uint64_t& second) {
  Pair first;
  Pair other;
  const bool few = two_entries(all.write, me, first.write, other.write) &&
                   two_entries(all.read, me, first.read, other.read);
  if (!few) {
    first = {};
    for (unsigned b = 0; b < kGranule; ++b) {
      const Entry bit = Entry{1} << b;
      if (me != 0 && all.write[b] == me) first.write |= me | bit;
      if (me != 0 && all.read[b] == me) first.read |= me | bit;
    }
  }
  if (!few || other != Pair{}) first.write |= kFiner;
  cell = first.bits();
  second = other.bits();
  return few;
}

// The rules. `shared(bytes)` says what to do about bytes with kShared: of a read, that the thread's
// entry goes to its column; of a write, to look at all columns. `moves(entry)`: this reader goes to
// the common column. Only bytes that are not mixed are changed.
template <bool is_write, typename Shared, typename Moves>
void all_bytes(const View& v, const Epochs& epochs, Entry bytes, FinerBytes& all,
               Conflicts& conflicts, Shared&& shared, Moves&& moves) {
  const Entry me = epoch_of(v.me);
  Entry of_columns = 0;
  for (unsigned b = 0; b < kGranule; ++b) {
    const Entry bit = Entry{1} << b;
    if ((bytes & bit) == 0) continue;
    const Entry w = all.write[b];
    const Entry r = all.read[b];
    if (w == kMixed) {
      conflicts.mixed |= bit;
      continue;
    }
    if (w != 0 && !v.covers(epochs, w)) conflicts.add(w, bit, true);
    if constexpr (is_write) {
      if (r == kShared) {
        of_columns |= bit;
      } else if (r != 0 && !v.covers(epochs, r)) {
        conflicts.add(r, bit, false);
      }
      all.write[b] = me;
      all.read[b] = 0;
    } else if (r == kShared) {
      of_columns |= bit;
    } else if (r == 0 || v.covers(epochs, r)) {
      all.read[b] = me;
    } else {
      moves(r | bit);
      of_columns |= bit;
      all.read[b] = kShared;
    }
  }
  if (of_columns != 0) shared(of_columns);
}

}  // namespace redflag::live
