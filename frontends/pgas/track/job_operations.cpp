// Operations of a rank: issued, completed, delivered.
//
// What ends together shares a fate, so that a flush costs what there are targets, not what there are
// operations; an operation is a record of 16 bytes in its target's batch.
#include <algorithm>

#include "frontends/pgas/track/step.h"

namespace redflag::pgas {
namespace {

constexpr std::size_t kWorthSettling = 1024;  // accesses

}

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
  const auto fate_in = [&](const Windows::Stretch& here) {
    std::uint32_t& fate = here.is_common ? open.common : open.local;
    if (fate == kNone) {
      fate = home_of(here).fate({});
      ++open_buffers_;
    }
    return fate;
  };
  const std::uint64_t now = task.clock.time().counter;
  if (const Stride stride = stride_of(buffer.pieces); stride.step != 0) {
    const std::uint64_t begin = buffer.address + buffer.pieces.front().offset;
    const std::uint64_t end = buffer.address + buffer.pieces.back().offset + stride.element;
    const Windows::Stretch here = windows_.own_at(begin);
    if (here.end >= end) {
      shape.object = here.object;
      shape.step = stride.step;
      shape.element = stride.element;
      home_of(here).add({begin, end, now, home_of(here).shape(shape), fate_in(here)});
      return;
    }
  }
  for (const Piece& piece : buffer.pieces) {
    const std::uint64_t begin = buffer.address + piece.offset;
    for (std::uint64_t at = begin; at < begin + piece.size;) {
      const Windows::Stretch here = windows_.own_at(at);
      const std::uint64_t end = std::min(begin + piece.size, here.end);
      shape.object = here.object;
      Phase& home = home_of(here);
      home.add({at, end, now, home.shape(shape), fate_in(here)});
      at = end;
    }
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

void Job::forget_alikes() {
  for (Alike& each : alike_) each.open = nullptr;
}

bool Job::is_alike(const Alike& one, SourceNumber source, const Knowledge* issued,
                   std::span<const OriginBuffer> buffers, const TargetAccess& target) const {
  if (one.open == nullptr || one.source != source || one.rank != target.rank ||
      one.issued.get() != issued || one.window != target.window || one.group != target.group ||
      one.kind != target.kind || one.atomicity != target.atomicity ||
      one.generation != batches_[target.rank].generation() || target.known_there != nullptr ||
      target.pieces.size() != 1 || target.pieces[0] != one.piece || buffers.size() != one.buffers) {
    return false;
  }
  if (buffers.empty()) return true;
  const OriginBuffer& buffer = buffers[0];
  if (buffer.pieces.size() != 1 || buffer.pieces[0].size == 0 || buffer.kind != one.buffer_kind) {
    return false;
  }
  const std::uint64_t begin = buffer.address + buffer.pieces[0].offset;
  const Windows::Stretch here = windows_.own_at(begin);
  return !here.is_common && here.end >= begin + buffer.pieces[0].size;
}

std::uint64_t Job::issue_alike(const Task& task, const Alike& alike,
                               std::span<const OriginBuffer> buffers, const TargetAccess& target) {
  Open& open = *alike.open;
  const std::uint64_t at = task.clock.time().counter;
  if (!buffers.empty()) {
    const Piece& piece = buffers[0].pieces[0];
    const std::uint64_t begin = buffers[0].address + piece.offset;
    if (open.local == kNone) {
      open.local = own_.fate({});
      ++open_buffers_;
    }
    own_.add({begin, begin + piece.size, at, alike.buffer_shape, open.local});
  }
  Batch& batch = batch_for(target.rank);
  if (open.remote == kNone) open.remote = batch.fate({{}, open.number});
  ++records_;
  return batch.add({target.displacement, at, alike.shape, open.remote});
}

Job::Issued Job::issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                       const TargetAccess* target, bool local_is_all, Ends ends) {
  const Step step(*this, call);
  for (const OriginBuffer& buffer : buffers) watch_buffer(call, buffer);
  Task& task = *step.task;
  const SourceNumber place = source(call);
  const std::shared_ptr<const Knowledge>& known = task.clock.issue();
  Issued issued;
  const bool is_together = target != nullptr && ends == Ends::kTogether;
  if (is_together) {
    const Alike& alike = alike_at(alike_, place, target->rank);
    if (is_alike(alike, place, known.get(), buffers, *target)) {
      issued.record = issue_alike(task, alike, buffers, *target);
      leave_words(task, known, *target, issued);
      tasks_.issued(task, call.thread);
      turn(task);
      return issued;
    }
  }
  OpenKey key;
  key.local_is_all = local_is_all;
  key.fences = fences_;
  if (target != nullptr) {
    key.group = target->group;
    key.target = target->rank;
    key.generation = batches_[target->rank].generation();
    key.writes = info(target->kind).writes;
  }
  if (ends == Ends::kAlone) issued.number = key.alone = ++numbers_;
  Open& open = open_for(key);
  Shape shape;
  shape.by = task.clock.name();
  shape.issued = known;
  shape.source = place;
  for (const OriginBuffer& buffer : buffers) add_buffer(task, shape, buffer, open);
  if (target != nullptr) {
    issued.record = add_target(task, shape, *target, open);
    leave_words(task, known, *target, issued);
  }
  if (is_together && fenced_.empty() && buffers.size() <= 1) {
    remember(open, shape, buffers, *target);
  }
  tasks_.issued(task, call.thread);
  turn(task);
  return issued;
}

void Job::leave_words(const Task& task, const std::shared_ptr<const Knowledge>& known,
                      const TargetAccess& target, Issued& issued) const {
  if (target.flag == nullptr) return;
  Words words{known, task.clock.name(), task.clock.time().counter};
  const auto fenced = fenced_.find(target.rank);
  if (fenced != fenced_.end()) words.fenced = fenced->second;
  if (target.flag->leave(issued.record, words)) issued.to_tell = words.all(target.rank);
}

// Of what was just issued: its shapes are there.
void Job::remember(Open& open, const Shape& shape, std::span<const OriginBuffer> buffers,
                   const TargetAccess& target) {
  if (target.known_there != nullptr || target.pieces.size() != 1) return;
  Alike& one = alike_at(alike_, shape.source, target.rank);
  one.open = &open;
  one.source = shape.source;
  one.issued = shape.issued;
  one.window = target.window;
  one.group = target.group;
  one.rank = target.rank;
  one.kind = target.kind;
  one.atomicity = target.atomicity;
  one.piece = target.pieces[0];
  one.generation = batches_[target.rank].generation();
  one.shape = batches_[target.rank].records().last().shape;
  one.buffers = buffers.size();
  if (buffers.empty()) return;
  Shape of_buffer = shape;
  one.buffer_kind = of_buffer.kind = buffers[0].kind;
  one.buffer_shape = own_.shape(of_buffer);
}

bool Job::complete(const Task& task, Completes how, const OpenKey& key, Open& open) {
  const Time time = tasks_.time_of(task);
  const ThreadName by = task.clock.name();
  const auto end = [&](Phase& home, std::uint32_t& number) {
    if (number == kNone) return;
    Fate& fate = home.fate_of(number);
    fate.completed = time;
    fate.completed_by = by;
    number = kNone;
    --open_buffers_;
  };
  end(own_, open.local);
  end(phase_, open.common);
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
  bool is_gone = false;
  for (auto at = open_.lower_bound(from); at != open_.end() && at->first.group == group;) {
    if (target && at->first.target != *target) break;
    if (!complete(*step.task, how, at->first, at->second)) {
      ++at;
      continue;
    }
    alone_.erase(at->first.alone);
    at = open_.erase(at);
    is_gone = true;
  }
  if (is_gone) {
    recent_.fill(nullptr);
    forget_alikes();
  }
  settle_buffers(call);
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
  settle_buffers(call);
  turn(*step.task);
}

// What the rank's only thread did with its own memory is before all that it will do with it, when no
// operation is under way there: it is checked by itself, and gone. So it needs no room that grows.
void Job::settle_buffers(const LibraryCall& call) {
  if (open_buffers_ != 0) return;
  unwatch_buffers(call);
  if (own_.size() < kWorthSettling || (runtime_ != nullptr && !runtime_->is_alone())) return;
  note(own_.check(options_.predicts));
  own_.clear();
  forget_alikes();
}

void Job::about_to_complete(const LibraryCall& call, const void* frame) {
  constexpr std::uint64_t kDeep = std::uint64_t{1} << 20;  // below: of functions that have returned
  if (call.thread == nullptr || open_buffers_ == 0 || !runtime_->is_alone()) return;
  const auto here = reinterpret_cast<std::uint64_t>(frame);
  if (lowest_filled_ >= here || lowest_filled_ + kDeep < here) return;
  const Step step(*this, call);
  note(own_.check(options_.predicts));
  report(lines_);
  lines_.clear();
}

// Some of that memory may be in a window now.
void Job::own_becomes_common() {
  if (own_.size() == 0) return;
  std::vector<std::uint32_t> fates;
  for (const auto& [key, open] : open_) {
    if (open.local == kNone || open.common == kNone) continue;
    fates.resize(std::max<std::size_t>(fates.size(), open.local + 1), Phase::kNoFate);
    fates[open.local] = open.common;
    --open_buffers_;
  }
  phase_.take(own_, fates);
  for (auto& [key, open] : open_) {
    if (open.local != kNone) open.common = fates[open.local];
    open.local = kNone;
  }
  forget_alikes();
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
  forget_alikes();
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
