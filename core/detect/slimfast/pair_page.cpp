// Pages kept as pairs: accesses to them, and how they come and go. See pair_page.h for the idea.
#include "core/detect/slimfast/pair_page.h"

#include <algorithm>

#include "core/detect/slimfast/access.h"
#include "core/detect/slimfast/slimfast.h"

namespace redflag::slimfast {

PairCell& SlimFast::pair_cell(Addr granule) {
  return pairs_.page(page_of(granule)).cells[raw(granule) % kPageBytes / kGranuleBytes];
}

// Any access to a page of pairs: the part that pair_granule() leaves out takes the way of handles.
template <SlimFast::Op op, SlimFast::Mode mode>
void SlimFast::paired(ThreadState& t, Context& at) {
  ++paired_accesses_;
  PairCell& cell = pair_cell(at.granule);
  if constexpr (!atomic(op)) {
    if (at.high - at.low == kGranuleBytes && pair_granule<op>(t, at, cell)) return;
  }
  Handle h = to_handle(cell);
  granule<op, mode>(t, at, h);
  from_handle(cell, h);
}

template void SlimFast::paired<SlimFast::Op::kRead, SlimFast::Mode::kShared>(ThreadState&,
                                                                             Context&);
template void SlimFast::paired<SlimFast::Op::kWrite, SlimFast::Mode::kShared>(ThreadState&,
                                                                              Context&);
template void SlimFast::paired<SlimFast::Op::kAtomicRead, SlimFast::Mode::kShared>(ThreadState&,
                                                                                   Context&);
template void SlimFast::paired<SlimFast::Op::kAtomicWrite, SlimFast::Mode::kShared>(ThreadState&,
                                                                                    Context&);
template void SlimFast::paired<SlimFast::Op::kRead, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                               Context&);
template void SlimFast::paired<SlimFast::Op::kWrite, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                                Context&);
template void SlimFast::paired<SlimFast::Op::kAtomicRead, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                                     Context&);
template void SlimFast::paired<SlimFast::Op::kAtomicWrite, SlimFast::Mode::kDistinct>(ThreadState&,
                                                                                      Context&);

Handle SlimFast::to_handle(const PairCell& cell) {
  if (cell.has_handle()) return cell.handle();
  return histories_.loose_pair(cell.write, cell.read_epoch());
}

void SlimFast::from_handle(PairCell& cell, Handle h) {
  if (form(h) == Form::kPair) {
    cell.set(histories_.pair_write(h), histories_.pair_read(h));
  } else {
    cell.set(h);
  }
}

void SlimFast::pair_up(std::uint64_t number) {
  auto& cells = shadow_.page(number).cells;
  auto& pairs = pairs_.page(number).cells;
  for (std::size_t i = 0; i < kCellsPerPage; ++i) {
    from_handle(pairs[i], cells[i]);
    cells[i] = kInPairs;
  }
}

// All pages become handles again. Neighbours that are alike share one.
void SlimFast::unpair() {
  pairs_.retain([this](std::uint64_t number, ShadowMap<PairCell>::Page& pairs) {
    auto& cells = shadow_.page(number).cells;
    for (std::size_t i = 0; i < kCellsPerPage; ++i) {
      const PairCell& cell = pairs.cells[i];
      const bool same = i > 0 && !cell.has_handle() && cell.write == pairs.cells[i - 1].write &&
                        cell.read == pairs.cells[i - 1].read;
      cells[i] = same ? cells[i - 1] : to_handle(cell);
    }
    return false;
  });
}

// Marks the handles among the pairs and empties what is over; pages that end up empty are dropped.
void SlimFast::sweep_pairs(const VectorClock& floor) {
  pairs_.retain([&](std::uint64_t number, ShadowMap<PairCell>::Page& page) {
    bool used = false;
    for (PairCell& cell : page.cells) {
      if (cell.has_handle()) {
        Handle h = cell.handle();
        if (form(h) == Form::kSplit) {
          for (Handle& byte : histories_.split(h).bytes) mark_or_forget(byte);
          merge(h);
        } else {
          mark_or_forget(h);
        }
        from_handle(cell, h);
      } else if (!cell.empty() && floor.covers(cell.write) && floor.covers(cell.read_epoch())) {
        cell = PairCell{};
        ++forgotten_cells_;
      }
      used |= !cell.empty();
    }
    if (!used) std::fill_n(shadow_.page(number).cells, kCellsPerPage, kNone);
    return used;
  });
}

}  // namespace redflag::slimfast
