#include "core/trace/summary.h"

#include <algorithm>

namespace redflag {

void TraceSummary::add(std::span<const Event> events) {
  info_.events += events.size();
  for (const Event& e : events) {
    ++info_.per_kind[static_cast<std::size_t>(e.kind)];
    if (raw(e.thread) != last_thread_) {
      last_thread_ = raw(e.thread);
      threads_.insert(last_thread_);
    }
    if (e.source != kNoSource && raw(e.source) != last_source_) {
      last_source_ = raw(e.source);
      sources_.insert(last_source_);
    }
    switch (redflag::info(e.kind).operand) {
      case Operand::kMemory: {
        const Addr last = e.addr() + (e.size - 1);
        info_.lowest = has_memory_ ? std::min(info_.lowest, e.addr()) : e.addr();
        info_.highest = has_memory_ ? std::max(info_.highest, last) : last;
        has_memory_ = true;
        if (e.kind != EventKind::kAlloc && e.kind != EventKind::kFree)
          info_.accessed_bytes += e.size;
        break;
      }
      case Operand::kLock:
        locks_.insert(e.object);
        break;
      case Operand::kBarrier:
        barriers_.insert(e.object);
        break;
      case Operand::kThread:
        threads_.insert(raw(e.other()));
        break;
      case Operand::kCount:
        info_.instructions[e.thread] += e.count();
        break;
      case Operand::kNone:
        break;
    }
  }
}

TraceInfo TraceSummary::info() const {
  TraceInfo result = info_;
  result.threads = threads_.size();
  result.locks = locks_.size();
  result.barriers = barriers_.size();
  result.sources = sources_.size();
  return result;
}

}  // namespace redflag
