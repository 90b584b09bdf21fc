// The sweep: which histories does any cell still hold? The others are free again.
//
// Runs in the thread that allocated past the budget, with the world stopped, and looks at every
// resident page of shadow. On the way cells are cleared whose history happens before everything
// that any live thread will still do: it can race with nothing. The budget grows with what
// stayed, so that the time spent here stays a fraction of the time spent making histories.
#include "core/live/detector.h"

namespace redflag::live {

struct Sweeper {
  Detector& d;
  std::uint64_t* pair_marks;
  std::uint64_t* shared_marks;
  std::uint64_t* split_marks;
  std::uint64_t* halves_marks;
  std::uint64_t* record_marks;

  static bool test(const std::uint64_t* marks, std::uint32_t i) {
    return (marks[i / 64] >> (i % 64) & 1) != 0;
  }
  static void set(std::uint64_t* marks, std::uint32_t i) {
    marks[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  static std::size_t mark_bytes(std::uint32_t n) { return (std::size_t{n} / 64 + 1) * 8; }

  void mark(std::uint32_t h) {
    const std::uint32_t i = index(h);
    switch (form(h)) {
      case Form::kPair:
        set(pair_marks, i);
        break;
      case Form::kShared:
        set(shared_marks, shared_index(h));
        break;
      case Form::kMixed:
        set(record_marks, i);
        break;
      case Form::kSplit:
        if (is_halves(h)) {
          const std::uint64_t word = d.halves[halves_index(h)].word.load(std::memory_order_relaxed);
          set(halves_marks, halves_index(h));
          mark(Halves::half(word, 0));
          mark(Halves::half(word, 1));
          break;
        }
        if (test(split_marks, split_index(h))) break;
        set(split_marks, split_index(h));
        for (const auto& b : d.splits[split_index(h)].bytes)
          mark(b.load(std::memory_order_relaxed));
        break;
    }
  }

  bool past(std::uint32_t h) {
    switch (form(h)) {
      case Form::kPair: {
        const Epoch r = d.pairs.read_of(h);
        return d.is_past(d.pairs.write_of(h)) && (!r || d.is_past(r));
      }
      case Form::kShared: {
        SharedHistory& s = d.shared[shared_index(h)];
        if (!d.is_past(s.write)) return false;
        for (std::uint32_t i = 0; i < s.readers; ++i) {
          if (!d.is_past(s.read(i))) return false;
        }
        return true;
      }
      case Form::kMixed:
        return false;  // it may hold a clock or a lock
      case Form::kSplit:
        if (is_halves(h)) {
          const std::uint64_t word = d.halves[halves_index(h)].word.load(std::memory_order_relaxed);
          return past(Halves::half(word, 0)) && past(Halves::half(word, 1));
        }
        for (const auto& byte : d.splits[split_index(h)].bytes) {
          const std::uint32_t b = byte.load(std::memory_order_relaxed);
          if (b != 0 && !past(b)) return false;
        }
        return true;
    }
    return false;
  }

  std::uint64_t* marks(std::uint32_t n) {
    return static_cast<std::uint64_t*>(os_map(mark_bytes(n)));
  }

  void run() {
    pair_marks = marks(d.pairs.end());
    shared_marks = marks(d.shared.end());
    split_marks = marks(d.splits.end());
    halves_marks = marks(d.halves.end());
    record_marks = marks(d.records.end());
    d.know_floor();
    std::uint32_t last = 0;  // neighbours are often alike
    bool last_past = false;
    // A thread that waits since the beginning knows nothing of what came later, and so nothing is
    // past: then it is not worth asking, except now and then.
    const bool forget = d.forgetting || d.sweeps.load(std::memory_order_relaxed) % 8 == 0;
    std::size_t cleared = 0;
    std::size_t seen = 0;
    d.shadow.for_each_resident([&](Cell* cells, std::size_t n, std::uint64_t) {
      for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t h = cells[i].load(std::memory_order_relaxed);
        if (h == 0) continue;
        if (is_halves(h)) {
          const std::uint64_t word = d.halves[halves_index(h)].word.load(std::memory_order_relaxed);
          if (Halves::half(word, 0) == Halves::half(word, 1)) {
            h = Halves::half(word, 0);
            cells[i].store(h, std::memory_order_relaxed);
          }
        }
        if (is_own_split(h)) {
          const auto* bytes = d.splits[split_index(h)].bytes;
          const std::uint32_t first = bytes[0].load(std::memory_order_relaxed);
          bool same = true;
          for (unsigned k = 1; k < kGranule; ++k) {
            same = same && bytes[k].load(std::memory_order_relaxed) == first;
          }
          if (same) {
            h = first;
            cells[i].store(h, std::memory_order_relaxed);
          }
        }
        if (h != last) {
          last = h;
          last_past = forget && past(h);
          if (!last_past) mark(h);
        }
        cleared += last_past ? 1U : 0U;
        ++seen;
        if (last_past) cells[i].store(0, std::memory_order_relaxed);
      }
    });
    if (forget) d.forgetting = cleared > seen / 16;
    std::size_t kept = sweep_pairs() + sweep_shared() + sweep_splits() + sweep_halves();
    sweep_records();
    d.world.for_each([](Thread& t) {
      for (Memo& m : t.memos) m = {};
      Detector::forget_shared(t);
      for (ReadEntry& r : t.reads) r = {};
      t.spare_splits.count = t.spare_shared.count = t.spare_halves.count = 0;
    });
    for (auto& k : d.known_shared) k.store(0, std::memory_order_relaxed);
    for (auto& k : d.known_splits) k.store(0, std::memory_order_relaxed);
    os_unmap(pair_marks, mark_bytes(d.pairs.end()));
    os_unmap(shared_marks, mark_bytes(d.shared.end()));
    os_unmap(split_marks, mark_bytes(d.splits.end()));
    os_unmap(halves_marks, mark_bytes(d.halves.end()));
    os_unmap(record_marks, mark_bytes(d.records.end()));
    if (d.sweep_at != 1 && kept / 2 > d.sweep_at) d.sweep_at = kept / 2;
  }

  // A line stays while a handle into it is held, or a thread's present epoch is in it.
  std::size_t sweep_pairs() {
    const auto keep = [&](std::uint32_t i) {
      if (i != 0 && i != kNoBase) set(pair_marks, i / kLineSize * kLineSize);
    };
    d.world.for_each([&](Thread& t) {
      keep(t.base);
      keep(t.line_next);
    });
    std::size_t kept = 0;
    d.pairs.rebuild_begin();
    for (std::uint32_t line = kLineSize; line < d.pairs.end(); line += kLineSize) {
      if ((pair_marks[line / 64] >> (line % 64) & 0xff) != 0) {
        ++kept;
      } else {
        d.pairs.rebuild_free(line);
      }
    }
    return kept * kLineSize * sizeof(std::uint64_t);
  }

  std::size_t sweep_shared() {
    d.shared.rebuild_begin();
    std::size_t kept = 0;
    for (std::uint32_t i = 1; i < d.shared.end(); ++i) {
      SharedHistory& s = d.shared[i];
      if (test(shared_marks, i)) {
        d.shared.rebuild_live();
        kept += sizeof(SharedHistory);
        continue;
      }
      if (s.many != nullptr) d.arena.give(s.many, s.readers * sizeof(Epoch));
      s.many = nullptr;
      d.shared.rebuild_free(i);
    }
    return kept;
  }

  std::size_t sweep_splits() {
    d.splits.rebuild_begin();
    std::size_t kept = 0;
    for (std::uint32_t i = 1; i < d.splits.end(); ++i) {
      if (test(split_marks, i)) {
        d.splits.rebuild_live();
        kept += sizeof(Split);
      } else {
        d.splits.rebuild_free(i);
      }
    }
    return kept;
  }

  std::size_t sweep_halves() {
    d.halves.rebuild_begin();
    std::size_t kept = 0;
    for (std::uint32_t i = 1; i < d.halves.end(); ++i) {
      if (test(halves_marks, i)) {
        d.halves.rebuild_live();
        kept += sizeof(Halves);
      } else {
        d.halves.rebuild_free(i);
      }
    }
    return kept;
  }

  // Records of memory that was given back in large pieces; others are dropped when it happens.
  void sweep_records() {
    for (std::uint32_t i = 1; i < d.records.end(); ++i) {
      if (!test(record_marks, i) && d.records[i].free == 0) d.drop_record(i);
    }
  }
};

void Detector::sweep_if_due(Thread& t) {
  if (!sweep_due()) [[likely]]
    return;
  if (is_inside(t.inside.load(std::memory_order_relaxed))) return;
  // One does it, the others go on until they are stopped.
  if (sweeping.exchange(1, std::memory_order_acquire) != 0) return;
  sweep(&t);
  sweeping.store(0, std::memory_order_release);
}

void Detector::sweep(Thread* t) {
  world.stop(t);
  if (allocated.load(std::memory_order_relaxed) >= sweep_at || t == nullptr) {
    allocated.store(0, std::memory_order_relaxed);
    // A thread on its way out is no longer inside, and may be gone and its memory be another's
    // before the list has been gone through.
    const Guard guard(world.list_lock());
    Sweeper{*this, nullptr, nullptr, nullptr, nullptr, nullptr}.run();
    sweeps.fetch_add(1, std::memory_order_relaxed);
  }
  world.resume(t);
}

}  // namespace redflag::live
