// Making histories: an epoch's own handles, and the shared ones, each once where that pays.
//
// W_t and S_t are words of a line that belongs to the epoch (histories.h). Histories of several
// readers and splits are looked up by their contents first, in a table that forgets: what is missed
// is made again, which costs memory and never precision. Where looking has not helped lately it is
// left out. No cell is touched here.
#include "core/live/detector.h"

namespace redflag::live {
namespace {

// A miss costs about two cache misses, a hit saves a history: looking pays while one in four hits.
bool worth_looking(std::int32_t& count) {
  if (count >= 0) return true;
  ++count;  // from -1000 on: a thousand histories later it is tried again
  return false;
}
void found(std::int32_t& count, bool hit) {
  count += hit ? 3 : -1;
  if (count > 60) count = 60;
  if (count < 0) count = -1000;
}

}  // namespace

void Detector::publish(Thread& t) {
  if (t.everything_slow) return;
  t.hot->base = t.base;
  t.hot->room = t.room;
}

void Detector::take_handles(Thread& t) {
  if (t.line_next == 0) {
    t.line_next = pairs.take_line(arena);
    history_taken(kLineSize * sizeof(std::uint64_t));
  }
  t.base = t.line_next;
  t.room = kLineSize - t.base % kLineSize;
  t.used = 1;
  pairs.set_owner(t.base, t.clock.epoch);
  publish(t);
}

void Detector::advance(Thread& t) {
  t.clock.advance();
  if (t.base != kNoBase) {
    const std::uint32_t next = t.base + t.used;
    // The last word of a line alone would be a W_t without an S_t: a new line serves better.
    t.line_next = next % kLineSize == 0 || next % kLineSize == kLineSize - 1 ? 0 : next;
    t.base = kNoBase;
    t.room = 0;
    publish(t);
  }
  forget_shared(t);
  ++t.log_key;
  t.key += 1U << kShapeBits;
  if (t.key < 1U << kShapeBits) {  // around the clock: old memos must not come back to life
    for (Memo& m : t.memos) m = {};
    t.key = 1U << kShapeBits;
  }
}

// So many last writes: perhaps they are all past by now. Asked ever more rarely while the answer is no.
bool Detector::became_past(Thread& t, Epoch w) {
  if (!w || ++t.new_histories < t.next_look) return false;
  refresh_floor();
  const bool past = is_past(w);
  t.patience = past ? 1 : t.patience < 1024 ? t.patience * 2 + 1 : 1024;
  t.next_look = t.new_histories + t.patience;
  return past;
}

// ReadExclAlloc (section 3.3.4).
std::uint32_t Detector::new_read_after(Thread& t, Epoch w) {
  ensure_base(t);
  if (t.used == t.room) {  // goes on in a new line
    if (became_past(t, w)) return read_after(t, w);
    t.line_next = 0;
    take_handles(t);
  }
  pairs.set_write(t.base + t.used, w);
  t.reads[ReadEntry::place_of(w)] = {w.bits(), t.key, t.base + t.used};
  return t.base + t.used++;
}

std::uint32_t Detector::new_shared(Thread& t, Epoch w, const Epoch* reads, std::uint32_t n,
                                   bool may_own) {
  if (is_past(w)) w = Epoch{};
  const bool look = worth_looking(t.shared_found);
  std::atomic<std::uint32_t>* known = nullptr;
  if (look) {
    std::uint64_t hash = w.bits();
    for (std::uint32_t k = 0; k < n; ++k) hash = (hash ^ reads[k].bits()) * 0x9e3779b97f4a7c15U;
    known = &known_shared[hash >> 50];
    const std::uint32_t i = known->load(std::memory_order_acquire);
    if (i == 0) {
      found(t.shared_found, false);
    } else {
      SharedHistory& s = shared[i];
      bool same = s.write == w && s.readers == n;
      for (std::uint32_t k = 0; same && k < n; ++k) same = s.read(k) == reads[k];
      found(t.shared_found, same);
      if (same) return handle(Form::kShared, i);
    }
  }
  if (became_past(t, w)) return new_shared(t, w, reads, n, may_own);
  if (t.spare_shared.count == 0) {
    shared.take_many(arena, t.spare_shared.index, Spares::kMost);
    t.spare_shared.count = Spares::kMost;
    history_taken(sizeof(SharedHistory) * Spares::kMost);
  }
  const std::uint32_t i = t.spare_shared.index[--t.spare_shared.count];
  SharedHistory& s = shared[i];
  s.write = w;
  s.readers = n;
  s.many = nullptr;
  if (n > SharedHistory::kInline) {
    s.many = static_cast<std::atomic<std::uint64_t>*>(arena.take(n * sizeof(Epoch)));
    history_taken(n * sizeof(Epoch));
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    s.reads()[k].store(reads[k].bits(), std::memory_order_relaxed);
  }
  const bool own = known == nullptr && may_own && !t.everything_slow;
  s.open.store(own ? 1 : 0, std::memory_order_relaxed);
  if (known != nullptr) known->store(i, std::memory_order_release);
  return handle(Form::kShared, own ? i | kOwnBit : i);
}

std::uint32_t Detector::new_split(const std::uint32_t* bytes, Thread* t, SplitForm wanted) {
  std::atomic<std::uint32_t>* known = nullptr;
  if (t != nullptr && worth_looking(t->splits_found)) {
    std::uint64_t hash = 0;
    for (unsigned k = 0; k < kGranule; ++k) hash = (hash ^ bytes[k]) * 0x9e3779b97f4a7c15U;
    known = &known_splits[hash >> 50];
    const std::uint32_t i = known->load(std::memory_order_acquire);
    if (i == 0) {
      found(t->splits_found, false);
    } else {
      const Split& s = splits[i];
      bool same = true;
      for (unsigned k = 0; k < kGranule; ++k) {
        same = same && s.bytes[k].load(std::memory_order_relaxed) == bytes[k];
      }
      found(t->splits_found, same);
      if (same) return handle(Form::kSplit, i);
    }
  }
  bool own =
      known == nullptr && t != nullptr && wanted != SplitForm::kShared && !t->everything_slow;
  if (own && wanted == SplitForm::kAny) {
    bool two = true;
    for (unsigned k = 1; k < kGranule; ++k) two = two && bytes[k] == bytes[k < 4 ? 0 : 4];
    if (two) return new_halves(bytes[0], bytes[4], *t);
  }
  // Records find their bytes through a split that stays as it is.
  for (unsigned k = 0; own && k < kGranule; ++k) own = form(bytes[k]) != Form::kMixed;
  std::uint32_t i = 0;
  if (t == nullptr) {
    i = splits.take(arena);
    history_taken(sizeof(Split));
  } else {
    if (t->spare_splits.count == 0) {
      splits.take_many(arena, t->spare_splits.index, Spares::kMost);
      t->spare_splits.count = Spares::kMost;
      history_taken(sizeof(Split) * Spares::kMost);
    }
    i = t->spare_splits.index[--t->spare_splits.count];
  }
  for (unsigned k = 0; k < kGranule; ++k) {
    splits[i].bytes[k].store(bytes[k], std::memory_order_relaxed);
  }
  if (known != nullptr) known->store(i, std::memory_order_release);
  return handle(Form::kSplit, own ? i | kOwnSplitBit : i);
}

std::uint32_t Detector::with_bytes(std::uint32_t cell, unsigned low, unsigned high, std::uint32_t h,
                                   Thread* t) {
  std::uint32_t bytes[kGranule];
  bool same = true;
  for (unsigned k = 0; k < kGranule; ++k) {
    bytes[k] = k >= low && k < high ? h : handle_at(cell, k);
    same = same && bytes[k] == bytes[0];
  }
  return same ? bytes[0] : new_split(bytes, t);
}

}  // namespace redflag::live
