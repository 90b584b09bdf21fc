#include "core/trace/validate.h"

namespace redflag {
namespace {

const char* operand_fault(const Event& e) {
  switch (info(e.kind).operand) {
    case Operand::kMemory:
      if (e.size == 0) return "size 0, expected 1 or more bytes";
      if (e.size > kMaxAccessSize) return "size above 2^31, the largest allowed";
      if (!is_range_valid(e.object, e.size))
        return "address plus size wraps, expected a range below 2^64";
      return nullptr;
    case Operand::kThread:
      if (e.object >= kThreadLimit) return "other thread's number not below 2^24";
      break;
    case Operand::kNone:
      if (e.object != 0) return "an operand where this kind has none";
      break;
    case Operand::kLock:
    case Operand::kBarrier:
    case Operand::kCount:
      break;
  }
  return e.size != 0 ? "a size where this kind has none" : nullptr;
}

struct DefinitionFault {
  const char* operator()(const SourceDefinition& d) const {
    if (d.id == kNoSource) return "source 0, which means unknown; expected 1 or more";
    if (d.caller != kNoSource && raw(d.caller) >= raw(d.id))
      return "caller not smaller than the source, expected an earlier source";
    if (d.frame.function.size() > kMaxNameBytes || d.frame.file.size() > kMaxNameBytes)
      return "a name above 65536 bytes";
    return nullptr;
  }
  const char* operator()(const ThreadName& d) const {
    if (raw(d.thread) >= kThreadLimit) return "thread number not below 2^24";
    return d.name.size() > kMaxNameBytes ? "a name above 65536 bytes" : nullptr;
  }
  const char* operator()(const LockName& d) const {
    return d.name.size() > kMaxNameBytes ? "a name above 65536 bytes" : nullptr;
  }
  const char* operator()(const Region& d) const {
    if (d.size == 0) return "region of size 0, expected 1 or more bytes";
    if (raw(d.addr) + d.size <= raw(d.addr))
      return "region's address plus size wraps, expected a range below 2^64";
    if (static_cast<int>(d.kind) >= kRegionKindCount) return "unknown kind of region";
    return d.name.size() > kMaxNameBytes ? "a name above 65536 bytes" : nullptr;
  }
};

}  // namespace

const char* event_fault(const Event& e) {
  if (static_cast<int>(e.kind) >= kEventKindCount) return "unknown kind of event";
  const EventKindInfo& kind = info(e.kind);
  if (raw(e.order) >= kOrderCount) return "unknown memory order";
  if (raw(e.scope) >= kScopeCount) return "unknown scope";
  if (kind.has_order && e.order == Order::kPlain)
    return "no memory order, expected one of relaxed, acquire, release, acq_rel, seq_cst";
  if (!kind.has_order && e.order != Order::kPlain) return "a memory order where this kind has none";
  if (e.is_volatile && !kind.may_be_volatile) return "volatile, which this kind cannot be";
  if (raw(e.thread) >= kThreadLimit) return "thread number not below 2^24";
  return operand_fault(e);
}

const char* definition_fault(const Definition& definition) {
  return std::visit(DefinitionFault{}, definition);
}

bool apply_definition(const Definition& definition, Sources& sources) {
  struct Apply {
    Sources& to;
    bool operator()(const SourceDefinition& d) const { return to.define(d.id, d.frame, d.caller); }
    bool operator()(const ThreadName& d) const {
      to.name_thread(d.thread, d.name);
      return true;
    }
    bool operator()(const LockName& d) const {
      to.name_lock(d.lock, d.name);
      return true;
    }
    bool operator()(const Region& d) const {
      to.add_region(d);
      return true;
    }
  };
  return std::visit(Apply{sources}, definition);
}

}  // namespace redflag
