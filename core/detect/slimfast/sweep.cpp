// SlimFast's reclamation: mark what the shadow refers to, free the rest; forget what can race no
// more.
//
// The paper leaves this to Java's garbage collector. Here no reference counts are kept (they would
// turn every cell update into two more writes); instead, when as much metadata was allocated as is
// alive, one pass over the shadow marks every history in use and the others become free. A history
// whose accesses are all covered by every live thread can never race again, and its cells become
// empty; pages that end up empty are dropped. That second step is sound only if new threads know
// what their parents know, so it is left out when threads may appear unforked.
//
// Cost: O(cells), amortised over the allocation of at least a quarter as many bytes of histories,
// or a doubling of the shadow.
#include <algorithm>

#include "core/detect/slimfast/slimfast.h"

namespace redflag::slimfast {

bool SlimFast::sweep_due() const {
  const std::size_t shadow = shadow_.bytes() + pairs_.bytes();
  if (histories_.bytes_since_sweep() >=
      std::max({options_.sweep_bytes, histories_.live_bytes(), shadow / 4})) {
    return true;
  }
  // A program that goes on to ever new memory leaves pages behind that can be forgotten.
  return !options_.threads_appear && shadow >= 2 * shadow_at_sweep_ + 4 * options_.sweep_bytes;
}

// Marks h, or empties it when nothing can race with it any more; false: it is empty now.
bool SlimFast::mark_or_forget(Handle& h) {
  if (h == kNone) return false;
  if (histories_.is_over(h)) {
    h = kNone;
    ++forgotten_cells_;
    return false;
  }
  histories_.mark(h);
  return true;
}

void SlimFast::sweep() {
  ++sweeps_;
  peak_bytes_ = std::max(peak_bytes_, metadata_bytes());
  VectorClock floor(options_.memory);  // empty: nothing is over
  if (!options_.threads_appear) {
    order_.floor(floor);
    forgot_ = true;
    unforked_when_forgot_ = order_.unforked_threads();
  }
  histories_.begin_mark(floor);
  for (ThreadState& t : states_) {
    if (t.clock == nullptr) continue;
    if (t.base != kNoBase) histories_.mark(make_handle(Form::kPair, t.base));
    t.spare = 0;
    t.full_base = 0;
    // These name histories that may be about to go.
    forget_memos(t);
    q_total_ += t.q_size;
    t.q_size = 0;
  }
  sweep_pairs(floor);
  shadow_.retain_whole([this](Handle& all) { return mark_or_forget(all); });
  shadow_.retain([&](std::uint64_t, ShadowMap<Handle>::Page& page) {
    if (page.cells[0] == kInPairs) return true;
    bool used = false;
    for (Handle& cell : page.cells) {
      if (form(cell) == Form::kSplit) {
        for (Handle& h : histories_.split(cell).bytes) mark_or_forget(h);
        merge(cell);
        used |= cell != kNone;
      } else {
        used |= mark_or_forget(cell);
      }
    }
    return used;
  });
  histories_.sweep();
  shadow_at_sweep_ = shadow_.bytes() + pairs_.bytes();
}

std::size_t SlimFast::metadata_bytes() const {
  // Records, shadow pages and clocks come from the resource; the tables of handles do not.
  return options_.memory->bytes_in_use() + histories_.table_bytes();
}

}  // namespace redflag::slimfast
