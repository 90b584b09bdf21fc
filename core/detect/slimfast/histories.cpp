#include "core/detect/slimfast/histories.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace redflag::slimfast {
namespace {

constexpr std::size_t kMaxPairs = std::size_t{1} << kIndexBits;
constexpr std::size_t kMaxRecords = std::size_t{1} << 27;

}  // namespace

// Index 0 of every table stays unused: handle 0 is "never accessed", and as a pair it reads as two
// empty epochs, so that code may decode it without asking.
Histories::Histories(std::pmr::memory_resource* memory)
    : memory_(memory),
      pairs_(kMaxPairs),
      shared_(kMaxRecords),
      mixed_(kMaxRecords),
      splits_(kMaxRecords),
      free_shared_(memory),
      free_mixed_(memory),
      free_splits_(memory),
      pair_marks_(memory),
      shared_marks_(memory),
      mixed_marks_(memory),
      pair_over_(memory),
      shared_over_(memory),
      mixed_over_(memory) {
  pairs_.grow_to(kLineSize);
  shared_.grow_to(1);
  mixed_.grow_to(1);
  splits_.grow_to(1);
}

Histories::~Histories() {
  for (std::size_t i = 1; i < shared_.size(); ++i) {
    if (shared_[i] != nullptr) destroy(shared_[i]);
  }
  for (std::size_t i = 1; i < mixed_.size(); ++i) {
    if (mixed_[i] != nullptr) mixed_[i]->destroy(memory_);
  }
}

std::uint32_t Histories::new_line() {
  since_sweep_ += kLineSize * sizeof(std::uint64_t);
  std::uint32_t base = 0;
  while (cursor_ < reuse_end_) {
    // The next unmarked line of this word of 64, or the start of the next word.
    const std::uint64_t free = ~pair_marks_[cursor_ / 64] >> (cursor_ % 64);
    if (free == 0) {
      cursor_ = (cursor_ / 64 + 1) * 64;
      continue;
    }
    cursor_ += static_cast<std::uint32_t>(std::countr_zero(free));
    if (cursor_ >= reuse_end_) break;
    base = cursor_++ * kLineSize;
    break;
  }
  if (base == 0) {
    base = static_cast<std::uint32_t>(pairs_.size());
    pairs_.grow_to(base + kLineSize);
  }
  std::fill_n(&pairs_[base], kLineSize, std::uint64_t{0});  // no owner of its last use
  return base;
}

Handle Histories::loose_pair(Epoch write, Epoch read) {
  if (!read && !write) return kNone;
  if (loose_ % kLineSize == 0 || loose_ % kLineSize == kLineSize - 1) loose_ = new_line();
  const std::uint32_t first = loose_;
  loose_ += read ? 2 : 1;
  set_owner(first, read ? read : write);
  if (!read) return make_handle(Form::kPair, first);
  set_write(first + 1, write);
  return make_handle(Form::kPair, first + 1);
}

SharedHistory* Histories::allocate_shared(Epoch write, std::uint32_t readers) {
  ++shared_made_;
  since_sweep_ += shared_bytes(readers) + sizeof(SharedHistory*);
  auto* h = ::new (memory_->allocate(shared_bytes(readers), 8)) SharedHistory;
  h->write = write;
  h->readers = readers;
  return h;
}

Handle Histories::enter_shared(SharedHistory* history) {
  std::uint32_t i = 0;
  if (free_shared_.empty()) {
    i = static_cast<std::uint32_t>(shared_.size());
    shared_.grow_to(i + 1);
  } else {
    i = free_shared_.back();
    free_shared_.pop_back();
  }
  shared_[i] = history;
  return make_handle(Form::kShared, i);
}

Handle Histories::new_shared(Epoch write, Epoch reader1, Epoch reader2) {
  SharedHistory* h = allocate_shared(write, 2);
  h->reads()[0] = reader1;
  h->reads()[1] = reader2;
  return enter_shared(h);
}

Handle Histories::next_shared(Handle from, Epoch reader) {
  SharedHistory& old = shared(from);
  const bool known = static_cast<bool>(old.read_by(reader.slot()));
  SharedHistory* h = allocate_shared(old.write, old.readers + (known ? 0 : 1));
  std::copy_n(old.reads(), old.readers, h->reads());
  if (!known) {
    h->reads()[old.readers] = reader;
  } else {
    for (std::uint32_t i = 0; i < h->readers; ++i) {
      if (h->reads()[i].slot() == reader.slot()) h->reads()[i] = reader;
    }
  }
  const Handle entered = enter_shared(h);
  const auto slot = static_cast<std::uint32_t>(reader.slot());
  if (slot >= old.next_size) {
    const std::uint32_t size = std::max(4U, std::bit_ceil(slot + 1));
    auto* grown = static_cast<std::uint32_t*>(memory_->allocate(size * sizeof(std::uint32_t), 8));
    std::memset(grown, 0, size * sizeof(std::uint32_t));
    if (old.next != nullptr) {
      std::copy_n(old.next, old.next_size, grown);
      memory_->deallocate(old.next, old.next_size * sizeof(std::uint32_t), 8);
    }
    since_sweep_ += (size - old.next_size) * sizeof(std::uint32_t);
    old.next = grown;
    old.next_size = size;
  }
  old.next[slot] = bits(entered);
  return entered;
}

Handle Histories::new_mixed(MixedHistory* history) {
  since_sweep_ += history->footprint() + sizeof(MixedHistory*);
  std::uint32_t i = 0;
  if (free_mixed_.empty()) {
    i = static_cast<std::uint32_t>(mixed_.size());
    mixed_.grow_to(i + 1);
  } else {
    i = free_mixed_.back();
    free_mixed_.pop_back();
  }
  mixed_[i] = history;
  return make_handle(Form::kMixed, i);
}

Handle Histories::new_split(Handle all) {
  std::uint32_t i = 0;
  if (free_splits_.empty()) {
    i = static_cast<std::uint32_t>(splits_.size());
    splits_.grow_to(i + 1);
  } else {
    i = free_splits_.back();
    free_splits_.pop_back();
  }
  std::fill_n(splits_[i].bytes, 8, all);
  return make_handle(Form::kSplit, i);
}

void Histories::free_split(Handle h) {
  free_splits_.push_back(index(h));
}

void Histories::destroy(SharedHistory* history) {
  if (history->next != nullptr) {
    memory_->deallocate(history->next, history->next_size * sizeof(std::uint32_t), 8);
  }
  memory_->deallocate(history, shared_bytes(history->readers), 8);
}

void Histories::begin_mark(const VectorClock& floor) {
  const std::size_t lines = pairs_.size() / kLineSize;
  pair_marks_.assign((lines + 63) / 64, 0);
  shared_marks_.assign(shared_.size(), 0);
  mixed_marks_.assign(mixed_.size(), 0);
  pair_marks_[0] |= 1;  // line 0 holds handle 0

  // In one pass over each table, so that the shadow's handles need only look at bits. A pair's read
  // was ordered after its write (or that race was reported), so who covers a line's owners covers
  // all of it.
  pair_over_.assign((lines + 63) / 64, 0);
  for (std::size_t i = 1; i < lines; ++i) {
    bool over = true;
    for (std::size_t k = 0; k < kLineSize; ++k) {
      over &= floor.covers(Epoch::from_bits(pairs_[i * kLineSize + k] & ~kOwner));
    }
    pair_over_[i / 64] |= std::uint64_t{over} << (i % 64);
  }
  shared_over_.assign(shared_.size(), 0);
  for (std::size_t i = 1; i < shared_.size(); ++i) {
    const SharedHistory* h = shared_[i];
    if (h == nullptr || !floor.covers(h->write)) continue;
    shared_over_[i] = std::all_of(h->reads(), h->reads() + h->readers,
                                  [&floor](Epoch e) { return floor.covers(e); });
  }
  mixed_over_.assign(mixed_.size(), 0);
  for (std::size_t i = 1; i < mixed_.size(); ++i) {
    mixed_over_[i] = mixed_[i] != nullptr && mixed_[i]->covered_by(floor);
  }
}

void Histories::sweep() {
  live_bytes_ = 0;
  for (const std::uint64_t word : pair_marks_) {
    live_bytes_ +=
        static_cast<std::size_t>(std::popcount(word)) * kLineSize * sizeof(std::uint64_t);
  }
  cursor_ = 0;
  loose_ = 0;  // its line may be free now
  reuse_end_ = static_cast<std::uint32_t>(pairs_.size() / kLineSize);
  for (std::uint32_t i = 1; i < shared_.size(); ++i) {
    SharedHistory* h = shared_[i];
    if (h == nullptr) continue;
    if (shared_marks_[i] == 0) {
      destroy(h);
      shared_[i] = nullptr;
      free_shared_.push_back(i);
      continue;
    }
    // Next maps name histories without keeping them alive.
    for (std::uint32_t slot = 0; slot < h->next_size; ++slot) {
      if (h->next[slot] != 0 && shared_marks_[index(Handle{h->next[slot]})] == 0) h->next[slot] = 0;
    }
    live_bytes_ += shared_bytes(h->readers) + h->next_size * sizeof(std::uint32_t);
  }
  for (std::uint32_t i = 1; i < mixed_.size(); ++i) {
    if (mixed_[i] == nullptr) continue;
    if (mixed_marks_[i] != 0) {
      live_bytes_ += mixed_[i]->footprint();
      continue;
    }
    mixed_[i]->destroy(memory_);
    mixed_[i] = nullptr;
    free_mixed_.push_back(i);
  }
  since_sweep_ = 0;
}

}  // namespace redflag::slimfast
