#include "core/detect/gpu/curd/block_state.h"

#include <algorithm>
#include <tuple>

namespace redflag::gpu::curd {

void StripeStore::thin_out() {
  const std::vector<Row> rows(rows_.begin(), rows_.begin() + stripe_.count);
  const std::vector<Begins> begins(begins_.begin(), begins_.begin() + stripe_.scattered);
  const Stripe before{const_cast<Row*>(rows.data()), const_cast<Begins*>(begins.data()),
                      stripe_.count, stripe_.scattered};
  std::vector<const Row*> order;
  for (const Row& row : rows) order.push_back(&row);
  const auto key = [&](const Row* row) {
    return std::tuple(!row->kept, row->epoch, row->scattered != 0, row->stride, row->lanes,
                      before.begin(*row, first_lane(row->lanes)));
  };
  std::sort(order.begin(), order.end(),
            [&](const Row* a, const Row* b) { return key(a) < key(b); });
  clear();
  for (const Row* row : order) {
    make_room();
    if (row->kept) {
      Row& copy = stripe_.rows[stripe_.count++] = *row;
      if (row->scattered == 0) continue;
      stripe_.begins[stripe_.scattered] = begins[row->scattered - 1];
      copy.scattered = ++stripe_.scattered;
      continue;
    }
    Begins at{};
    for (unsigned lane = 0; lane < kLanes; ++lane) at.of[lane] = before.begin(*row, lane);
    insert(stripe_, {at.of, row->lanes, row->size, row->source.site, row->epoch}, 1);
    Source& source = stripe_.rows[stripe_.count - 1].source;
    source.complete = source.complete & row->source.complete;
  }
  crowd_ = std::max(kCrowd, stripe_.count * 2);
}

}  // namespace redflag::gpu::curd
