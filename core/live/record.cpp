#include "core/live/record.h"

namespace redflag::live {

Marks::Many* Marks::make(Arena& arena, std::uint32_t capacity) {
  auto* m = static_cast<Many*>(arena.take(sizeof(Many) + capacity * sizeof(Epoch)));
  m->size = 0;
  m->capacity = capacity;
  return m;
}

bool Marks::has(Epoch e) const {
  if (Many* m = many(); m != nullptr) {
    for (std::uint32_t i = 0; i < m->size; ++i) {
      if (m->epochs()[i] == e) return true;
    }
    return false;
  }
  return word_ == e.bits();
}

void Marks::add(Arena& arena, Epoch e, const ThreadClock& clock) {
  Many* m = many();
  if (m == nullptr) {
    const Epoch one = Epoch::from_bits(word_);
    if (!one || one.slot() == e.slot() || clock.covers(one)) {
      word_ = e.bits();
      return;
    }
    m = make(arena, 3);
    m->epochs()[0] = one;
    m->epochs()[1] = e;
    m->size = 2;
    word_ = reinterpret_cast<std::uint64_t>(m) | kManyBit;
    return;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < m->size; ++i) {
    const Epoch o = m->epochs()[i];
    if (o.slot() == e.slot() || clock.covers(o)) continue;
    m->epochs()[kept++] = o;
  }
  m->size = kept;
  if (kept == 0) {
    clear(arena);
    word_ = e.bits();
    return;
  }
  if (kept == m->capacity) {
    Many* wider = make(arena, m->capacity * 2 + 1);
    for (std::uint32_t i = 0; i < kept; ++i) wider->epochs()[i] = m->epochs()[i];
    wider->size = kept;
    clear(arena);
    m = wider;
    word_ = reinterpret_cast<std::uint64_t>(m) | kManyBit;
  }
  m->epochs()[m->size++] = e;
}

bool Marks::uncovered(const ThreadClock& clock, Epoch& which) const {
  if (Many* m = many(); m != nullptr) {
    for (std::uint32_t i = 0; i < m->size; ++i) {
      if (clock.covers(m->epochs()[i])) continue;
      which = m->epochs()[i];
      return true;
    }
    return false;
  }
  which = Epoch::from_bits(word_);
  return which && !clock.covers(which);
}

void Marks::set(Arena& arena, const Epoch* epochs, std::uint32_t n) {
  clear(arena);
  if (n == 0) return;
  if (n == 1) {
    word_ = epochs[0].bits();
    return;
  }
  Many* m = make(arena, n);
  for (std::uint32_t i = 0; i < n; ++i) m->epochs()[i] = epochs[i];
  m->size = n;
  word_ = reinterpret_cast<std::uint64_t>(m) | kManyBit;
}

void Marks::copy(Arena& arena, const Marks& other) {
  if (Many* m = other.many(); m != nullptr) {
    set(arena, m->epochs(), m->size);
  } else {
    clear(arena);
    word_ = other.word_;
  }
}

void Marks::clear(Arena& arena) {
  if (Many* m = many(); m != nullptr) arena.give(m, sizeof(Many) + m->capacity * sizeof(Epoch));
  word_ = 0;
}

void Record::clear(Arena& arena) {
  write = Epoch{};
  reads.clear(arena);
  atomic_writes.clear(arena);
  atomic_reads.clear(arena);
  released.clear(arena);
}

}  // namespace redflag::live
