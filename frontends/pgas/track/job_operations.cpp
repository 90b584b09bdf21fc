// Operations of a rank: issued, completed, delivered.
//
// What ends together shares a fate, so that a flush costs what there are targets, not what there are
// operations; an operation is a record of 24 bytes in its target's batch.
#include "frontends/pgas/track/step.h"

namespace redflag::pgas {

Job::Open& Job::open_for(const OpenKey& key) {
  OpenOnes::value_type*& recent = recent_[key.target % recent_.size()];
  if (recent != nullptr && recent->first == key) return recent->second;
  const auto [at, is_new] = open_.try_emplace(key);
  if (is_new) {
    at->second.number = key.alone != 0 ? key.alone : ++numbers_;
    if (key.alone != 0) alone_[key.alone] = key;
  }
  recent = &*at;
  return at->second;
}

void Job::add_buffer(const Task& task, const Shape& operation, const OriginBuffer& buffer,
                     Open& open) {
  Shape shape;
  shape.kind = buffer.kind;
  shape.by = task.clock.name();
  shape.issued = operation.issued;
  shape.source = operation.source;
  shape.object = windows_.own_at(buffer.address);
  const std::uint32_t number = phase_.shape(shape);
  for (const Piece& piece : buffer.pieces) {
    if (piece.size == 0) continue;
    if (open.local == kNone) {
      open.local = phase_.fate({});
      ++open_buffers_;
    }
    const std::uint64_t begin = buffer.address + piece.offset;
    phase_.add({begin, begin + piece.size, task.clock.time().counter, number, open.local});
  }
}

std::uint64_t Job::add_target(const Task& task, Shape shape, const TargetAccess& target,
                              Open& open) {
  shape.kind = target.kind;
  shape.atomicity = target.atomicity;
  shape.object = target.window;
  // What this rank has fenced comes before what it writes now, to this target.
  const auto fenced = fenced_.find(target.rank);
  const bool is_fenced = writes(shape) && fenced != fenced_.end();
  if (is_fenced || target.known_there != nullptr) {
    Knowledge more = *shape.issued;
    if (target.known_there != nullptr) more.join(*target.known_there);
    if (is_fenced) more.learn(delivery(transport_.rank(), target.rank), fenced->second);
    shape.issued = std::make_shared<const Knowledge>(std::move(more));
  }
  Batch& batch = batch_for(target.rank);
  if (open.remote == kNone) open.remote = batch.fate({{}, open.number});
  ++records_;
  return batch.add({target.displacement, task.clock.time().counter,
                    batch.shape(shape, target.pieces), open.remote});
}

Job::Issued Job::issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                       const TargetAccess* target, bool local_is_all, Ends ends) {
  const Step step(*this, call);
  for (const OriginBuffer& buffer : buffers) watch_buffer(call, buffer);
  Task& task = *step.task;
  OpenKey key;
  key.local_is_all = local_is_all;
  key.fences = fences_;
  if (target != nullptr) {
    key.group = target->group;
    key.target = target->rank;
    key.generation = batches_[target->rank].generation();
    key.writes = info(target->kind).writes;
  }
  if (ends == Ends::kAlone) key.alone = ++numbers_;
  Open& open = open_for(key);
  Shape shape;
  shape.by = task.clock.name();
  shape.issued = task.clock.issue();
  shape.source = source(call);
  for (const OriginBuffer& buffer : buffers) add_buffer(task, shape, buffer, open);
  Issued issued{key.alone, 0, {}};
  if (target != nullptr && target->may_be_flag) {
    issued.words = {shape.issued, shape.by, task.clock.time().counter, 0};
    const auto fenced = fenced_.find(target->rank);
    if (fenced != fenced_.end()) issued.words.fenced = fenced->second;
  }
  if (target != nullptr) issued.record = add_target(task, std::move(shape), *target, open);
  tasks_.issued(task, call.thread);
  turn(task);
  return issued;
}

bool Job::complete(const Task& task, Completes how, const OpenKey& key, Open& open) {
  const Time time = tasks_.time_of(task);
  const ThreadName by = task.clock.name();
  if (open.local != kNone) {
    Fate& fate = phase_.fate_of(open.local);
    fate.completed = time;
    fate.completed_by = by;
    open.local = kNone;
    --open_buffers_;
  }
  if (open.remote == kNone) return true;
  if (how == Completes::kLocally && !key.local_is_all) return false;
  Batch& batch = batch_for(key.target);
  if (key.generation == batch.generation()) {
    RecordFate& fate = batch.fate_of(open.remote);
    fate.completed = time;
    fate.completed_by = by;
  } else {
    batch.complete({open.number, time, by});
    ++records_;
  }
  return true;
}

void Job::complete(const LibraryCall& call, Completes how, std::uint64_t group,
                   std::optional<std::uint32_t> target) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  OpenKey from;
  from.group = group;
  from.target = target.value_or(0);
  for (auto at = open_.lower_bound(from); at != open_.end() && at->first.group == group;) {
    if (target && at->first.target != *target) break;
    if (!complete(*step.task, how, at->first, at->second)) {
      ++at;
      continue;
    }
    alone_.erase(at->first.alone);
    at = open_.erase(at);
  }
  recent_.fill(nullptr);
  unwatch_buffers(call);
  turn(*step.task);
}

void Job::complete_operation(const LibraryCall& call, Completes how, std::uint64_t operation) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  const auto alone = alone_.find(operation);
  if (alone == alone_.end()) return;
  const auto at = open_.find(alone->second);
  if (complete(*step.task, how, at->first, at->second)) {
    recent_[at->first.target % recent_.size()] = nullptr;
    open_.erase(at);
    alone_.erase(alone);
  }
  unwatch_buffers(call);
  turn(*step.task);
}

void Job::fence(const LibraryCall& call, std::uint64_t group) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  const Time time = tasks_.time_of(*step.task);
  OpenKey from;
  from.group = group;
  for (auto at = open_.lower_bound(from); at != open_.end() && at->first.group == group; ++at) {
    auto& [key, open] = *at;
    if (open.remote == kNone || !key.writes) continue;
    fenced_[key.target] = time.counter;
    if (open.is_fenced) continue;  // by an earlier one
    open.is_fenced = true;
    const ThreadName by = delivery(transport_.rank(), key.target);
    Batch& batch = batch_for(key.target);
    if (key.generation == batch.generation()) {
      RecordFate& fate = batch.fate_of(open.remote);
      fate.delivered = time;
      fate.delivered_by = by;
    } else {
      batch.deliver({open.number, time, by});
      ++records_;
    }
  }
  ++fences_;
  turn(*step.task);
}

void Job::seen(const LibraryCall& call, std::uint32_t from, std::uint64_t record,
               const Knowledge& known) {
  const Step step(*this, call);
  tasks_.advance(*step.task, call.thread);
  step.task->clock.acquire(known);
  tasks_.publish(*step.task);
  if (record != 0) {
    phase_.deliver(from, record, tasks_.time_of(*step.task), step.task->clock.name());
  }
  turn(*step.task);
}

}  // namespace redflag::pgas
