#include "sim/models/scord/scord_side.h"

#include <algorithm>
#include <bit>

namespace redflag::sim {

Cycle ScordSide::arrived(std::uint32_t bank, const Transaction& access, Cycle at, L2& l2) {
  ++accesses_;
  BoundedQueue& queue = queues_[bank];
  const Cycle taken = queue.admit(at);
  waited_ += taken - at;
  Cycle done = taken + 1;
  if (parameters_.cost_of_metadata) {
    map_.each_line(access.line, access.words, [&](std::uint64_t line, std::uint32_t entries) {
      UnderWay& own = under_way_[line % kUnderWay];
      const bool here = own.line == line && own.until > taken;
      if (here && (entries & ~own.entries) == 0) {
        ++shared_;
        done = std::max(done, own.until);
        return;
      }
      const auto bytes =
          static_cast<std::uint32_t>(std::popcount(entries)) * parameters_.entry_bytes();
      const Cycle ready = l2.access(line, bytes, L2Use::kUpdate, Traffic::kMetadata, taken).ready;
      own = {line, entries | (here ? own.entries : 0), ready};
      done = std::max(done, ready);
    });
  }
  queue.leave(done);
  checked_at_ = done;
  idle_at_ = std::max(idle_at_, done);
  return taken;
}

}  // namespace redflag::sim
